import { newSecret, parseSecret, type SignatureHeaders, signatureHeaders } from '../../webhooks/index.js'

const clockFaultSeconds = 600

/** Whether a weak one is wanted was asked when it was registered. */
const keyOf = (secret: string) => parseSecret(secret, { allowWeak: true })

/** The headers of one attempt, signed now, with the faults of the event worked in. */
export function attemptHeaders(
  event: { eventId: string; body: Uint8Array; hooks: readonly string[] },
  secrets: readonly string[],
  realNowMs: number,
): SignatureHeaders {
  const { hooks } = event
  const drift = hooks.includes('stale') ? -clockFaultSeconds : hooks.includes('future') ? clockFaultSeconds : 0
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
