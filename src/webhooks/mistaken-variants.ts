import { createHmac } from 'node:crypto'
import { tryParseJson } from '../shared/json.js'
import { fromPrintedBytes } from './printed-bytes.js'
import { parseSecret } from './secret.js'
import type { Mistake } from './verdict.js'
import { defaultMaxBodyBytes } from './verify.js'
import { fromBase64, fromJsonString, fromUtf16, requestsHeldIn } from './wrapped-body.js'

/** What `mistakenSignatures` signs. */
interface SignedText {
  secret: string
  id: string
  timestamp: string
  body: string | Uint8Array
}

/** The signatures that the usual mistakes make of a webhook, each once, without the right one. */
export function mistakenSignatures({ secret, id, timestamp, body }: SignedText): Map<string, Mistake> {
  const { key } = parseSecret(secret, { allowWeak: true })
  const parts = `${id}.${timestamp}.`
  const bytes = Buffer.from(body)
  const sign = (variant: { key?: Uint8Array; parts?: string; body?: Uint8Array }) =>
    createHmac('sha256', variant.key ?? key)
      .update(variant.parts ?? parts)
      .update(variant.body ?? bytes)
      .digest()
  const signatures = new Map<string, Mistake>()
  const variants = [...keyVariants(secret), ...bodyVariants(bytes), ...partsVariants(id, timestamp)]
  for (const variant of variants) {
    const signature = `v1,${sign(variant).toString('base64')}`
    if (!signatures.has(signature)) signatures.set(signature, variant.mistake)
  }
  const right = sign({})
  signatures.delete(`v1,${right.toString('base64')}`)
  for (const entry of [`v1,${right.toString('hex')}`, right.toString('hex')]) signatures.set(entry, 'signature_in_hex')
  return signatures
    .set(`v1,${right.toString('base64url')}`, 'signature_in_base64url')
    .set(right.toString('base64'), 'signature_without_version')
}

/** The keys that come out when a secret is not read as the scheme wants. */
export function keyVariants(secret: string): { mistake: Mistake; key: Uint8Array }[] {
  const text = secret.trim()
  const encoded = text.replace(/^whsec_/, '')
  const whole = `whsec_${encoded}`
  return [
    { mistake: 'secret_not_decoded', key: Buffer.from(encoded) },
    { mistake: 'secret_prefix_kept', key: Buffer.from(whole) },
    // What lenient decoders make of the prefix: the underscore skipped, or read as base64url.
    { mistake: 'secret_prefix_kept', key: Buffer.from(whole, 'base64') },
    { mistake: 'secret_prefix_kept', key: Buffer.from(whole.replace('_', ''), 'base64') },
    ...[`v1,${whole}`, `v1,${encoded}`].flatMap((marked): { mistake: Mistake; key: Uint8Array }[] => [
      { mistake: 'secret_with_version', key: Buffer.from(marked) },
      { mistake: 'secret_with_version', key: Buffer.from(marked, 'base64') },
    ]),
  ]
}

/** The texts in front of the body when id and timestamp are not as the scheme wants; both end with their dot. */
export function partsVariants(id: string, timestamp: string): { mistake: Mistake; parts: string }[] {
  const inMs = /^\d{13}$/.test(timestamp)
  return [
    ...(inMs ? [{ mistake: 'timestamp_in_ms' as const, parts: `${id}.${timestamp}.` }] : []),
    ...(inMs ? [{ mistake: 'timestamp_in_ms' as const, parts: `${id}.${timestamp.slice(0, -3)}.` }] : []),
    { mistake: 'timestamp_in_ms', parts: `${id}.${timestamp}000.` },
    { mistake: 'id_and_timestamp_swapped', parts: `${timestamp}.${id}.` },
    { mistake: 'parts_missing', parts: '' },
    { mistake: 'parts_missing', parts: `${id}.` },
    { mistake: 'parts_missing', parts: `${timestamp}.` },
    { mistake: 'parts_missing', parts: `${id}${timestamp}` },
  ]
}

/**
 * The bodies that usual software makes of a body on its way; none of one that is larger than the service sends, where two dozen
 * copies and their HMACs take a while.
 */
export function bodyVariants(body: Uint8Array): { mistake: Mistake; body: Uint8Array }[] {
  if (body.byteLength > defaultMaxBodyBytes) return []
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const text = bytes.toString('latin1')
  const variant = (mistake: Mistake, changed: string) => ({ mistake, body: Buffer.from(changed, 'latin1') })
  const mark = '\u00ef\u00bb\u00bf'
  const atItsEnd = (mistake: Mistake, whole: string) => [
    variant(mistake, `${whole}\n`),
    variant(mistake, `${whole}\r\n`),
    variant(mistake, whole.replace(/\r?\n$/, '')),
  ]
  // A newline that was added to JSON does not make other JSON of it: what explains less comes first.
  return [
    ...atItsEnd('body_newline', text),
    ...(text.includes('\n') ? [text.replaceAll('\r\n', '\n'), text.replace(/\r?\n/g, '\r\n')] : []).flatMap(
      (changed) => [variant('body_line_ends', changed), ...atItsEnd('body_line_ends', changed)],
    ),
    variant('body_mark', text.startsWith(mark) ? text.slice(mark.length) : mark + text),
    ...reserialised(bytes).map((written) => ({ mistake: 'body_reserialised' as const, body: Buffer.from(written) })),
    // Bytes that are no UTF-8 become U+FFFD in any program that decodes before it verifies.
    { mistake: 'body_reserialised', body: Buffer.from(bytes.toString()) },
    ...recoded(bytes, text).map((written) => ({ mistake: 'body_recoded' as const, body: written })),
    ...wrapped(bytes, text),
  ]
}

/** The body out of what it was put into, and what a receiver has that was not told of it. */
function wrapped(bytes: Buffer, latin1: string): { mistake: Mistake; body: Uint8Array }[] {
  const utf8 = bytes.toString()
  const variants = (mistake: Mistake, texts: readonly string[]) =>
    texts.map((text) => ({ mistake, body: Buffer.from(text) }))
  const inner = requestsHeldIn(tryParseJson(utf8)?.value).flatMap(({ body }) => body ?? [])
  const utf16 = fromUtf16(bytes) ?? ''
  return [
    ...fromBase64(latin1).map((text) => ({ mistake: 'body_in_base64' as const, body: Buffer.from(text, 'latin1') })),
    ...variants('body_in_base64', [bytes.toString('base64')]),
    ...variants('body_in_json_string', [...fromJsonString(utf8), JSON.stringify(utf8)]),
    ...fromPrintedBytes(utf8).map((body) => ({ mistake: 'body_as_bytes' as const, body })),
    ...(utf16 === '' ? [] : variants('body_in_utf16', [utf16, utf16.replace(/\r?\n$/, '')])),
    ...inner.map((body) => ({ mistake: 'body_in_event' as const, body })),
  ]
}

/** The same text through Latin-1, Windows-1252 and ASCII; what they lack becomes a question mark or U+FFFD. */
function recoded(bytes: Buffer, latin1: string): Buffer[] {
  if (!/[\u0080-\u00ff]/.test(latin1)) return []
  const utf8 = bytes.toString()
  return [
    Buffer.from(latin1),
    Buffer.from(utf8.replace(/[^\0-\u00ff]/gu, '?'), 'latin1'),
    Buffer.from(windows1252.decode(bytes)),
    Buffer.from(
      utf8.replace(/[^\0-\u00ff]/gu, (character) => windowsBytes.get(character) ?? '?'),
      'latin1',
    ),
    Buffer.from(latin1.replace(/[\u0080-\u00ff]/g, '\ufffd')),
    Buffer.from(utf8.replace(/[^\0-\u007f]/gu, '?')),
  ]
}

const windows1252 = new TextDecoder('windows-1252')
/** Windows-1252 differs from Latin-1 in these 32 bytes. */
const windowsBytes = new Map(
  Array.from({ length: 32 }, (_, index) => 0x80 + index).map((byte) => [
    windows1252.decode(Buffer.of(byte)),
    String.fromCharCode(byte),
  ]),
)

/** The same JSON as usual libraries print it: compact, indented, spaced as in Python, non-ASCII escaped, sorted. */
function reserialised(bytes: Buffer): string[] {
  const json = tryParseJson(bytes.toString().replace(/^\ufeff/, ''))
  // A body that is not JSON, or nested too deep to be read, was not serialised again by anyone.
  if (json === undefined) return []
  const { value } = json
  const compact = JSON.stringify(value)
  const spaced = spacedJson(value)
  const sorted = sortKeys(value)
  // Most of them are the same text, as long as a body has no slashes and is ASCII.
  return [
    ...new Set([
      compact,
      JSON.stringify(value, null, 2),
      JSON.stringify(value, null, 4),
      spaced,
      escapeNonAscii(compact),
      escapeNonAscii(spaced),
      compact.replaceAll('/', '\\/'),
      JSON.stringify(sorted),
      spacedJson(sorted),
    ]),
  ]
}

function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spacedJson(member)}`)
  return `{${members.join(', ')}}`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  // A null prototype keeps a key named __proto__ a key.
  const sorted: Record<string, unknown> = Object.create(null)
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    sorted[name] = sortKeys(member)
  return sorted
}

function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
