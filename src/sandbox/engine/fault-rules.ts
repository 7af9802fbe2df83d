import { newSecret, parseSecret, type SignatureHeaders, signatureHeaders } from '../../webhooks/index.js'
import { splitHooks } from '../core/webhook-faults.js'
import type { Engine } from './engine.js'
import type { FaultRules } from './fault-draws.js'

export function faultRulesOf(engine: Engine): FaultRules {
  return engine.store.settings.get<FaultRules>('faults') ?? { rules: [] }
}

/** The combined effect of the fault rules on one request. */
interface RequestFault {
  latencyMs: number
  force: string | undefined
}

/** Draws what happens to a request for an operation. */
export function requestFault(engine: Engine, operation: string): RequestFault {
  const fault: RequestFault = { latencyMs: 0, force: undefined }
  const { rules } = faultRulesOf(engine)
  for (const [index, rule] of rules.entries()) {
    if (rule.operation !== '*' && rule.operation !== operation) continue
    if (rule.latencyMs === undefined && rule.force === undefined) continue
    // What is forced by one rule is not used up by the next.
    if (fault.force !== undefined && rule.latencyMs === undefined) continue
    if (!engine.draws.applies(index, rule)) continue
    fault.latencyMs += engine.draws.latency(rule.latencyMs)
    fault.force ??= rule.force
  }
  return fault
}

/** Draws the webhook faults of an event. */
export function hooksFor(engine: Engine, eventType: string): string[] {
  const { rules } = faultRulesOf(engine)
  return rules.flatMap((rule, index) => {
    if (rule.hooks === undefined) return []
    if (rule.eventTypes !== undefined && !rule.eventTypes.includes(eventType)) return []
    return engine.draws.applies(index, rule) ? splitHooks(rule.hooks) : []
  })
}

const CLOCK_FAULT_SECONDS = 600

/** `3` of `drop_first=3`; `undefined` if the fault is not asked for. */
function numberOf(hooks: readonly string[], name: string): number | undefined {
  const hook = hooks.find((candidate) => candidate.startsWith(`${name}=`))
  const given = Number(hook?.slice(name.length + 1))
  return hook !== undefined && Number.isFinite(given) && given >= 0 ? given : undefined
}

/** The delay of the first attempt, in virtual milliseconds. */
export function delayOf(hooks: readonly string[]): number {
  return Math.round((numberOf(hooks, 'delay') ?? 0) * 1_000)
}

/** Number of first attempts that fail without being sent. */
export function droppedAttempts(hooks: readonly string[]): number {
  return numberOf(hooks, 'drop_first') ?? 0
}

export function isDuplicated(hooks: readonly string[]): boolean {
  return hooks.includes('duplicate')
}

/** Whether a weak one is wanted was asked when it was registered. */
const keyOf = (secret: string) => parseSecret(secret, { allowWeak: true })

/** The headers of one attempt, signed now, with the faults of the event worked in. */
export function attemptHeaders(
  event: { eventId: string; body: Uint8Array; hooks: readonly string[] },
  secrets: readonly string[],
  realNowMs: number,
): SignatureHeaders {
  const { hooks } = event
  const drift = hooks.includes('stale') ? -CLOCK_FAULT_SECONDS : hooks.includes('future') ? CLOCK_FAULT_SECONDS : 0
  const timestampSeconds = Math.floor(realNowMs / 1_000) + drift
  const used = hooks.includes('wrongsecret')
    ? [newSecret()]
    : hooks.includes('rotate')
      ? [newSecret(), ...secrets]
      : secrets
  const signed = signatureHeaders({ secrets: used.map(keyOf), id: event.eventId, timestampSeconds, body: event.body })
  let signature = signed['webhook-signature']
  if (hooks.includes('badsig'))
    signature = signature.replaceAll(/v1,(.)/g, (_, first) => `v1,${first === 'A' ? 'B' : 'A'}`)
  if (hooks.includes('unknownscheme'))
    signature = `v2,${Buffer.from('a scheme of tomorrow').toString('base64')} ${signature}`
  return { ...signed, 'webhook-signature': signature }
}
