import type { Delivery } from '../contract/index.js'
import { checksOf, packageText, type SentFacts } from '../trade/sent-facts.js'
import { plainText } from './plain-text.js'
import type { Style } from './style.js'
import { dayText, timeText, zoneText } from './times.js'
import { verificationLines } from './verification.js'
import { type Column, valueAt } from './view.js'

/** The windows of a scheduled order: `dropoff 2026-03-02 15:00–17:00 EST`; empty for one that is dispatched at once. */
export function orderWindowText(timeWindows: unknown, style: Pick<Style, 'timeZone'>): string {
  if (valueAt(timeWindows, 'deliveryMode') === 'asap') return ''
  return ['pickup', 'dropoff']
    .map((stop) => [
      stop,
      windowText(valueAt(timeWindows, `${stop}.start`), valueAt(timeWindows, `${stop}.end`), style),
    ])
    .flatMap(([stop, span]) => (span === '' ? [] : [`${stop} ${span}`]))
    .join(', ')
}

/** The start and the end of a window: `2026-03-02 15:00–17:00 EST`; empty without either. */
function windowText(start: unknown, end: unknown, { timeZone }: Pick<Style, 'timeZone'>): string {
  const [from, until] = [momentOf(start, timeZone), momentOf(end, timeZone)]
  if (until === undefined) return from === undefined ? '' : `from ${fullText(from)}`
  if (from === undefined) return `until ${fullText(until)}`
  if (from.zone !== until.zone) return `${fullText(from)}–${fullText(until)}`
  return `${from.day} ${from.time}–${from.day === until.day ? '' : `${until.day} `}${until.time} ${until.zone}`.trim()
}

interface Moment {
  day: string
  time: string
  zone: string
}

function fullText({ day, time, zone }: Moment): string {
  return `${day} ${time} ${zone}`.trim()
}

/** A moment in the user's zone; a text that is not a time is kept as it is. */
function momentOf(value: unknown, timeZone: string | undefined): Moment | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const atMs = Date.parse(value)
  if (Number.isNaN(atMs)) return { day: plainText(value), time: '', zone: '' }
  const time = timeText(atMs, { timeZone }).replace(/:00$/, '')
  return { day: dayText(atMs, timeZone), time, zone: zoneText(atMs, timeZone) }
}

/** The facts sent with an order from this machine, which a service may not return. */

/** The columns of a list. */
export const sentColumns: readonly Column[] = [
  {
    name: 'sent.window.end',
    header: 'WINDOW',
    cell: (row, style) => windowText(valueAt(row, 'sent.window.start'), valueAt(row, 'sent.window.end'), style),
  },
  {
    name: 'sent.package',
    header: 'PACKAGE',
    elastic: true,
    cell: (row) => plainText(packageText((valueAt(row, 'sent.package') ?? null) as SentFacts['package'])),
  },
]

/** The lines of a card: what the delivery itself does not say. */
export function sentLines({ dropoff, resolvedVerification }: Delivery, sent: SentFacts, style: Style): string[] {
  const { file, window, installation } = sent
  const hasChecks = Object.keys(resolvedVerification?.dropoff ?? {}).length > 0
  return [
    window === null ? '' : `window: ${windowText(window.start, window.end, style)}`,
    installation === null || dropoff?.installation?.code != null ? '' : `installation: ${plainText(installation)}`,
    sent.package === null ? '' : `package: ${plainText(packageText(sent.package))}`,
    ...(hasChecks ? [] : verificationLines({ dropoff: checksOf(sent) }, style)),
    file === null ? '' : `file: ${plainText(file)}`,
  ].filter((line) => line !== '')
}
