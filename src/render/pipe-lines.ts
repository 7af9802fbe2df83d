import { isRecord } from '../shared/json.js'
import { plainText, plainValue } from './plain-text.js'
import { type Column, valueAt } from './view.js'

/** A value for a pipe: strings and numbers unchanged, objects and arrays as compact JSON. */
export function bareText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * A tab-separated line of complete values for a pipe. Tabs and line breaks in a value become spaces; control characters
 * are removed.
 */
export function tabLine(columns: readonly Column[], row: unknown): string {
  return columns.map((column) => plainText(bareText(valueAt(row, column.name)))).join('\t')
}

/** An object as `path<TAB>value` lines, nested objects by dotted paths, arrays as JSON: a card for a pipe. */
export function fieldLines(value: unknown): string[] {
  const lines: string[] = []
  collect(value, '', lines)
  return lines
}

function collect(value: unknown, path: string, lines: string[]): void {
  if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`, lines)
    return
  }
  lines.push(path === '' ? plainValue(value) : `${plainValue(path)}\t${plainValue(value)}`)
}
