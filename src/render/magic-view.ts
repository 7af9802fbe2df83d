import { plainText, plainValue } from './plain-text.js'
import { paint } from './style.js'
import type { View } from './view.js'

/** A row of the catalogue: where a value goes, the value, and what it does. */
interface MagicRow {
  group: string
  entry: Record<string, unknown>
}

/** The catalogue is an object of lists (or of objects); each list becomes a group. */
function rowsOf(catalogue: unknown): MagicRow[] {
  if (Array.isArray(catalogue)) return catalogue.map((entry) => ({ group: '', entry: asObject(entry) }))
  return Object.entries(asObject(catalogue)).flatMap(([group, entries]) =>
    Array.isArray(entries)
      ? entries.map((entry) => ({ group, entry: asObject(entry) }))
      : Object.entries(asObject(entries)).map(([value, does]) => ({ group, entry: { value, does } })),
  )
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value }
}

function lineOf({ entry }: MagicRow): string {
  return Object.values(entry).map(plainValue).filter(Boolean).join('  ')
}

/** The magic values by group; in a pipe one a line with its group. */
export const magicView: View<unknown> = {
  id: (row) => plainValue(Object.values((row as MagicRow).entry)[0]),
  columns: [{ name: 'group' }, { name: 'entry' }],
  rows: rowsOf,
  card(catalogue, style) {
    const rows = rowsOf(catalogue)
    const groups = [...new Set(rows.map(({ group }) => group))]
    return groups
      .map((group) => {
        const lines = rows.filter((row) => row.group === group).map((row) => `  ${lineOf(row)}`)
        return [paint(style, 'bold', plainText(group)), ...lines].join('\n')
      })
      .join('\n\n')
  },
}
