import type { StatusHistoryEntry } from '../contract/index.js'
import { plainText } from './plain-text.js'
import { statusMark, statusWord } from './status-word.js'
import { paint, type Style } from './style.js'
import { pad } from './text-width.js'
import { clockText, relativeText, spanText } from './times.js'

/** Names under which services have been seen to put the time of a milestone; the contract leaves it open. */
const timeNames = ['occurredAt', 'at', 'timestamp', 'changedAt', 'createdAt']

/** When a milestone was reached, in milliseconds; `NaN` where it does not say. */
export function milestoneMs(entry: StatusHistoryEntry): number {
  const fields = entry as Readonly<Record<string, unknown>>
  const name = timeNames.find((candidate) => typeof fields[candidate] === 'string')
  return name === undefined ? Number.NaN : Date.parse(String(fields[name]))
}

/** A line a milestone: mark, time in the reader's zone, status, how long after the one before. */
export function timeline(history: readonly StatusHistoryEntry[], style: Style): string[] {
  const widest = Math.max(0, ...history.map(({ status }) => (status ?? '').length))
  return history.map((entry, index) => {
    const atMs = milestoneMs(entry)
    const before = history[index - 1]
    const previousMs = before === undefined ? Number.NaN : milestoneMs(before)
    const when = Number.isNaN(atMs) ? '' : `${clockText(atMs, style)}  `
    const since = Number.isNaN(previousMs - atMs)
      ? Number.isNaN(atMs)
        ? ''
        : relativeText(atMs, style.nowMs)
      : `+${spanText(atMs - previousMs)}`
    const reason = entry.statusReasonCode == null ? '' : `  ${plainText(entry.statusReasonCode)}`
    const status = statusWord(entry.status, style)
    const padding = pad('', widest - (entry.status ?? '').length)
    return `${statusMark(entry.status, style)} ${when}${status}${padding}  ${paint(style, 'dim', since)}${reason}`.trimEnd()
  })
}
