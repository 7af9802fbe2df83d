/** Asks again until the answer is yes. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 5))
}
