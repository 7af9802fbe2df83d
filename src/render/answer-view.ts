import { isRecord } from '../shared/json.js'
import { JsonNumber } from '../shared/json-number.js'
import { card } from './card.js'
import { plainText, plainValue } from './plain-text.js'
import type { View } from './view.js'

/** Any value as labelled lines, nested objects by dotted paths: for responses that have no view of their own. */
export const answerView: View<unknown> = {
  id: (row) => plainValue((isRecord(row) ? (row.id ?? row.secret) : undefined) ?? row),
  columns: [],
  card: (answer, style) => {
    const lines = labelledLines(answer, '')
    return lines.length === 1 && lines[0]?.[0] === '' ? lines[0][1] : card('', lines, style).replace(/^\n/, '')
  },
}

function isPlain(value: unknown): value is null | undefined | string | number | boolean | JsonNumber {
  return typeof value !== 'object' || value === null || value instanceof JsonNumber
}

function labelledLines(value: unknown, path: string): [label: string, text: string][] {
  if (isPlain(value)) return [[path, value === null ? 'none' : plainValue(value)]]
  if (Array.isArray(value)) {
    if (value.length === 0) return [[path, 'none']]
    if (value.every(isPlain)) return [[path, value.map(plainValue).join(', ')]]
    return value.flatMap((member, index) => labelledLines(member, `${path}[${index}]`))
  }
  return Object.entries(value).flatMap(([name, member]) =>
    labelledLines(member, path === '' ? plainText(name) : `${path}.${plainText(name)}`),
  )
}
