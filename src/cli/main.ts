import type { BuiltIn } from './built-in.js'
import { colourFlag, wantsColour } from './colour.js'
import { reportFailure } from './failure.js'
import { isInterruption, watchSignals } from './interruption.js'
import { drained, watchStreams } from './streams.js'
import { silenceSqliteWarning } from './unwanted-warnings.js'

/**
 * Runs one command line to its end: the command, then everything it printed, however slowly it is read, then the exit.
 * `program` is the address of the file that started it, from which its folder is found, or the program itself.
 */
export async function main(argv: string[], program: string | BuiltIn): Promise<void> {
  const { stdout, stderr } = process
  watchStreams(stdout, stderr)
  watchSignals()
  silenceSqliteWarning()
  // oclif would print every argument under DEBUG, keys typed by mistake included.
  delete process.env.DEBUG
  try {
    const { dispatch } = await loadWithColour(wantsColour(colourFlag(argv), process.env, stdout.isTTY === true))
    await dispatch(argv, program)
  } catch (error) {
    await drained(stdout)
    if (!isInterruption(error)) process.exitCode = reportFailure(error, argv)
  }
  await Promise.all([drained(stdout), drained(stderr)])
  process.exit()
}

/** oclif settles the colour of its help when it is loaded, by rules of its own: it is told ours. */
async function loadWithColour(colour: boolean): Promise<typeof import('./dispatch.js')> {
  const before = process.env.FORCE_COLOR
  process.env.FORCE_COLOR = colour ? '1' : '0'
  try {
    return await import('./dispatch.js')
  } finally {
    if (before === undefined) delete process.env.FORCE_COLOR
    else process.env.FORCE_COLOR = before
  }
}
