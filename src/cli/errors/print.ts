import { prose } from '../../render/plain-text.js'
import { prepareDrawing } from '../../render/style.js'
import { onAccount, shellWord } from '../../shared/command-words.js'
import { formatInArgv } from '../output/format.js'
import { colourFlag } from '../process/colour.js'
import type { ProcessContext } from '../process/context.js'
import type { ExitCode } from '../process/exit-codes.js'
import { styleFor } from '../process/terminal.js'
import { type ErrorReport, errorJson, errorText, reportOf, unwrittenReport } from './report.js'

/** Prints an error on stderr in the format of the command and returns the exit code. */
export async function reportFailure(
  error: unknown,
  argv: readonly string[],
  context: ProcessContext,
): Promise<ExitCode> {
  const found = reportOf(error, context.subject)
  const hint = found.hint === null ? null : onAccount(onJournal(found.hint, context), context.accountFlags ?? '')
  const report = { ...found, hint }
  await print(report, argv, context)
  if (report.code === 'DEFECT' && argv.includes('--verbose') && error instanceof Error)
    context.stderr.write(`${error.stack ?? ''}\n`)
  return report.exitCode
}

/** Makes `dlv doctor` look at the journal that the command line named; never repeats a password. */
function onJournal(hint: string, { subject }: ProcessContext): string {
  const { journal } = subject ?? {}
  if (journal === undefined || /:\/\/[^/]*:[^/]*@|password/i.test(journal)) return hint
  return hint.replace(/\bdlv doctor\b(?! --journal)/g, () => `dlv doctor --journal ${shellWord(journal)}`)
}

/** Prints the error for results that could not be written to stdout, and returns the exit code. */
export async function reportUnwritten(
  error: Error,
  argv: readonly string[],
  context: ProcessContext,
): Promise<ExitCode> {
  const report = unwrittenReport(error, context.hasWritten === true)
  await print(report, argv, context)
  return report.exitCode
}

async function print(report: ErrorReport, argv: readonly string[], context: ProcessContext): Promise<void> {
  const { env, stderr } = context
  const format = context.outputFormat ?? formatInArgv(argv) ?? env.DLV_OUTPUT
  if (format === 'json' || format === 'ndjson') {
    stderr.write(`${errorJson(report)}\n`)
    return
  }
  const style = styleFor(stderr, env, colourFlag(argv), context.nowMs())
  await prepareDrawing({ colour: style.colour, terminal: false })
  stderr.write(`${prose(errorText(report, style), style)}\n`)
}
