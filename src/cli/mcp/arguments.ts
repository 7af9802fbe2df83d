import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { plainText } from '../../render/plain-text.js'
import { isRecord } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'

type Issue = z.core.$ZodIssue

/** What is wrong with the arguments of a call, with the value and how it is written: a model repeats what it does not understand. */
export function argumentFault(issues: readonly Issue[], given: unknown): string {
  const [issue] = issues
  if (issue === undefined) return 'arguments: not valid'
  const path = issue.path.map(String).join('.') || 'arguments'
  const value = issue.path.reduce<unknown>(
    (at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name],
    given,
  )
  if (issue.code !== 'invalid_type') return `${path}: ${issue.message}`
  if (value !== undefined) return wrongType(path, value, issue.expected) ?? `${path}: ${issue.message}`
  const unknown = issues.flatMap((other) => (other.code === 'unrecognized_keys' ? other.keys : []))
  const others = unknown.length === 0 ? '' : `; the tool has no ${unknown.map((name) => shown(name)).join(', ')}`
  return `${path} is missing${others}.`
}

/** A value that only has to be written in another way; `undefined` if it cannot be meant. */
export function wrongType(path: string, value: unknown, expected: string): string | undefined {
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean' || value instanceof Number))
    return `${path}: ${value} is not text. Write it in quotes: "${value}".`
  if ((expected === 'number' || expected === 'int') && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    return `${path}: ${shown(value)} is text. Write it without quotes: ${value}.`
  if (expected === 'array' && !isRecord(value)) return `${path}: write ${shown(value)} as a list: [${shown(value)}].`
  if ((expected === 'record' || expected === 'object') && typeof value === 'string')
    return `${path}: ${shown(value)} is text. Write it as an object, without quotes around it.`
  return undefined
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return plainText(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

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
