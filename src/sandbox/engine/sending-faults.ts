import { newSecret, parseSecret, type SignatureHeaders, signatureHeaders } from '../../webhooks/index.js'

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
