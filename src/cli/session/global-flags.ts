import { Flags, type Interfaces } from '@oclif/core'
import { ConnectionError } from '../../contract/index.js'
import { parseDurationMs } from '../input/times.js'
import { outputFormats } from '../output/format.js'
import type { ProcessContext } from '../process/context.js'

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

/** The error of a command that `--timeout` ends between its calls, or while it reads a list. */
export function commandTimedOut(timeoutMs: number): ConnectionError {
  const message = `The command was not done within the ${timeoutMs / 1_000} s of --timeout`
  return new ConnectionError(message, { reason: 'timeout', hint: 'Allow more time, or ask for less.' })
}

/**
 * Starts the limit of a command. The result tells the milliseconds that are left for its next call, and throws if none
 * are. The time in which the user is asked something does not count.
 */
export function startTimeLimit(timeoutMs: number, context: Pick<ProcessContext, 'askedMs'>): () => number {
  const now = () => performance.now() - (context.askedMs ?? 0)
  const startedMs = now()
  return () => {
    const leftMs = timeoutMs - (now() - startedMs)
    if (leftMs <= 0) throw commandTimedOut(timeoutMs)
    return leftMs
  }
}

/** The limits of a command and of one request, in milliseconds. */
export interface TimeLimits {
  timeoutMs?: number
  attemptTimeoutMs?: number
}

/** The time limits of the command and of one request, from the flags or `DLV_TIMEOUT`. */
export function timeLimitsOf(
  { timeout, 'attempt-timeout': attemptTimeout }: Pick<GlobalFlags, 'timeout' | 'attempt-timeout'>,
  env: NodeJS.ProcessEnv,
): TimeLimits {
  const variable = env.DLV_TIMEOUT
  const limits: TimeLimits = {}
  if (timeout !== undefined) limits.timeoutMs = parseDurationMs(timeout, '--timeout')
  else if (variable !== undefined && variable !== '') limits.timeoutMs = parseDurationMs(variable, 'DLV_TIMEOUT')
  if (attemptTimeout !== undefined) limits.attemptTimeoutMs = parseDurationMs(attemptTimeout, '--attempt-timeout')
  return limits
}
