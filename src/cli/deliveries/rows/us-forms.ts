import { UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { withWindowEnds } from '../../../trade/window-end.js'
import { withValue } from '../../input/assignments.js'
import type { StoreClocks } from './store-clocks.js'
import type { WallTime } from './wall-time.js'

/** How the phones and times of a sheet are written, beside the forms of the contract. */
export interface SheetForms {
  /** Phones such as `(910) 555-0101`. */
  usPhones: boolean
  /** The clocks of times without a zone, such as `11/25/2026 3:00 PM`. */
  clocks: StoreClocks | undefined
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
  { usPhones, clocks, usTips, mayBeDollars }: SheetForms = { usPhones: false, clocks: undefined },
): Record<string, unknown> {
  let made = withWindowEnds(order)
  const phone = usPhones ? e164Of(valueAt(order, phonePath)) : undefined
  if (phone !== undefined) made = withValue(made, phonePath, phone, '--us-phones')
  if (mayBeDollars) refuseDollars(valueAt(order, 'tipAmountCents'))
  const tip = usTips ? valueAt(order, 'tipAmountCents') : undefined
  if (typeof tip === 'string') made = withValue(made, 'tipAmountCents', centsOfTip(tip), '--us-tips')
  return clocks === undefined ? made : withMoments(made, clocks)
}

/** An order whose times without a zone are moments. */
function withMoments(order: Record<string, unknown>, clocks: StoreClocks): Record<string, unknown> {
  let made = order
  for (const path of timePaths) {
    const given = valueAt(order, path)
    const time = localTimeOf(given)
    if (time === undefined && typeof given === 'string' && given !== '' && !/^\d{4}-\d{2}-\d{2}T/.test(given))
      throw new UsageError(`${path}: "${given.slice(0, 80)}" is not a time such as 11/25/2026 3:00 PM`)
    if (time !== undefined) made = withValue(made, path, clocks.momentOf(time, order, path), '--us-times')
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

/** `11/25/2026 3:00 PM`, `11/25/26, 15:00`. */
const usTime =
  /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})[,\s]+(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([AP])\.?M\.?)?\s*$/i

/** `2026-11-25 15:00`, `2026-11-25T15:00:00`. */
const isoTime = /^\s*(\d{4})-(\d{2})-(\d{2})[T\s]+(\d{1,2}:\d{2}(?::\d{2})?)\s*$/i

function localTimeOf(value: unknown): WallTime | undefined {
  const text = typeof value === 'string' ? value : ''
  const american = text.replace(isoTime, '$2/$3/$1 $4')
  const [, month = '', day = '', year = '', hour = '', minute = '0', second = '0', half] = usTime.exec(american) ?? []
  if (month === '' || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  const fullYear = year.length === 2 ? 2_000 + Number(year) : Number(year)
  const wallMs = Date.UTC(fullYear, Number(month) - 1, Number(day), hours, Number(minute), Number(second))
  const date = new Date(wallMs)
  const isDate = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day) && hours < 24
  return isDate && Number(minute) < 60 ? { text, wallMs } : undefined
}

/** Throws `RangeError` for what is not a zone. */
export function zoneFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
}
