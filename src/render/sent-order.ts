import type { Delivery } from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import { checksOf, packageText, type SentFacts } from '../trade/sent-facts.js'
import { card } from './cards.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { verificationLines } from './verification.js'
import { type Column, valueAt } from './view.js'
import { addressText, dayText, moneyText, timeText, zoneText } from './words.js'

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

/** The changes of an update, line by line: `dropoff.instructions  Ring twice → Side door`, and the new price. */
export function updateChanges(patch: unknown, before: Delivery, after: Delivery, style: Style): string {
  const fields = leavesOf(patch).map(
    ([path, asked]) => [plainText(path), changeText(path, asked, before, after)] as const,
  )
  const price = amountsText(totalOf(before), totalOf(after))
  const status = before.status === after.status ? '' : `${plainText(before.status)} → ${plainText(after.status)}`
  return card(paint(style, 'bold', 'Changed'), [...fields, ['status', status], ['price', price]], style)
}

/** The changes that an update is about to make, for a question: `tipAmountCents $3.00 → $5.00`, or `tipAmountCents $5.00`. */
export function plannedChanges(patch: unknown, before: Delivery | undefined): string {
  return leavesOf(patch)
    .map(([path, asked]) => {
      const was = shownAt(before, path)
      const will = isRecord(asked) && isRecord(was) ? { ...was, ...asked } : asked
      return `${plainText(path)} ${was === undefined ? '' : `${fieldText(path, was)} → `}${fieldText(path, will)}`
    })
    .join(', ')
}

/** An address has two forms, and is read as a whole. */
const addressPath = 'dropoff.address'

/** The fields of a patch that have a value of their own; an array is replaced as a whole. */
function leavesOf(patch: unknown, above = ''): [path: string, value: unknown][] {
  if (!isRecord(patch)) return []
  return Object.entries(patch).flatMap(([name, value]): [string, unknown][] => {
    const path = above === '' ? name : `${above}.${name}`
    return isRecord(value) && path !== addressPath ? leavesOf(value, path) : [[path, value]]
  })
}

function changeText(path: string, asked: unknown, before: Delivery, after: Delivery): string {
  const [was, is] = [shownAt(before, path), shownAt(after, path)]
  const isRemoved = asked === null && was !== undefined
  if (is === undefined && !isRemoved)
    return `${asked === null ? 'removed' : fieldText(path, asked)} (the service does not show it)`
  const [then, now] = [fieldText(path, was), fieldText(path, is)]
  return then === now ? `${now} (unchanged)` : `${then} → ${now}`
}

/** The value that a delivery shows for a field of a request; `undefined` if it does not show it. */
function shownAt(delivery: Delivery | undefined, path: string): unknown {
  return valueAt(delivery, path === 'tipAmountCents' ? 'pricing.tipAmountCents' : path)
}

function fieldText(path: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (path === addressPath) return addressText(value)
  return /Cents$/.test(path) && typeof value === 'number' ? moneyText(value) : plainValue(value)
}

function totalOf({ pricing }: Delivery): { cents: number | undefined; currency: string | null | undefined } {
  return { cents: pricing?.totalPriceCents ?? undefined, currency: pricing?.currency }
}

type Amount = ReturnType<typeof totalOf>

function amountsText(before: Amount, after: Amount): string {
  if (before.cents === undefined || after.cents === undefined || before.cents === after.cents) return ''
  const difference = after.cents - before.cents
  const change = `${difference > 0 ? '+' : ''}${moneyText(difference, after.currency)}`
  return `${moneyText(before.cents, before.currency)} → ${moneyText(after.cents, after.currency)} (${change})`
}
