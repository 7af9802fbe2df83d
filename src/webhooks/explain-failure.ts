import { createHmac } from 'node:crypto'
import { type HeaderLines, type HeaderSource, headerLines } from './header-lines.js'
import { bodyVariants, keyVariants, partsVariants } from './mistaken-variants.js'
import { type ParsedSecret, parseSecret } from './secret.js'
import { type Mistake, mistakes } from './verdict.js'
import { signatureEntries, verify } from './verify.js'

/** A secret by its name; the name may be shown, the secret never. */
export interface NamedSecret {
  /** The name of the secret. */
  name: string
  /** The secret itself. */
  secret: string
  /** Takes a key that can be guessed, of fewer than 16 bytes or of words, as tests of others have them. */
  allowWeak?: boolean | undefined
}

/** A request that does not verify. */
export interface FailedRequest {
  /** The secrets that were tried. */
  secrets: readonly string[]
  /** The headers as they arrived. */
  headers: HeaderSource
  /** The bytes of the body as they arrived. */
  body: Uint8Array
  /** The receiver's time as Unix time. Default: the system's. */
  nowSeconds?: number
  /** Maximum difference between the signature's time and the clock. Default 300. */
  toleranceSeconds?: number
  /** Secrets of other profiles, to tell "wrong environment" from "wrong"; only their names are shown. */
  otherSecrets?: readonly NamedSecret[]
}

/** The mistake that was found, and what to do. */
export interface Explanation {
  /** Its name. */
  mistake: Mistake
  /** The failure, in one sentence. */
  message: string
  /** How to fix it. */
  hint: string
}

/**
 * Why a request does not verify: computes the signature as the usual mistakes would, and names the one that fits.
 * `undefined` if none does: then the body or the headers were changed, or the secret is unknown here. Costs some
 * dozens of HMACs; never throws.
 */
export function explainFailure(request: FailedRequest): Explanation | undefined {
  const lines = headerLines(request.headers)
  const foreign = renamed(lines)
  if (foreign !== undefined) return explainForeign(request, foreign)
  const verdict = verify({ ...request, secrets: parsed(request.secrets), maxBodyBytes: Number.POSITIVE_INFINITY })
  if (verdict.ok) return undefined
  if (verdict.reason === 'timestamp_too_old' || verdict.reason === 'timestamp_too_new') {
    return explained('clock', verdict.message)
  }
  // Without bytes there is nothing to compute a signature over.
  if (verdict.reason === 'body_not_raw') return undefined
  // The signature is good, and so is each variant that changes nothing of this body.
  if (verdict.reason === 'event_id_mismatch') return undefined
  return explainSignature(request, lines)
}

function explainSignature(request: FailedRequest, lines: HeaderLines): Explanation | undefined {
  const id = lines.get('webhook-id')?.[0] ?? ''
  const timestamp = lines.get('webhook-timestamp')?.[0] ?? ''
  const entries = signatureEntries(lines.get('webhook-signature')?.[0] ?? '')
  const signatures = new Set(entries.map((entry) => entry.replace(/^v1,/, '')))
  const has = (key: Uint8Array, parts: string, body: Uint8Array) =>
    signatures.has(createHmac('sha256', key).update(parts).update(body).digest('base64'))
  const parts = `${id}.${timestamp}.`

  for (const { name, secret } of request.otherSecrets ?? []) {
    if (request.secrets.includes(secret)) continue
    for (const { key } of parsed([secret])) {
      if (has(key, parts, request.body))
        return explained('other_secret', `the signature was made with the secret of ${name}`)
    }
  }
  for (const text of request.secrets) {
    for (const variant of keyVariants(text)) {
      if (has(variant.key, parts, request.body)) return explained(variant.mistake)
    }
  }
  for (const { key } of parsed(request.secrets)) {
    const written = mistakenWriting(createHmac('sha256', key).update(parts).update(request.body).digest(), entries)
    if (written !== undefined) return explained(written)
    for (const variant of partsVariants(id, timestamp)) {
      if (has(key, variant.parts, request.body)) return explained(variant.mistake)
    }
    for (const variant of bodyVariants(request.body)) {
      if (has(key, parts, variant.body)) return explained(variant.mistake)
    }
  }
  return /^\d{13}$/.test(timestamp) ? explained('timestamp_in_ms') : undefined
}

/** Whether the right digest is there, written in a way that the scheme does not know. */
function mistakenWriting(digest: Buffer, entries: string[]): Mistake | undefined {
  const base64 = digest.toString('base64')
  if (entries.includes(base64)) return 'signature_without_version'
  const writings = entries.map((entry) => entry.replace(/^v1[,=]/, ''))
  if (writings.some((writing) => writing.toLowerCase() === digest.toString('hex'))) return 'signature_in_hex'
  const bare = digest.toString('base64url')
  const sameBytes = (writing: string) =>
    writing !== base64 && [bare, `${bare}=`].includes(writing.replaceAll('+', '-').replaceAll('/', '_'))
  return writings.some(sameBytes) ? 'signature_in_base64url' : undefined
}

/** The request with `svix-*` headers put in the place of missing `webhook-*` ones. */
function renamed(lines: HeaderLines): string[] | undefined {
  const raw: string[] = []
  for (const name of ['id', 'timestamp', 'signature']) {
    if (lines.has(`webhook-${name}`)) return undefined
    const value = lines.get(`svix-${name}`)?.[0]
    if (value === undefined) return undefined
    raw.push(`webhook-${name}`, value)
  }
  return raw
}

function explainForeign(request: FailedRequest, headers: string[]): Explanation {
  const verdict = verify({
    ...request,
    secrets: parsed(request.secrets),
    headers,
    maxBodyBytes: Number.POSITIVE_INFINITY,
  })
  if (verdict.ok) return explained('foreign_headers')
  const further = explainFailure({ ...request, headers })
  return {
    ...explained('foreign_headers'),
    hint: `Under those names it does not verify either: ${further?.message ?? verdict.message}.`,
  }
}

function parsed(secrets: readonly string[]): ParsedSecret[] {
  return secrets.flatMap((secret) => {
    try {
      // A weak key may be the answer; it is computed with, and accepts nothing.
      return [parseSecret(secret, { allowWeak: true })]
    } catch {
      // A secret that cannot be parsed is refused where it is configured; here it only explains nothing.
      return []
    }
  })
}

function explained(mistake: Mistake, message: string = mistakes[mistake].message): Explanation {
  return { mistake, message, hint: mistakes[mistake].hint }
}
