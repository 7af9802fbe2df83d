import { newSecret } from '../secret.js'
import { type ExaminationCase, mustAccept, mustRefuse } from './conformance-case.js'
import type { Examiner, Sending } from './exchange.js'

const accepted = (examiner: Examiner) => examiner.event('delivery.accepted')

function withHeader(name: string, value: (signed: string) => string | undefined) {
  return (examiner: Examiner): Sending => ({
    ...accepted(examiner),
    headers(signed) {
      const { [name]: original = '', ...others } = signed
      const changed = value(original)
      return changed === undefined ? others : { ...others, [name]: changed }
    },
  })
}

/** Requests that nobody with the secret has signed in this form: all must be refused. */
export const forgeries: ExaminationCase[] = [
  mustRefuse('wrong-secret', 'signature', 'signed with another secret', (examiner) => ({
    ...accepted(examiner),
    secrets: [newSecret()],
  })),
  mustRefuse('tampered-body', 'signature', 'a price changed after signing', (examiner) => {
    const event = accepted(examiner)
    return { ...event, sentBody: event.body.replace('"tipAmountCents":300', '"tipAmountCents":9300') }
  }),
  mustRefuse(
    'tampered-id',
    'signature',
    'webhook-id changed after signing',
    withHeader('webhook-id', (id) => `${id}x`),
  ),
  mustRefuse(
    'no-signature',
    'signature',
    'no webhook-signature',
    withHeader('webhook-signature', () => undefined),
  ),
  mustRefuse(
    'no-id',
    'signature',
    'no webhook-id',
    withHeader('webhook-id', () => undefined),
  ),
  mustRefuse(
    'no-timestamp',
    'signature',
    'no webhook-timestamp',
    withHeader('webhook-timestamp', () => undefined),
  ),
  mustRefuse(
    'empty-signature',
    'signature',
    'the signature "v1," and nothing',
    withHeader('webhook-signature', () => 'v1,'),
  ),
  mustRefuse(
    'cut-signature',
    'signature',
    'a signature cut short',
    withHeader('webhook-signature', (good) => good.slice(0, 24)),
  ),
  mustRefuse(
    'unknown-scheme',
    'signature',
    'a signature of version v2 alone',
    withHeader('webhook-signature', (good) => good.replace('v1,', 'v2,')),
  ),
  mustRefuse(
    'changed-timestamp',
    'signature',
    'webhook-timestamp changed after signing',
    withHeader('webhook-timestamp', (at) => String(Number(at) + 1)),
  ),
]

/** A body of the same meaning in bytes that no JSON library prints: spaces, escapes, a number with a zero behind. */
function oddBytes(body: string): string {
  return body
    .replace('{', '{ ')
    .replace('"Ring twice."', '"Ring\\u0020twice \\u2013 caf\\u00e9."')
    .replace('"deliveryFeeCents":899', '"deliveryFeeCents" : 899.0')
    .concat('\n')
}

export const rawBodies: ExaminationCase[] = [
  mustAccept('odd-bytes', 'raw_body', 'a good event whose bytes no JSON library would print', (examiner) => {
    const event = accepted(examiner)
    return { ...event, body: oddBytes(event.body) }
  }),
  mustRefuse('reserialised', 'raw_body', 'the same JSON in other bytes than were signed', (examiner) => {
    const event = accepted(examiner)
    return { ...event, sentBody: oddBytes(event.body) }
  }),
]

const signedAt = (offsetSeconds: number) => (examiner: Examiner) => ({
  ...accepted(examiner),
  timestampSeconds: examiner.nowSeconds() + offsetSeconds,
})

export const clocks: ExaminationCase[] = [
  mustRefuse('stale', 'tolerance', 'well signed, ten minutes ago', signedAt(-600)),
  mustRefuse('future', 'tolerance', 'well signed, ten minutes ahead', signedAt(600)),
  mustAccept('late', 'tolerance', 'well signed, four and a half minutes ago', signedAt(-270)),
  mustAccept('early', 'tolerance', 'well signed, four and a half minutes ahead', signedAt(270)),
]
