import { isRecord, tryParseJson } from '../shared/json.js'
import { numbersIn } from './printed-bytes.js'

/** A request inside what a gateway, queue or inspector made of it: alternating names and values, and the bytes of the body. */
interface HeldRequest {
  headers: string[]
  /** `undefined` if only the parsed body is there, whose bytes cannot be had back. */
  body: Buffer | undefined
}

const mostObjects = 200
const bodyNames = ['rawBody', 'body', 'Body', 'content', 'data', 'payload', 'raw', 'text']
const headerNames = [
  'headers',
  'multiValueHeaders',
  'attributes',
  'messageAttributes',
  'MessageAttributes',
  'properties',
]

/**
 * The requests inside an event of API Gateway (both versions), a function URL, a load balancer, a queue, Pub/Sub, Azure,
 * Netlify, or what inspectors of webhooks export: each object with a body, the outer ones first.
 */
export function requestsHeldIn(document: unknown): HeldRequest[] {
  const found: HeldRequest[] = []
  const waiting: unknown[] = [document]
  for (let count = 0; waiting.length > 0 && count < mostObjects; count++) {
    const value = waiting.shift()
    if (Array.isArray(value)) waiting.push(...value.slice(0, mostObjects))
    const held = isRecord(value) ? heldBy(value) : undefined
    if (held !== undefined) found.push(held)
    if (isRecord(value)) for (const [name, member] of Object.entries(value)) waiting.push(...within(name, member))
  }
  return found
}

/** What may hold a request itself; the payload of a queue is often an event as text. */
function within(name: string, member: unknown): unknown[] {
  if (typeof member !== 'string') return headerNames.includes(name) ? [] : [member]
  const text = /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(member) ? Buffer.from(member, 'base64').toString() : member
  return bodyNames.includes(name) && /^\s*\{/.test(text) ? [tryParseJson(text)?.value] : []
}

function heldBy(value: Record<string, unknown>): HeldRequest | undefined {
  const name = bodyNames.find((candidate) => value[candidate] !== undefined && value[candidate] !== null)
  if (name === undefined) return undefined
  const headers = headerNames.flatMap((candidate) => headersOf(value[candidate]))
  const body = bytesOf(value[name], value.isBase64Encoded === true || value.encoding === 'base64')
  return body === undefined && headers.length === 0 ? undefined : { headers, body }
}

function bytesOf(body: unknown, isBase64: boolean): Buffer | undefined {
  if (typeof body === 'string') return isBase64 || holdsBase64(body) ? Buffer.from(body, 'base64') : Buffer.from(body)
  if (isRecord(body) && typeof body.data === 'string') return bytesOf(body.data, body.encoding === 'base64')
  const numbers = numbersIn(body)
  return numbers && Buffer.from(numbers)
}

function headersOf(given: unknown): string[] {
  const pairs = Array.isArray(given) ? given.map(pairOf) : isRecord(given) ? Object.entries(given) : []
  return pairs.flatMap(([name, value]) => {
    const texts = Array.isArray(value)
      ? value
      : [isRecord(value) ? (value.stringValue ?? value.Value ?? value.value) : value]
    return texts.flatMap((text) => (typeof name === 'string' && typeof text === 'string' ? [name, text] : []))
  })
}

const pairOf = (one: unknown): [unknown, unknown] => {
  if (Array.isArray(one)) return [one[0], one[1]]
  return isRecord(one) ? [one.name ?? one.key ?? one.Name, one.value ?? one.Value] : [undefined, undefined]
}

/** Whether a text is base64 of what a webhook's body may be: JSON. */
function holdsBase64(text: string): boolean {
  const bare = text.trim()
  return (
    /^[A-Za-z0-9+/_\-\s]{16,}={0,2}$/.test(bare) && /^\s*[{[]/.test(Buffer.from(bare.slice(0, 16), 'base64').toString())
  )
}

/** The body that was written as base64, as a gateway hands over what it takes for binary. */
export function fromBase64(text: string): string[] {
  return holdsBase64(text) ? [Buffer.from(text.trim(), 'base64').toString('latin1')] : []
}

/** The body that was written as a JSON text within JSON; also as it is copied from there, with its backslashes. */
export function fromJsonString(text: string): string[] {
  const quoted = /^\s*"/.test(text) ? text : /\\"/.test(text) ? `"${text.trim()}"` : undefined
  const value = quoted === undefined ? undefined : tryParseJson(quoted)?.value
  return typeof value === 'string' ? [value] : []
}

/** The text of what is UTF-16, with a mark or by its zero bytes, as PowerShell's `>` writes it. */
export function fromUtf16(bytes: Buffer): string | undefined {
  const [first, second, third, fourth] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && third !== 0 && fourth === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0 && fourth !== 0)
  if (bytes.length < 4 || (!isLittle && !isBig)) return undefined
  return new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes)
}
