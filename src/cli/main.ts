import { handle, run } from '@oclif/core'

/** Runs one command line. `root` is the address of the file that started the program. */
export async function main(argv: string[], root: string): Promise<void> {
  try {
    await run(argv, root)
  } catch (error) {
    await handle(error as Error)
  }
}
