import { maxJsonDepth, tryParseJson } from '../../shared/json.js'
import { maskName, maskPhone } from '../../shared/mask.js'
import { redacted, redactSecrets } from '../../shared/redact-secrets.js'

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
const personalNames = /^(?:contact_?name|name|signer_?name|recipient_?name|driver_?name)$/i
const phoneNames = /phone/i

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

/** Redacts secrets and masks names and phone numbers in a JSON value; its shape stays. */
export function redactJson(value: unknown): unknown {
  return redactValue(value, '', '', 0)
}

/** `name` is the member's that holds the value, `parent` that of the object around it. */
function redactValue(value: unknown, name: string, parent: string, depth: number): unknown {
  if (typeof value === 'object' && value !== null) {
    if (depth >= maxJsonDepth) return '[nested too deep]'
    if (Array.isArray(value)) return value.map((element) => redactValue(element, name, parent, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [redactText(key), redactValue(member, key, name, depth + 1)]),
    )
  }
  if (typeof value !== 'string') return value
  if (secretNames.test(name)) return redacted
  if (phoneNames.test(name)) return maskPhone(value)
  if (personalNames.test(name) && isPersonal(name, parent)) return maskName(value)
  return redactText(value)
}

/** `name` alone is a person's inside a driver, and a place's inside an installation, a gate or a team. */
function isPersonal(name: string, parent: string): boolean {
  return name.toLowerCase() !== 'name' || !/^(?:installations?|gates?|teams?)$/i.test(parent)
}

/** Redacts bearer tokens, keys, secrets, signatures and E.164 numbers anywhere in a text. */
export function redactText(text: string): string {
  return redactSecrets(text).replace(/(?:\+|%2B)\d{7,15}\b/g, maskPhone)
}

/** Redacts a body: JSON by its values, other text by patterns. */
export function redactBody(body: Uint8Array | undefined): string | undefined {
  if (body === undefined || body.byteLength === 0) return undefined
  const text = new TextDecoder().decode(body)
  const json = tryParseJson(text)
  return json === undefined ? redactText(text.slice(0, 4_096)) : JSON.stringify(redactJson(json.value))
}
