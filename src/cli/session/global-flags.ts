import { Flags, type Interfaces } from '@oclif/core'
import { outputFormats } from '../output/format.js'

const helpGroup = 'global'

/** Flags of every command. */
export const globalFlags = {
  profile: Flags.string({
    char: 'P',
    summary: 'Profile (DLV_PROFILE); to read several: a,b or acme-*',
    helpGroup,
    helpValue: 'NAME',
  }),
  'all-profiles': Flags.boolean({ summary: 'All profiles, for what reads', helpGroup }),
  'base-url': Flags.string({
    summary: 'Base URL of the service (DLV_BASE_URL, with DLV_API_KEY)',
    helpGroup,
    helpValue: 'URL',
  }),
  output: Flags.string({
    char: 'o',
    summary: `Format: ${outputFormats.join(', ')} (DLV_OUTPUT)`,
    helpGroup,
    helpValue: 'FORMAT',
  }),
  json: Flags.boolean({ summary: 'Same as -o json', helpGroup }),
  jq: Flags.string({
    summary: 'Filter the JSON with jq; strings are printed raw',
    helpGroup,
    helpValue: 'EXPR',
  }),
  columns: Flags.string({ summary: 'Columns to show, such as deliveryId,driver.name', helpGroup, helpValue: 'NAMES' }),
  'no-header': Flags.boolean({ summary: 'Omit the header row', helpGroup }),
  quiet: Flags.boolean({ char: 'q', summary: 'Print only ids', helpGroup }),
  raw: Flags.boolean({ summary: 'Print CSV and TSV cells unchanged, with formulas', helpGroup }),
  verbose: Flags.boolean({ summary: 'Trace HTTP on stderr; private data is masked', helpGroup }),
  color: Flags.boolean({ summary: 'Force colour on or off', allowNo: true, helpGroup }),
  'no-pager': Flags.boolean({ summary: 'Print long results without a pager (DLV_PAGER)', helpGroup }),
  'no-input': Flags.boolean({ summary: 'Never prompt (DLV_NO_INPUT)', helpGroup }),
  timeout: Flags.string({
    summary: 'Limit for the whole command, such as 90s (DLV_TIMEOUT)',
    helpGroup,
    helpValue: 'DURATION',
  }),
  'attempt-timeout': Flags.string({ summary: 'Limit for one request (default 30s)', helpGroup, helpValue: 'DURATION' }),
}

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>
