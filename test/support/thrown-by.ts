/** The error of a call that has to fail. */
export function thrownBy(call: () => unknown): Error {
  try {
    call()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('no error was thrown')
}
