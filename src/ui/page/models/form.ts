import type { Remedy } from '../../../trade/policy-changes.js'
import type { FormField } from '../../wire/deliveries.js'
import { parseWithDigits } from './event.js'

/** The typed texts, by path. */
export type Typed = Readonly<Record<string, string>>

/** Texts by path and what is wrong with them. */
export interface Reading {
  value: Record<string, unknown>
  problems: Record<string, string>
}

export function typedOf(fields: readonly FormField[]): Typed {
  return Object.fromEntries(fields.map(({ path, value }) => [path, value]))
}

/** The fields that a remedy changes, as far as they can still be changed; without one, all of them. */
export function fieldsFor(editable: readonly FormField[], remedy: Pick<Remedy, 'fields'> = {}): readonly FormField[] {
  const { fields } = remedy
  if (fields === undefined) return editable
  return editable.flatMap((field) => {
    const wanted = fields.find(({ path }) => path === field.path)
    if (wanted === undefined) return []
    return wanted.choices === undefined ? field : { ...field, choices: [...wanted.choices] }
  })
}

/** The JSON of a form: fields that are empty are left out. */
export function requestOf(fields: readonly FormField[], typed: Typed): Reading {
  const reading: Reading = { value: {}, problems: {} }
  for (const field of fields) {
    const text = typed[field.path] ?? ''
    if (text === '') {
      if (field.required) reading.problems[field.path] = 'is required'
      continue
    }
    put(reading, field, text)
  }
  return reading
}

/** The JSON of the fields that were changed; one that was emptied becomes `null`, which clears it. */
export function changesOf(fields: readonly FormField[], typed: Typed): Reading {
  const reading: Reading = { value: {}, problems: {} }
  for (const field of fields) {
    const text = typed[field.path] ?? ''
    if (text === field.value) continue
    if (text === '') putAt(reading.value, field.path, field.type === 'list' ? [] : null)
    else put(reading, field, text)
  }
  return reading
}

function put(reading: Reading, field: FormField, text: string): void {
  const read = fieldValue(field, text)
  if ('problem' in read) reading.problems[field.path] = read.problem
  else putAt(reading.value, field.path, read.value)
}

function fieldValue({ path, type }: FormField, text: string): { value: unknown } | { problem: string } {
  if (type === 'integer') {
    return /^-?\d{1,15}$/.test(text.trim()) ? { value: Number(text) } : { problem: 'must be a whole number' }
  }
  if (type === 'boolean') return { value: text === 'true' }
  if (type === 'list') {
    return {
      value: text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    }
  }
  if (type === 'json') {
    try {
      return { value: path === 'metadata' ? parseWithDigits(text) : (JSON.parse(text) as unknown) }
    } catch {
      return { problem: 'must be JSON' }
    }
  }
  return { value: text }
}

function putAt(into: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  let at = into
  for (const name of names.slice(0, -1)) {
    at[name] ??= {}
    at = at[name] as Record<string, unknown>
  }
  at[names.at(-1) ?? path] = value
}

/** The part of a form that a field belongs to: `dropoff.address` for `dropoff.address.city`. */
export function groupOf(path: string): string {
  const names = path.split('.')
  if (names.length === 1) return 'order'
  return names[0] === 'dropoff' && names[1] !== undefined && names.length > 2 ? `dropoff.${names[1]}` : (names[0] ?? '')
}

/** The flags of `deliveries update` that make the same changes. */
export function assignmentsOf(fields: readonly FormField[], typed: Typed): string[][] {
  return fields
    .filter(({ path, value }) => (typed[path] ?? '') !== value)
    .map(({ path, type }) => {
      const text = typed[path] ?? ''
      if (text === '') return ['--clear', path]
      const value = type === 'list' ? JSON.stringify(text.split(',').map((part) => part.trim())) : text
      return ['--set', `${path}=${value}`]
    })
}
