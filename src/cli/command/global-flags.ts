import { Flags, type Interfaces } from '@oclif/core'
import { outputFormats } from '../output/format.js'

const helpGroup = 'global'

/** Flags of every command. */
export const globalFlags = {
  profile: Flags.string({ char: 'P', summary: 'Profile to use (DLV_PROFILE)', helpGroup, helpValue: 'NAME' }),
  'base-url': Flags.string({
    summary: 'Base address of the service (DLV_BASE_URL, with DLV_API_KEY)',
    helpGroup,
    helpValue: 'URL',
  }),
  output: Flags.string({
    char: 'o',
    summary: `Form of the result: ${outputFormats.join(', ')} (DLV_OUTPUT)`,
    helpGroup,
    helpValue: 'FORMAT',
  }),
  json: Flags.boolean({ summary: 'The same as -o json', helpGroup }),
  jq: Flags.string({
    summary: 'Select from the JSON by a jq expression; texts come bare',
    helpGroup,
    helpValue: 'EXPR',
  }),
  columns: Flags.string({ summary: 'Columns by their wire names: a,b.c', helpGroup, helpValue: 'NAMES' }),
  'no-header': Flags.boolean({ summary: 'Leave out the line of column names', helpGroup }),
  quiet: Flags.boolean({ char: 'q', summary: 'Print ids alone', helpGroup }),
  raw: Flags.boolean({ summary: 'CSV cells as they came, formulas included', helpGroup }),
  verbose: Flags.boolean({ summary: 'Trace HTTP on stderr, secrets redacted', helpGroup }),
  color: Flags.boolean({ summary: 'Colour, whatever the terminal says', allowNo: true, helpGroup }),
  'no-input': Flags.boolean({ summary: 'Never ask (DLV_NO_INPUT)', helpGroup }),
  timeout: Flags.string({
    summary: 'Limit of the whole command, retries included: 90s, 5m (DLV_TIMEOUT)',
    helpGroup,
    helpValue: 'SPAN',
  }),
  'attempt-timeout': Flags.string({ summary: 'Limit of one request (default 30s)', helpGroup, helpValue: 'SPAN' }),
}

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>
