import type { StatusStep } from '../trade/history.js'
import { plainText } from './plain-text.js'
import { statusMark, statusWord } from './status-word.js'
import { paint, type Style } from './style.js'
import { pad } from './text-width.js'
import { clockText, relativeText, spanText } from './times.js'

/**
 * One line per entry: mark, time in the user's zone, status, time since the previous entry, and for the first and last
 * how long ago. `narrowest` is the minimum width of the status column, for lines that follow later.
 */
export function timeline(history: readonly StatusStep[], style: Style, narrowest = 0): string[] {
  const widest = Math.max(narrowest, ...history.map(({ status }) => status.length))
  return history.map((entry, index) => {
    const atMs = Date.parse(entry.occurredAt)
    const before = history[index - 1]
    const previousMs = before === undefined ? Number.NaN : Date.parse(before.occurredAt)
    const when = `${clockText(atMs, style)}  `
    const isLast = index === history.length - 1
    const since = [
      Number.isNaN(previousMs - atMs) ? '' : `+${spanText(atMs - previousMs)}`,
      !(isLast || index === 0) ? '' : relativeText(atMs, style.nowMs),
    ].filter(Boolean)
    const reason = entry.statusReasonCode == null ? '' : `  ${plainText(entry.statusReasonCode)}`
    const status = statusWord(entry.status, style)
    const padding = pad('', widest - entry.status.length)
    return `${statusMark(entry.status, style)} ${when}${status}${padding}  ${paint(style, 'dim', since.join(', '))}${reason}`.trimEnd()
  })
}
