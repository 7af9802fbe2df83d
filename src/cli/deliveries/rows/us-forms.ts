import { postalCodeOf, UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { zoneOfStop } from '../../../report/index.js'
import { hourMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { withWindowEnds } from '../../../trade/window-end.js'
import { withValue } from '../../input/assignments.js'

/** How the phones and times of a sheet are written, beside the forms of the contract. */
export interface SheetForms {
  /** Phones such as `(910) 555-0101`. */
  usPhones: boolean
  /** The zone of times such as `11/25/2026 3:00 PM`, or `store` for that of each order's store. */
  usTimes: string | undefined
  /** Tips in dollars, such as `3.50`, where they are texts. */
  usTips?: boolean | undefined
  /** Whether tips are from a column whose name does not say that they are cents. */
  mayBeDollars?: boolean | undefined
}

const phonePath = 'dropoff.contactPhone'
const timePaths = ['pickup', 'dropoff'].flatMap((stop) => ['start', 'end'].map((end) => `timeWindows.${stop}.${end}`))

/**
 * An order with phones and times in the forms of the contract. What is not in one of the given forms stays as it is.
 *
 * @throws UsageError for a time that does not exist, or whose zone is not known
 */
export function withForms(
  order: Record<string, unknown>,
  { usPhones, usTimes, usTips, mayBeDollars }: SheetForms = { usPhones: false, usTimes: undefined },
): Record<string, unknown> {
  let made = withWindowEnds(order)
  const phone = usPhones ? e164Of(valueAt(order, phonePath)) : undefined
  if (phone !== undefined) made = withValue(made, phonePath, phone, '--us-phones')
  if (mayBeDollars) refuseDollars(valueAt(order, 'tipAmountCents'))
  const tip = usTips ? valueAt(order, 'tipAmountCents') : undefined
  if (typeof tip === 'string') made = withValue(made, 'tipAmountCents', centsOfTip(tip), '--us-tips')
  for (const path of usTimes === undefined ? [] : timePaths) {
    const given = valueAt(order, path)
    const time = localTimeOf(given)
    if (time === undefined && typeof given === 'string' && given !== '' && !/^\d{4}-\d{2}-\d{2}T/.test(given))
      throw new UsageError(`${path}: "${given.slice(0, 80)}" is not a time such as 11/25/2026 3:00 PM`)
    if (time !== undefined)
      made = withValue(made, path, momentOf(time, zoneFor(order, usTimes ?? '', path), path), '--us-times')
  }
  return made
}

/** A tip under a dollar is hardly ever meant: `5` in a column "Tip" is five dollars. */
function refuseDollars(tip: unknown): void {
  const cents = typeof tip === 'number' || typeof tip === 'string' ? Number(tip) : 0
  if (!Number.isInteger(cents) || cents <= 0 || cents >= 100) return
  throw new UsageError(`tipAmountCents: "${tip}" would be ${cents} cents`, {
    hint: '--us-tips reads dollars. If cents are meant, put "usTips": false into a --map-file.',
  })
}

function centsOfTip(text: string): number {
  const [, dollars, cents = ''] = /^\$?(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? []
  if (dollars === undefined)
    throw new UsageError(`tipAmountCents: "${text.slice(0, 80)}" is not an amount in dollars, such as 3.50 or $5.00`)
  return Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
}

/** The E.164 form of a phone of North America. */
export function e164Of(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const [, area, exchange, line] =
    /^\s*(?:\+?1[\s.-]*)?\(?([2-9]\d{2})\)?[\s.-]*([2-9]\d{2})[\s.-]*(\d{4})\s*$/.exec(value) ?? []
  return area === undefined ? undefined : `+1${area}${exchange}${line}`
}

interface LocalTime {
  text: string
  /** The same hands in UTC. */
  wallMs: number
}

/** `11/25/2026 3:00 PM`, `11/25/26, 15:00`. */
const usTime =
  /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})[,\s]+(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([AP])\.?M\.?)?\s*$/i

function localTimeOf(value: unknown): LocalTime | undefined {
  const text = typeof value === 'string' ? value : ''
  const [, month = '', day = '', year = '', hour = '', minute = '0', second = '0', half] = usTime.exec(text) ?? []
  if (month === '' || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  const fullYear = year.length === 2 ? 2_000 + Number(year) : Number(year)
  const wallMs = Date.UTC(fullYear, Number(month) - 1, Number(day), hours, Number(minute), Number(second))
  const date = new Date(wallMs)
  const isDate = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day) && hours < 24
  return isDate && Number(minute) < 60 ? { text, wallMs } : undefined
}

function zoneFor(order: unknown, zone: string, path: string): string {
  if (zone !== 'store') return zone
  const address = valueAt(order, 'dropoff.address')
  const name = 'name it, such as --us-times America/New_York'
  if (typeof address !== 'string' && !isRecord(address))
    throw new UsageError(`${path}: the zone of the store is not known without an address; ${name}`)
  const state = isRecord(address) ? address.state : /\b([A-Z]{2})\s+\d{5}(?:-\d{4})?\s*$/.exec(String(address))?.[1]
  const found = zoneOfStop({
    postalCode: postalCodeOf(address as Parameters<typeof postalCodeOf>[0]),
    state: typeof state === 'string' ? state : undefined,
  })
  if (found !== undefined) return found
  throw new UsageError(`${path}: the zone of the store is not known from the address; ${name}`)
}

/** The moment at which the clocks of a zone show a time. */
function momentOf({ text, wallMs }: LocalTime, zone: string, path: string): string {
  const offsets = new Set([offsetMs(wallMs - 24 * hourMs, zone), offsetMs(wallMs + 24 * hourMs, zone)])
  const moments = [...offsets].map((offset) => wallMs - offset).filter((atMs) => atMs + offsetMs(atMs, zone) === wallMs)
  const [moment] = moments
  if (moment !== undefined && moments.length === 1) return new Date(moment).toISOString()
  const what = moment === undefined ? 'does not exist' : 'comes twice'
  throw new UsageError(`${path}: "${text.trim()}" ${what} in ${zone}, because clocks are changed`, {
    hint: 'Give it in UTC, such as 2026-11-25T20:00:00Z.',
  })
}

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetMs(atMs: number, zone: string): number {
  const format = formats.get(zone) ?? zoneFormat(zone)
  formats.set(zone, format)
  // `2026-11-25 15:00:00`
  return Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`) - atMs
}

/** Throws `RangeError` for what is not a zone. */
export function zoneFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
}
