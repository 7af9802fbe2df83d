import { plainText } from './plain-text.js'
import { paint } from './style.js'
import { shorten } from './text-width.js'
import { idOf, type View } from './view.js'

/** The result of comparing a service with its contract. */
export interface DriftResult {
  /** Responses and events that were compared. */
  checked: number
  /** Parts of the contract that could not be tried, each with the reason. */
  notTried: readonly string[]
  findings: readonly { kind: string; operation: string; path: string; example: unknown; count: number }[]
}

/** The drift: a line for each finding, with an example under it. */
export const driftView: View<DriftResult> = {
  id: idOf('path'),
  rows: ({ findings }) => findings,
  columns: [
    { name: 'kind' },
    { name: 'operation' },
    { name: 'path' },
    { name: 'count' },
    { name: 'example', elastic: true },
  ],
  card: ({ checked, findings }, style) => {
    const compared = `Compared ${checked} responses and events with the contract`
    if (findings.length === 0) return `${compared}: no drift.`
    return [
      `${compared}: ${findings.length} ${findings.length === 1 ? 'difference' : 'differences'}.`,
      ...findings.map(({ kind, operation, path, example, count }) => {
        const line = `${paint(style, 'yellow', kind)}  ${plainText(operation)}  ${paint(style, 'bold', plainText(path))}  ${count} ×`
        const shown = plainText(JSON.stringify(example) ?? '')
        return `\n${line}\n  ${paint(style, 'dim', style.terminal ? shorten(shown, style.columns - 2) : shown)}`
      }),
    ].join('\n')
  },
}
