import type { z } from 'zod'
import { type FieldError, findDrift } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { type NumberReading, parseNumbers } from '../../shared/json-number.js'
import { Refusal } from '../core/refusal.js'
import { type HttpExchange, MAX_BODY_BYTES } from './exchange.js'

/** Fields that the contract does not know, for the switch that refuses them. */
export function unknownFieldErrors(schema: z.ZodType, body: unknown): FieldError[] {
  return findDrift(schema, body)
    .filter((drift) => drift.kind === 'unknown property')
    .map(({ path }) => ({ field: path, code: 'UNKNOWN_FIELD', message: 'is not a field of this request' }))
}

/** The 400 of a request that does not fit its schema. */
export function schemaRefusal(fieldErrors: readonly FieldError[]): Refusal {
  const [first] = fieldErrors
  const where = first === undefined ? '' : `: ${first.field} ${first.message ?? ''}`
  return new Refusal('VALIDATION_ERROR', `The request does not fit the contract${where}.`, { status: 400, fieldErrors })
}

/** Deeper documents are refused: the contract does not need them, and they exhaust recursive code. */
const MAX_DEPTH = 64

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of a body and what it says; both absent if nothing was sent. */
interface JsonBody {
  text: string
  value: unknown
}

/**
 * Reads a JSON body, or throws the `Refusal` that says what is wrong with it.
 *
 * @param numbers which numbers keep their text; by default none
 */
export async function readJsonBody(exchange: HttpExchange, numbers?: NumberReading): Promise<JsonBody | undefined> {
  const bytes = await exchange.body()
  if (bytes === 'too large') throw malformed('body', 'TOO_LONG', `must be at most ${MAX_BODY_BYTES} bytes`)
  if (bytes.length === 0) return undefined
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw malformed('header.Content-Encoding', 'UNSUPPORTED', 'must be absent: bodies are read as they are')
  }
  if (!isJson(exchange.header('content-type'))) {
    throw malformed('header.Content-Type', 'UNSUPPORTED', 'must be application/json in UTF-8')
  }
  const text = decode(bytes)
  if (depthOf(text) > MAX_DEPTH) throw malformed('body', 'TOO_DEEP', `must nest at most ${MAX_DEPTH} levels`)
  return { text, value: parse(text, numbers) }
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return isUtf8 && /^application\/(?:[\w.-]+\+)?json$/.test(type.trim())
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed('body', 'INVALID_FORMAT', 'must be well-formed UTF-8')
  }
}

function parse(text: string, numbers?: NumberReading): unknown {
  try {
    // A `__proto__` member can do no harm as long as nobody copies it, and nobody can where it is gone.
    const value: unknown = numbers === undefined ? JSON.parse(text) : parseNumbers(text, numbers)
    return /__proto__|\\u/.test(text) ? withoutPrototypes(value) : value
  } catch {
    throw malformed('body', 'INVALID_FORMAT', 'must be well-formed JSON')
  }
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) for (const element of value) withoutPrototypes(element)
  if (!isRecord(value)) return value
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  for (const member of Object.values(value)) withoutPrototypes(member)
  return value
}

/** The deepest nesting of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === 0x5c) index++
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

function malformed(field: string, code: string, message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The request is malformed: ${field} ${message}.`, {
    status: 400,
    fieldErrors: [{ field, code, message }],
  })
}
