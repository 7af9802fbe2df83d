import type { ProcessContext } from '../process/context.js'
import { isInterruption, watchSignals } from '../process/signals.js'
import { drained, watchStreams } from '../process/streams.js'
import { dispatch } from './dispatch.js'
import { type Program, userAgentOf } from './program.js'

const versionWords = ['--version', '-V', 'version']

/** Runs a command line: the command, then everything it prints, however slowly it is read, then the exit. */
export async function main(argv: string[], program: Program, context: ProcessContext): Promise<void> {
  const { stdout, stderr } = context
  let ending: Promise<void> | undefined
  watchStreams(context, (error) => {
    ending ??= endUnwritten(error, argv, context)
  })
  watchSignals(context)
  try {
    if (versionWords.includes(argv[0] ?? '')) stdout.write(`${userAgentOf(program)}\n`)
    else await dispatch(argv, program, context)
  } catch (error) {
    await drained(stdout)
    await ending
    if (!isInterruption(error, context)) {
      const { reportFailure } = await import('../errors/print.js')
      context.exitCode = await reportFailure(error, argv, context)
    }
  }
  await Promise.all([drained(stdout), drained(stderr)])
  await ending
  context.exit(Number(context.exitCode ?? 0))
}

/** The request may have been executed, but its result is lost: report it, and exit with an error. */
async function endUnwritten(error: Error, argv: readonly string[], context: ProcessContext): Promise<void> {
  const { reportUnwritten } = await import('../errors/print.js')
  const exitCode = await reportUnwritten(error, argv, context)
  await drained(context.stderr)
  context.exit(exitCode)
}
