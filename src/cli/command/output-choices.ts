import { UsageError } from '../../contract/index.js'
import { readProjectFile } from '../../profiles/index.js'
import { parseColumns } from '../output/columns.js'
import { type OutputFormat, parseOutputFormat } from '../output/format.js'
import type { OutputChoices } from '../output/output.js'
import type { ProcessContext } from '../process/context.js'
import type { GlobalFlags } from './global-flags.js'

/** The output format: from the flag, `DLV_OUTPUT` or the project file. Throws `UsageError` for an unknown one. */
export function formatOf(flags: GlobalFlags, { env, cwd }: ProcessContext): OutputFormat {
  if (flags.json) return 'json'
  if (flags.output !== undefined) return parseOutputFormat(flags.output, '--output')
  if (env.DLV_OUTPUT !== undefined && env.DLV_OUTPUT !== '') return parseOutputFormat(env.DLV_OUTPUT, 'DLV_OUTPUT')
  const project = readProjectFile(cwd)
  return project?.output === undefined ? 'table' : parseOutputFormat(project.output, `"output" of ${project.file}`)
}

/** The output options of the flags. */
export function choicesOf(flags: GlobalFlags, format: OutputFormat): OutputChoices {
  const isJson = flags.jq !== undefined || format === 'json' || format === 'ndjson'
  if (flags.columns !== undefined && isJson)
    throw new UsageError('--columns is for tables and CSV, not for JSON.', { hint: 'Select fields with --jq.' })
  return {
    format,
    header: !flags['no-header'],
    quiet: flags.quiet,
    raw: flags.raw,
    ...(flags.jq === undefined ? {} : { jq: flags.jq }),
    ...(flags.columns === undefined ? {} : { columns: parseColumns(flags.columns) }),
  }
}
