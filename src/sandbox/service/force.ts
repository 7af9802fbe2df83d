import { isKnownErrorCode } from '../../contract/index.js'
import { parseForce } from '../core/force-header.js'
import { refusalOf } from '../core/forced-refusals.js'
import type { Refusal } from '../core/refusal.js'
import { type Answer, type HttpExchange, rawJsonAnswer } from '../http/exchange.js'
import type { Force } from '../model.js'

/** Maximum number of different requests that are counted. */
const MAX_COUNTED = 10_000

/** Counts the forced requests with the same method, path and key. */
export class ForceCounter {
  private readonly counts = new Map<string, number>()

  /** Counts a request; `false` if `times` were counted already. */
  take(what: string, times: number): boolean {
    const used = this.counts.get(what) ?? 0
    if (used >= times) return false
    if (this.counts.size >= MAX_COUNTED) this.counts.clear()
    this.counts.set(what, used + 1)
    return true
  }
}

/** The behaviour to force on a request: from its own header, else from a rule of the sandbox. */
export function forceOf(exchange: HttpExchange, rule: string | undefined, counter: ForceCounter): Force | undefined {
  const text = exchange.header('x-sandbox-force') ?? rule
  if (text === undefined) return undefined
  const force = parseForce(text)
  if (force?.times === undefined) return force
  const caller = `${exchange.header('authorization')} ${exchange.header('idempotency-key')}`
  return counter.take(`${exchange.method} ${exchange.path} ${caller} ${text}`, force.times) ? force : undefined
}

/** The refusal that is forced, if one is. */
export function forcedRefusal(force: Force | undefined): Refusal | undefined {
  if (force?.kind !== 'error' || !isKnownErrorCode(force.token)) return undefined
  return refusalOf(force.token, { status: force.status, retryAfterSeconds: force.retryAfterSeconds })
}

/** The response of a transport fault that prevents the request from being executed. */
export function faultBefore(force: Force | undefined): Answer | undefined {
  if (force?.kind !== 'fault') return undefined
  if (force.token === 'HANG' || force.token === 'RESET') {
    return { ...rawJsonAnswer(500, ''), transport: force.token }
  }
  if (force.token !== 'GARBAGE') return undefined
  const body = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n'
  return { status: 502, headers: { 'Content-Type': 'text/html' }, body }
}

/** The response to an executed request, damaged by a transport fault if one is forced. */
export function faultAfter(force: Force | undefined, answer: Answer): Answer {
  if (force?.kind !== 'fault') return answer
  if (force.token === 'TIMEOUT_AFTER_COMMIT') return { ...answer, transport: 'RESET' }
  return force.token === 'TRUNCATE' ? { ...answer, transport: 'TRUNCATE' } : answer
}
