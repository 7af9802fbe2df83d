import { isInterruption, watchSignals } from '../process/signals.js'
import { drained, watchStreams } from '../process/streams.js'
import { silenceSqliteWarning } from '../process/warnings.js'
import { dispatch } from './dispatch.js'
import { type Program, userAgentOf } from './program.js'

const versionWords = ['--version', '-V', 'version']

/** Runs one command line to its end: the command, then everything it printed, however slowly it is read, then the exit. */
export async function main(argv: string[], program: Program): Promise<void> {
  const { stdout, stderr } = process
  let ending: Promise<void> | undefined
  watchStreams(stdout, stderr, (error) => {
    ending ??= endUnwritten(error, argv)
  })
  watchSignals()
  silenceSqliteWarning()
  // oclif would print every argument under DEBUG, keys typed by mistake included.
  delete process.env.DEBUG
  try {
    if (versionWords.includes(argv[0] ?? '')) stdout.write(`${userAgentOf(program)}\n`)
    else await dispatch(argv, program)
  } catch (error) {
    await drained(stdout)
    await ending
    if (!isInterruption(error)) {
      const { reportFailure } = await import('../errors/print.js')
      process.exitCode = await reportFailure(error, argv)
    }
  }
  await Promise.all([drained(stdout), drained(stderr)])
  await ending
  process.exit()
}

/** What was asked for may be done, but its result is lost: that is said, and is no success. */
async function endUnwritten(error: Error, argv: readonly string[]): Promise<void> {
  const { reportUnwritten } = await import('../errors/print.js')
  const exitCode = await reportUnwritten(error, argv)
  await drained(process.stderr)
  process.exit(exitCode)
}
