import { newSecret, signatureHeaders, type VerifyInput, verify } from '../../../src/webhooks/index.js'

interface MutationReport {
  tried: number
  /** Mutations that left the request as it was, which must of course be accepted. */
  unchanged: number
  /** Changed requests that were accepted; as text, to be read. */
  accepted: string[]
}

const nowSeconds = 1_772_463_600
const secret = newSecret()
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
/** What attackers and broken proxies put into headers. */
const fragments = [
  'v1,',
  'v1a,',
  'v2,',
  ' ',
  '  ',
  ', ',
  '\t',
  '=',
  '==',
  '.',
  '-',
  '+',
  '0',
  '00',
  'e5',
  '\u0000',
  '\u0141',
  '\ud800',
  'NaN',
  '%20',
  '"',
  '\r\n',
]

/**
 * Changes good requests at random, by bytes, fragments, swaps and losses, and verifies each. What comes out must be
 * refused unless it is the same request: the same three parts, and a good signature still among the entries.
 *
 * @param random between 0 and 1
 */
export function mutate(count: number, random: () => number): MutationReport {
  const pick = <Element>(list: readonly Element[]): Element => list[Math.floor(random() * list.length)] as Element
  const report: MutationReport = { tried: 0, unchanged: 0, accepted: [] }
  const requests = Array.from({ length: 16 }, (_, index) => validRequest(`evt_${index}`, '🛵 {"a": 1}'.repeat(index)))
  for (; report.tried < count; report.tried++) {
    const good = pick(requests)
    const headers = { ...good.headers }
    let body = good.body
    for (let changes = Math.floor(random() * 3); changes >= 0; changes--) {
      if (random() < 0.2) body = mutateBytes(body, random)
      else {
        const name = pick(names)
        headers[name] = random() < 0.03 ? headers[pick(names)] : mutateText(headers[name], random, pick)
      }
    }
    const input: VerifyInput = { secrets: [secret], headers: shaped(headers, random), body, nowSeconds }
    const verdict = verify(input)
    if (isSame(good, headers, body)) report.unchanged++
    else if (verdict.ok) report.accepted.push(JSON.stringify({ headers, body: Buffer.from(body).toString('base64') }))
  }
  return report
}

interface GoodRequest {
  headers: Record<(typeof names)[number], string>
  body: Buffer
}

function validRequest(id: string, text: string): GoodRequest {
  const body = Buffer.from(text)
  return { headers: signatureHeaders({ secrets: [secret], id, timestampSeconds: nowSeconds, body }), body }
}

/** Whether the parts that are signed are what they were, and the good signature is still one of the entries. */
function isSame(good: GoodRequest, headers: GoodRequest['headers'], body: Buffer): boolean {
  const sameParts =
    headers['webhook-id'] === good.headers['webhook-id'] &&
    headers['webhook-timestamp'] === good.headers['webhook-timestamp']
  return (
    sameParts &&
    good.body.equals(body) &&
    headers['webhook-signature'].split(' ').includes(good.headers['webhook-signature'])
  )
}

function shaped(headers: GoodRequest['headers'], random: () => number): VerifyInput['headers'] {
  return random() < 0.5 ? headers : Object.entries(headers).flat()
}

function mutateText(text: string, random: () => number, pick: <Element>(list: readonly Element[]) => Element): string {
  const at = Math.floor(random() * (text.length + 1))
  const kind = random()
  if (kind < 0.3) return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x180)) + text.slice(at + 1)
  if (kind < 0.5) return text.slice(0, at) + pick(fragments) + text.slice(at)
  if (kind < 0.65) return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 4))
  if (kind < 0.75) return text.slice(0, at)
  if (kind < 0.85) return swapCase(text, at)
  if (kind < 0.95) return `${text}${pick(fragments)}${text}`
  return ''
}

function swapCase(text: string, at: number): string {
  const letter = text[at] ?? ''
  return (
    text.slice(0, at) +
    (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) +
    text.slice(at + 1)
  )
}

function mutateBytes(body: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * (body.length + 1))
  const changed = Buffer.from(body)
  if (random() < 0.5 && at < body.length) {
    changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    return changed
  }
  if (random() < 0.5) return changed.subarray(0, at)
  return Buffer.concat([changed.subarray(0, at), Buffer.of(Math.floor(random() * 256)), changed.subarray(at)])
}
