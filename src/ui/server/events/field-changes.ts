import { isRecord } from '../../../shared/json.js'
import type { FieldChange } from '../../wire/events.js'

/** The most changes that are listed; a body from elsewhere could have any number. */
const mostChanges = 200

/** The fields in which two values differ, by their paths. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = []
  const compare = (path: string, one: unknown, other: unknown) => {
    if (changes.length >= mostChanges) return
    const isComparable = (value: unknown) => isParent(value) || value === undefined
    // What is new or gone as a whole is told field by field, too.
    if ((isParent(one) || isParent(other)) && isComparable(one) && isComparable(other) && !isMixed(one, other)) {
      const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])
      for (const name of names)
        compare(path === '' ? name : `${path}.${name}`, memberOf(one, name), memberOf(other, name))
      return
    }
    const [was, is] = [textOf(one), textOf(other)]
    if (was !== is) changes.push({ path, before: was, after: is })
  }
  compare('', before, after)
  return changes
}

const isParent = (value: unknown): value is Record<string, unknown> | unknown[] =>
  isRecord(value) || Array.isArray(value)
const isMixed = (one: unknown, other: unknown) =>
  one !== undefined && other !== undefined && Array.isArray(one) !== Array.isArray(other)
const memberOf = (value: unknown, name: string): unknown =>
  isParent(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined

function textOf(value: unknown): string | null {
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
