import { newSecret } from '../secret.js'
import type { Probe, ProbeRequest } from './probe.js'
import { type ConformanceCase, mustAccept, mustReject } from './rules.js'

const accepted = (probe: Probe) => probe.event('delivery.accepted')

function withHeader(name: string, value: (signed: string) => string | undefined) {
  return (probe: Probe): ProbeRequest => ({
    ...accepted(probe),
    headers(signed) {
      const { [name]: original = '', ...others } = signed
      const changed = value(original)
      return changed === undefined ? others : { ...others, [name]: changed }
    },
  })
}

/** Forged requests, which must all be rejected. */
export const forgeries: ConformanceCase[] = [
  mustReject('wrong-secret', 'signature', 'signed with another secret', (probe) => ({
    ...accepted(probe),
    secrets: [newSecret()],
  })),
  mustReject('tampered-body', 'signature', 'a price changed after signing', (probe) => {
    const event = accepted(probe)
    return { ...event, sentBody: event.body.replace('"tipAmountCents":300', '"tipAmountCents":9300') }
  }),
  mustReject(
    'tampered-id',
    'signature',
    'webhook-id changed after signing',
    withHeader('webhook-id', (id) => `${id}x`),
  ),
  mustReject(
    'no-signature',
    'signature',
    'no webhook-signature',
    withHeader('webhook-signature', () => undefined),
  ),
  mustReject(
    'no-id',
    'signature',
    'no webhook-id',
    withHeader('webhook-id', () => undefined),
  ),
  mustReject(
    'no-timestamp',
    'signature',
    'no webhook-timestamp',
    withHeader('webhook-timestamp', () => undefined),
  ),
  mustReject(
    'empty-signature',
    'signature',
    'the signature "v1," without a value',
    withHeader('webhook-signature', () => 'v1,'),
  ),
  mustReject(
    'cut-signature',
    'signature',
    'a signature cut short',
    withHeader('webhook-signature', (good) => good.slice(0, 24)),
  ),
  mustReject(
    'unknown-scheme',
    'signature',
    'only a signature of version v2',
    withHeader('webhook-signature', (good) => good.replace('v1,', 'v2,')),
  ),
  mustReject(
    'changed-timestamp',
    'signature',
    'webhook-timestamp changed after signing',
    withHeader('webhook-timestamp', (at) => String(Number(at) + 1)),
  ),
]

/** A body of the same meaning in bytes that no JSON library prints: spaces, escapes, a trailing zero. */
function oddBytes(body: string): string {
  return body
    .replace('{', '{ ')
    .replace('"Ring twice."', '"Ring\\u0020twice \\u2013 caf\\u00e9."')
    .replace('"deliveryFeeCents":899', '"deliveryFeeCents" : 899.0')
    .concat('\n')
}

export const rawBodies: ConformanceCase[] = [
  mustAccept('odd-bytes', 'raw_body', 'a valid event whose bytes no JSON library would print', (probe) => {
    const event = accepted(probe)
    return { ...event, body: oddBytes(event.body) }
  }),
  mustReject('reserialised', 'raw_body', 'the same JSON in other bytes than were signed', (probe) => {
    const event = accepted(probe)
    return { ...event, sentBody: oddBytes(event.body) }
  }),
]

const signedAt = (offsetSeconds: number) => (probe: Probe) => ({
  ...accepted(probe),
  timestampSeconds: probe.nowSeconds() + offsetSeconds,
})

export const clocks: ConformanceCase[] = [
  mustReject('stale', 'tolerance', 'well signed, ten minutes ago', signedAt(-600)),
  mustReject('future', 'tolerance', 'well signed, ten minutes ahead', signedAt(600)),
  mustAccept('late', 'tolerance', 'well signed, four and a half minutes ago', signedAt(-270)),
  mustAccept('early', 'tolerance', 'well signed, four and a half minutes ahead', signedAt(270)),
]
