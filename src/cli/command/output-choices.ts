import { UsageError } from '../../contract/index.js'
import { readProject } from '../../profiles/index.js'
import { parseColumns } from '../output/columns.js'
import { type OutputFormat, parseOutputFormat } from '../output/format.js'
import type { Jq } from '../output/jq/jq.js'
import type { Notices } from '../output/notices.js'
import type { OutputChoices } from '../output/output.js'
import type { ProcessContext } from '../process/context.js'
import { writeOut } from '../process/streams.js'
import type { GlobalFlags } from './global-flags.js'

/** The output format: from the flag, `DLV_OUTPUT` or the project file. Throws `UsageError` for an unknown one. */
export function formatOf(flags: GlobalFlags, { env, cwd }: ProcessContext, configDir: string): OutputFormat {
  if (flags.json) return 'json'
  if (flags.output !== undefined) return parseOutputFormat(flags.output, '--output')
  if (env.DLV_OUTPUT !== undefined && env.DLV_OUTPUT !== '') return parseOutputFormat(env.DLV_OUTPUT, 'DLV_OUTPUT')
  const project = readProject({ cwd, configDir })
  return project?.output === undefined ? 'table' : parseOutputFormat(project.output, `"output" of ${project.file}`)
}

/** The output options of the flags. */
export function choicesOf(flags: GlobalFlags, format: OutputFormat): OutputChoices {
  const isJson = flags.jq !== undefined || format === 'json' || format === 'ndjson'
  if (flags.columns !== undefined && isJson)
    throw new UsageError('--columns is for tables and CSV, not for JSON.', { hint: 'Select fields with --jq.' })
  if (flags.jq !== undefined && (flags.output === 'csv' || flags.output === 'tsv'))
    throw new UsageError(`--jq prints JSON or text, not -o ${flags.output}.`, {
      hint: `End the expression with @${flags.output}, such as --jq '.[] | [.status] | @${flags.output}'.`,
    })
  return {
    format,
    header: !flags['no-header'],
    quiet: flags.quiet,
    raw: flags.raw,
    columns: flags.columns === undefined ? undefined : parseColumns(flags.columns),
  }
}

/** Starts jq for `--jq`. Loads nothing without that flag, or with `-q`, which prints ids. */
export async function jqOf(
  flags: GlobalFlags,
  context: ProcessContext,
  terminal: boolean,
  limits: () => { timeoutMs?: number },
  notices: Notices,
): Promise<Jq | undefined> {
  if (flags.jq === undefined || flags.quiet) return undefined
  const { Jq } = await import('../output/jq/jq.js')
  return new Jq(flags.jq, {
    // As for requests, 0 is no limit.
    timeoutMs: limits().timeoutMs || Number.POSITIVE_INFINITY,
    terminal,
    print: (text) => writeOut(context.stdout, text),
    remark: (text) => notices.notice(text),
    interruption: () => context.interruption,
  })
}
