import { errorStatuses, isKnownErrorCode, noQuoteReasons } from '../../contract/index.js'
import type { Force } from '../model.js'
import { forceHeader, futureNoQuoteReason, legacyNoQuoteReason } from './magic-tables.js'
import { isOutcome } from './outcomes.js'
import { Refusal } from './refusal.js'

/** Faults of transport that the header can ask for. */
export const transportFaults = {
  HANG: 'no answer at all, until the client gives up',
  RESET: 'the connection is dropped before the request is executed',
  GARBAGE: 'a 502 whose body is not JSON',
  TRUNCATE: 'the answer breaks off in the middle of its body',
  TIMEOUT_AFTER_COMMIT: 'the request is executed, then the connection is dropped',
} as const

const noQuoteTokens: readonly string[] = [...noQuoteReasons, legacyNoQuoteReason, futureNoQuoteReason]

/** If a word is both a reason for no quote and an outcome, the quote's own reasons are written in capitals. */
function forceKindOf(token: string): Force['kind'] | undefined {
  if (isKnownErrorCode(token)) return 'error'
  if (Object.hasOwn(transportFaults, token)) return 'fault'
  if (isOutcome(token)) return 'outcome'
  return noQuoteTokens.includes(token) ? 'noQuoteReason' : undefined
}

const parameterNames = {
  times: 'times',
  retry_after: 'retryAfterSeconds',
  delay_ms: 'delayMs',
  status: 'status',
} as const

/**
 * Reads `X-Sandbox-Force: <token>[; times=N][; retry_after=S][; delay_ms=M][; status=400|422]`. Throws
 * `VALIDATION_ERROR` 400 for what it does not understand: a test that forces nothing must not look as if it did.
 */
export function parseForce(header: string, refuse: (message: string) => Refusal = misread): Force {
  const [token = '', ...parameters] = header.split(';').map((part) => part.trim())
  const kind = forceKindOf(token)
  if (kind === undefined) throw refuse(`"${token}" is not an error code, a reason, an outcome or a fault`)
  const force: Force = { kind, token }
  for (const parameter of parameters.filter((text) => text !== '')) {
    const [, name = '', digits = ''] = /^(\w+)\s*=\s*(\d{1,9})$/.exec(parameter) ?? []
    if (!isParameterName(name)) throw refuse(`"${parameter}" is not a parameter such as times=2`)
    force[parameterNames[name]] = Number(digits)
  }
  if (force.status !== undefined && !comesWith(token, force.status))
    throw refuse(`${token} does not come with status ${force.status}`)
  return force
}

function isParameterName(name: string): name is keyof typeof parameterNames {
  return Object.hasOwn(parameterNames, name)
}

function comesWith(token: string, status: number): boolean {
  return isKnownErrorCode(token) && (errorStatuses[token] as readonly number[]).includes(status)
}

function misread(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The header ${forceHeader} cannot be read: ${message}.`, {
    fieldErrors: [{ field: `header.${forceHeader}`, code: 'INVALID_FORMAT', message }],
  })
}
