import { dispatch } from './dispatch.js'
import { isInterruption, watchSignals } from './interruption.js'
import { type Program, userAgentOf } from './program.js'
import { drained, watchStreams } from './streams.js'
import { silenceSqliteWarning } from './unwanted-warnings.js'

const versionWords = ['--version', '-V', 'version']

/** Runs one command line to its end: the command, then everything it printed, however slowly it is read, then the exit. */
export async function main(argv: string[], program: Program): Promise<void> {
  const { stdout, stderr } = process
  watchStreams(stdout, stderr)
  watchSignals()
  silenceSqliteWarning()
  // oclif would print every argument under DEBUG, keys typed by mistake included.
  delete process.env.DEBUG
  try {
    if (versionWords.includes(argv[0] ?? '')) stdout.write(`${userAgentOf(program)}\n`)
    else await dispatch(argv, program)
  } catch (error) {
    await drained(stdout)
    if (!isInterruption(error)) {
      const { reportFailure } = await import('./failure.js')
      process.exitCode = await reportFailure(error, argv)
    }
  }
  await Promise.all([drained(stdout), drained(stderr)])
  process.exit()
}
