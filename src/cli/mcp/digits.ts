import { randomUUID } from 'node:crypto'
import { isRecord } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'

/** Begins a text that stands for a number; nobody outside of this process can write one. */
const mark = `number ${randomUUID()} `

/**
 * A message that `JSON.parse` can read without loss: the library of the protocol parses it. Numbers in `metadata` that
 * keep their text become marked texts, others the nearest number.
 */
export function withMarkedNumbers(value: unknown, isFree = false): unknown {
  if (value instanceof JsonNumber) return isFree ? `${mark}${value.text}` : value.valueOf()
  if (Array.isArray(value)) return value.map((element) => withMarkedNumbers(element, isFree))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withMarkedNumbers(member, isFree || name === 'metadata')]),
  )
}

/** The same value with its marked texts as numbers again. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(mark)) return new JsonNumber(value.slice(mark.length))
  if (Array.isArray(value)) return value.map(withNumbers)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]))
}
