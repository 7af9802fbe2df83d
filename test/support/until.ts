const limitMs = 40_000

/** Asks again until the answer is yes. Fails after 40 seconds with `what` it waited for, such as "five events". */
export async function until(what: string, question: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + limitMs
  while (!(await question())) {
    if (performance.now() > deadlineMs) throw new Error(`Timed out after ${limitMs / 1_000} s waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
