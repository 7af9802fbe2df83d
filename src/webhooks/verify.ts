import { isWebhookEvent, webhookToleranceSeconds } from '../contract/index.js'
import { envelopeIssues } from '../contract/internal.js'
import { isBytes } from '../shared/byte-codes.js'
import { isSameSecretly } from '../shared/crypto.js'
import { isRecord, type JsonReading, readJsonText } from '../shared/json.js'
import { type HeaderLines, type HeaderSource, headerLines } from './header-lines.js'
import type { ParsedSecret } from './secret.js'
import { digest } from './signature.js'
import { TriedFirst, type UsableSecret } from './tried-first.js'
import { type Acceptance, type Rejection, unreadableContents, type Verdict, type VerdictReason } from './verdict.js'

/** Limits on the work that a hostile request can cause. */
const idMaxLength = 256
const signatureHeaderMaxBytes = 4_096
const signaturesMax = 32

/** The default limit for a body: 1 MiB. */
export const defaultMaxBodyBytes = 1_048_576

/** The request to verify, and the secrets. */
export interface VerifyInput {
  /**
   * The active secret, or several: during a rotation both the new one and the old one, or one for each account. Of a list
   * that is passed again, the one that verified the last webhook of the same delivery or source is tried first.
   */
  secrets: string | ParsedSecret | readonly (string | ParsedSecret)[]
  /** The headers of the request. */
  headers: HeaderSource
  /** The body's bytes as they arrived: neither decoded nor parsed. */
  body: Uint8Array
  /** Where it came from, such as the sender's address and the path. It only decides which secret is tried first. */
  source?: string
  /** The receiver's time as Unix time. Default: the system's. */
  nowSeconds?: number
  /** Maximum difference between the signature's time and the receiver's, in either direction. Default 300. */
  toleranceSeconds?: number
  /** Maximum size of the body. Default 1 MiB. */
  maxBodyBytes?: number
}

/**
 * Decides whether a request is a webhook signed with one of the secrets. It never throws: any request gets a verdict.
 * Signatures are compared in constant time over the raw bytes; nothing is parsed before one has matched.
 */
export function verify(input: VerifyInput): Verdict {
  if (!isBytes(input.body)) {
    const given = typeof input.body === 'string' ? 'a string' : 'not bytes'
    return rejected(
      'body_not_raw',
      `the body is ${given}; expected a Uint8Array`,
      'Pass the bytes that arrived, before anything decodes or parses them, such as new Uint8Array(await request.arrayBuffer()).',
    )
  }
  const lines = headerLines(input.headers)
  if (isEncoded(lines.get('content-encoding'))) {
    return rejected('content_encoding', 'the body is compressed, and signatures are made over the plain bytes')
  }
  const maxBodyBytes = input.maxBodyBytes ?? defaultMaxBodyBytes
  if (input.body.length > maxBodyBytes) {
    return rejected('body_too_large', `the body has ${input.body.length} bytes; at most ${maxBodyBytes} are taken`)
  }
  if (lines.size === 0 && Array.isArray(input.headers) && input.headers.length === 0)
    return rejected('missing_header', 'the list of headers is empty', emptyHeadersHint)
  const signed = readSignedHeaders(lines)
  if ('ok' in signed) return signed
  const given = Array.isArray(input.secrets) ? (input.secrets as readonly (string | ParsedSecret)[]) : undefined
  const order = new TriedFirst(given, input.body, input.source)
  const { usable: secrets, fault } = order.secrets(given ?? [input.secrets as string])
  if (secrets.length === 0) {
    const why = fault === undefined ? '' : `: ${fault.why}`
    const hint = fault?.hint ?? 'Give the whsec_… of this receiver.'
    return rejected('no_usable_secret', `there is no secret to verify with${why}`, hint)
  }
  const match = findMatch(secrets, signed, input.body, order)
  const timestampSeconds = Number(signed.timestamp)
  const nowSeconds = Math.floor(input.nowSeconds ?? Date.now() / 1000)
  const skewSeconds = timestampSeconds - nowSeconds
  if (match === undefined) {
    const secretsTried = secrets.length === 1 ? 'the secret' : `any of the ${secrets.length} secrets`
    const message = `no signature fits ${secretsTried}, the id, the timestamp and the body`
    return rejected('no_matching_signature', message, unmatchedHint)
  }
  const late = rejectSkew(skewSeconds, input.toleranceSeconds ?? webhookToleranceSeconds)
  if (late !== undefined) return late
  return readBody(input.body, {
    ok: true,
    id: signed.id,
    timestampSeconds,
    secretIndex: match.index,
    skewSeconds,
    content: 'empty',
    warnings: [...match.secret.warnings],
  })
}

const unmatchedHint =
  'Is the secret the one of this endpoint? Otherwise something changed the body or a header on the way: explainFailure of dlv-cli/webhooks, in Node, looks for the mistake.'

const emptyHeadersHint = 'Some platforms leave request.rawHeaders empty: pass the request itself, or request.headers.'

interface SignedHeaders {
  id: string
  timestamp: string
  /** The entries of the signature header, whatever their version. */
  signatures: string[]
}

const signedNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

function readSignedHeaders(lines: HeaderLines): SignedHeaders | Rejection {
  for (const name of signedNames) {
    const values = lines.get(name)
    if (values === undefined) return { ...missing(name, lines), header: name }
    if (values.length > 1) {
      return { ...rejected('duplicate_header', `the header ${name} came ${values.length} times`), header: name }
    }
  }
  const only = (name: (typeof signedNames)[number]) => lines.get(name)?.[0] ?? ''
  const [id, timestamp, signature] = [only('webhook-id'), only('webhook-timestamp'), only('webhook-signature')]
  const signatures = signatureEntries(signature)
  const malformed = malformedId(id) ?? malformedTimestamp(timestamp) ?? malformedSignature(signature, signatures)
  return malformed ?? { id, timestamp, signatures }
}

function missing(name: string, lines: HeaderLines): Rejection {
  const foreign = name.replace('webhook-', 'svix-')
  const hint = lines.has(foreign)
    ? `The request has ${foreign} instead: it was signed by another product, or renamed on the way.`
    : 'Does a proxy drop headers, or is this not a webhook?'
  return rejected('missing_header', `the header ${name} is missing`, hint)
}

function malformedId(id: string): Rejection | undefined {
  const why =
    id === ''
      ? 'is empty'
      : id.length > idMaxLength
        ? `has ${id.length} characters; at most ${idMaxLength} are taken`
        : id.includes('.')
          ? 'has a dot, which separates the signed parts'
          : /^[\x20-\x7e]+$/.test(id)
            ? undefined
            : 'has characters that no id has'
  return why === undefined
    ? undefined
    : { ...rejected('malformed_id', `the header webhook-id ${why}`), header: 'webhook-id' }
}

function malformedTimestamp(timestamp: string): Rejection | undefined {
  // Eleven digits of seconds last until the year 5138; thirteen are milliseconds.
  if (/^(?:0|[1-9]\d{0,10})$/.test(timestamp)) return undefined
  const hint = /^\d{13}$/.test(timestamp) ? 'It looks like milliseconds; the scheme wants whole seconds.' : undefined
  const message = 'the header webhook-timestamp is not a Unix time in whole seconds'
  return { ...rejected('malformed_timestamp', message, hint), header: 'webhook-timestamp' }
}

function malformedSignature(signature: string, tokens: readonly string[]): Rejection | undefined {
  const why =
    signature.length > signatureHeaderMaxBytes
      ? `is longer than ${signatureHeaderMaxBytes} bytes`
      : tokens.length > signaturesMax
        ? `has ${tokens.length} entries; at most ${signaturesMax} are taken`
        : tokens.some((token) => token.startsWith('v1,'))
          ? undefined
          : 'has no entry that starts with "v1,"'
  if (why === undefined) return undefined
  return { ...rejected('malformed_signature', `the header webhook-signature ${why}`), header: 'webhook-signature' }
}

/** The entries of a signature header, whatever their version. @internal */
export function signatureEntries(signature: string): string[] {
  return signature.split(' ').filter((token) => token !== '')
}

/** Rejects a request outside the tolerance; its signature has already matched. */
function rejectSkew(skewSeconds: number, toleranceSeconds: number): Rejection | undefined {
  if (Math.abs(skewSeconds) <= toleranceSeconds) return undefined
  const message = `the signature was made ${spanOf(Math.abs(skewSeconds))} ${skewSeconds < 0 ? 'ago' : 'in the future'}; at most ${toleranceSeconds} s are tolerated`
  const hint =
    skewSeconds < 0
      ? 'The signature itself is good: an old request was sent again, or one of the two clocks is off.'
      : 'The signature itself is good: one of the two clocks is off.'
  return rejected(skewSeconds < 0 ? 'timestamp_too_old' : 'timestamp_too_new', message, hint)
}

/** A duration in seconds up to two hours, then in hours, then in days. */
function spanOf(seconds: number): string {
  if (seconds < 7_200) return `${seconds} s`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}

/**
 * The first of the secrets that made one of the signatures. All are tried unless every signature has its secret: then no
 * other can fit, and only whoever has a secret learns from the time it took.
 */
function findMatch(
  secrets: readonly UsableSecret[],
  signed: SignedHeaders,
  body: Uint8Array,
  order: TriedFirst,
): UsableSecret | undefined {
  let open = signed.signatures.filter((token) => token.startsWith('v1,'))
  const matches: number[] = []
  for (const place of order.places(secrets.length)) {
    const key = secrets[place]?.secret.key ?? new Uint8Array()
    const expected = digest(key, signed.id, signed.timestamp, body)
    const others = open.filter((token) => !isSameSecretly(token.slice(3), expected))
    if (others.length === open.length) continue
    matches.push(secrets[place]?.first ?? place)
    open = others
    if (open.length === 0) break
  }
  order.keep(matches)
  return matches.length === 0 ? undefined : secrets[Math.min(...matches)]
}

/** Reads a body whose signature has matched. */
function readBody(body: Uint8Array, acceptance: Acceptance): Verdict {
  const unreadable = (content: keyof typeof unreadableContents): Acceptance => {
    return { ...acceptance, content, warnings: [...acceptance.warnings, unreadableContents[content].message] }
  }
  if (body.length === 0) return unreadable('empty')
  const reading = readUtf8Json(body)
  if ('fault' in reading) return unreadable(reading.fault === 'depth' ? 'too-deep' : 'not-json')
  const { value } = reading
  if (isRecord(value) && Object.hasOwn(value, 'eventId') && value.eventId !== acceptance.id) {
    return rejected(
      'event_id_mismatch',
      `the body's eventId is not the header's webhook-id ${acceptance.id}`,
      'The service sends the same id in both; a replay must keep it.',
    )
  }
  if (isWebhookEvent(value)) return { ...acceptance, content: 'event', event: value }
  const warnings = [...acceptance.warnings, `the body is not an event: ${envelopeIssues(value).join(', ')}`]
  return { ...acceptance, content: 'json', warnings }
}

/** Drops a byte order mark, and refuses bytes that are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function readUtf8Json(body: Uint8Array): JsonReading {
  try {
    return readJsonText(utf8.decode(body), 'whole')
  } catch {
    return { fault: 'syntax', message: 'is not UTF-8' }
  }
}

function rejected(reason: VerdictReason, message: string, hint?: string): Rejection {
  return { ok: false, reason, message, ...(hint === undefined ? {} : { hint }) }
}

/** Whether a body is not as it was signed: `identity`, alone or repeated, says that it is. */
export function isEncoded(encodings: readonly string[] = []): boolean {
  return encodings
    .join(',')
    .split(',')
    .some((one) => !['', 'identity'].includes(one.trim().toLowerCase()))
}
