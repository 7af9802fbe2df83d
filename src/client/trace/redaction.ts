import { tryParseJson } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'
import { maskPersonalData, maskPhone, personalTexts } from '../../shared/mask-personal-data.js'
import { redacted, redactSecrets, strikeOut } from '../../shared/redact-secrets.js'
import type { TransportReply } from '../transport/transport.js'

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'webhook-signature',
  'svix-signature',
  'x-api-key',
])
const secretNames = /^(?:api_?key|secret|secrets|signing_?secret|password|token|authorization|webhook_?secret)$/i
/** Query parameters of the contract. The value of another may be anything that somebody searches for. */
const plainParameters: ReadonlySet<string> = new Set(
  'acceptingDeliveries branch clientOrderReference cursor deliveryId delivered eventType from limit onDuty since state status teamId to until'.split(
    ' ',
  ),
)

/** Redacts credentials and signatures in headers. `Idempotency-Key` stays, because it helps support. */
export function redactHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (!secretHeaders.has(name.toLowerCase())) return [redactText(name), redactText(value)]
      const scheme = /^(Bearer|Basic|Digest)\s/i.exec(value)?.[1]
      return [name, scheme === undefined ? redacted : `${scheme} ${redacted}`]
    }),
  )
}

/** Redacts secrets and masks personal data in a JSON value; its shape stays. */
export function redactJson(value: unknown): unknown {
  return redactValue(maskPersonalData(value), '')
}

/** `name` is the member's that holds the value. */
function redactValue(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((element) => redactValue(element, name))
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [redactText(key), redactValue(member, key)]))
  if (typeof value !== 'string') return value
  return secretNames.test(name) ? redacted : redactText(value)
}

/** Redacts bearer tokens, keys, secrets, signatures and E.164 numbers anywhere in a text. */
export function redactText(text: string): string {
  return redactSecrets(text).replace(/(?:\+|%2B)\d{7,15}\b/g, maskPhone)
}

/** Redacts a URL: the values of query parameters that no operation has are masked. */
export function redactUrl(url: string): string {
  const [address = '', query] = url.split(/\?(.*)/s)
  if (query === undefined) return redactText(url)
  const pairs = query.split('&').map((pair) => {
    const [name = '', value] = pair.split(/=(.*)/s)
    return value === undefined || plainParameters.has(name) ? pair : `${name}=***`
  })
  return redactText(`${address}?${pairs.join('&')}`)
}

/** Redacts a body: JSON by its values, other text by patterns. JSON that cannot be read is not shown. */
export function redactBody(body: Uint8Array | undefined): string | undefined {
  if (body === undefined || body.byteLength === 0) return undefined
  const text = new TextDecoder().decode(body)
  const json = tryParseJson(text, 'answer')
  if (json !== undefined) return JSON.stringify(redactJson(json.value))
  return /^\s*[{[]/.test(text) ? `[${body.byteLength} bytes of broken JSON]` : redactText(text.slice(0, 4_096))
}

/** A number this short, such as a room's, also occurs in dates and ids. */
const shortNumber = /^\d{1,6}$/

/**
 * Masks the personal data of a request wherever a text repeats it, such as the service's message about an address. Texts
 * of less than four characters are left.
 */
export function withoutPersonalData(body: Uint8Array | undefined): (text: string) => string {
  const sent = body === undefined ? undefined : tryParseJson(body)?.value
  const replaced = personalTexts(sent).filter(([text]) => text.length > 3 && !shortNumber.test(text))
  return (text) =>
    replaced.reduce((shown, [value, masked]) => {
      const written = JSON.stringify(value).slice(1, -1)
      return shown.replaceAll(value, () => masked).replaceAll(written, () => masked)
    }, text)
}

/** A reply in which the account's key is struck out of headers and body, however JSON writes it. */
export function withoutKey(reply: TransportReply, key: string | undefined): TransportReply {
  const json = tryParseJson(reply.body, 'answer')
  const text = json === undefined ? new TextDecoder().decode(reply.body) : JSON.stringify(json.value)
  const shown = strikeOut(text, key)
  return {
    ...reply,
    headers: new Headers([...reply.headers].map(([name, value]) => [name, strikeOut(value, key)])),
    body: shown === text ? reply.body : new TextEncoder().encode(shown),
  }
}
