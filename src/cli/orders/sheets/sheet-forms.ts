import { phoneOf, UsageError, wholeDigits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { withWindowEnds } from '../../../trade/zoned-time.js'
import { isMissing, withValue } from '../../input/assignments.js'
import { timePaths } from './sheet-evidence.js'
import type { SheetTimes } from './sheet-times.js'
import { refuseDoubtful, type UnitDoubt } from './unit-doubts.js'
import { zonedMoment } from './zoned-text.js'

/** How the phones and times of a sheet are written, beside the forms of the contract. */
export interface SheetForms {
  /** Phones such as `(910) 555-0101`. */
  usPhones: boolean
  /** How times without a zone are read, such as `11/25/2026 3:00 PM`. */
  times: SheetTimes | undefined
  /** Values of orders that have none of their own, by path. */
  values?: ReadonlyMap<string, unknown> | undefined
  /** How long a window is of which a row gives one end, in milliseconds. */
  windowMs?: number | undefined
  /** The references of stores by the names that the sheet has for them, in lower case. */
  stores?: ReadonlyMap<string, string> | undefined
  /** Fields of columns that are probably in another unit than the contract's. */
  doubts?: readonly UnitDoubt[] | undefined
}

const phonePath = 'dropoff.contactPhone'

/** All values of an order that cannot be read in the forms of its sheet, beside what was read. */
export class UnreadForms extends UsageError {
  /** @param unread the paths of the fields that could not be read */
  constructor(
    faults: readonly UsageError[],
    readonly order: Record<string, unknown>,
    readonly unread: readonly string[],
  ) {
    const hints = new Set(faults.flatMap(({ hint }) => hint ?? []))
    super(faults.map(({ message }) => message).join('; '), hints.size === 0 ? {} : { hint: [...hints].join(' ') })
  }
}

/**
 * An order with phones and times in the forms of the contract. What is not in one of the given forms stays as it is.
 *
 * @throws UnreadForms for a time that does not exist, that can be read in two ways, or whose zone is not known
 */
export function withForms(
  order: Record<string, unknown>,
  { usPhones, times, values, windowMs, stores, doubts }: SheetForms = { usPhones: false, times: undefined },
): Record<string, unknown> {
  let made = withStore(withWindowEnds(order), stores)
  for (const [path, value] of values ?? [])
    if (isMissing(valueAt(made, path))) made = withValue(made, path, value, '--map-file: values')
  const given = valueAt(order, phonePath)
  const phone = usPhones ? phoneOf(typeof given === 'string' ? wholeDigits(given) : given) : undefined
  if (phone !== undefined) made = withValue(made, phonePath, phone, '--us-phones')
  const faults = new Map<string, UsageError>()
  for (const doubt of doubts ?? []) noteFault(faults, doubt.path, () => refuseDoubtful(order, doubt))
  const dated = made
  for (const path of timePaths) {
    const text = valueAt(dated, path)
    if (typeof text !== 'string' || text === '') continue
    let isZoned = false
    const moment = noteFault(faults, path, () => {
      const zoned = zonedMoment(text, times, path)
      isZoned = zoned !== undefined
      return zoned ?? times?.momentOf(text, dated, path)
    })
    if (moment !== undefined) made = withValue(made, path, moment, isZoned ? undefined : '--us-times')
  }
  if (faults.size > 0) throw new UnreadForms([...faults.values()], made, [...faults.keys()])
  return windowMs === undefined ? made : withBothEnds(made, windowMs)
}

const storePath = 'pickup.storeReference'

function withStore(order: Record<string, unknown>, stores: SheetForms['stores']): Record<string, unknown> {
  const given = valueAt(order, storePath)
  const store = typeof given === 'string' ? stores?.get(given.trim().toLowerCase()) : undefined
  return store === undefined ? order : withValue(order, storePath, store, '--map-file: stores')
}

/** An order whose windows have the end that they lack, as far from the other as the sheet's windows are long. */
function withBothEnds(order: Record<string, unknown>, windowMs: number): Record<string, unknown> {
  let made = order
  for (const stop of ['pickup', 'dropoff']) {
    const [start, end] = [`timeWindows.${stop}.start`, `timeWindows.${stop}.end`]
    const [from, until] = [valueAt(order, start), valueAt(order, end)].map((time) => Date.parse(String(time ?? '')))
    const set = (path: string, ms: number) => {
      made = withValue(made, path, new Date(ms).toISOString(), '--map-file: windowLength')
    }
    if (from !== undefined && !Number.isNaN(from) && isMissing(valueAt(order, end))) set(end, from + windowMs)
    if (until !== undefined && !Number.isNaN(until) && isMissing(valueAt(order, start))) set(start, until - windowMs)
  }
  return made
}

/** The value, or nothing if reading it throws a `UsageError`, which is noted unless another field says the same. */
function noteFault<Value>(faults: Map<string, UsageError>, path: string, read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const reason = ({ message }: UsageError) => message.replace(/^[\w.]+: /, '')
    if (![...faults.values()].some((known) => reason(known) === reason(error))) faults.set(path, error)
    return undefined
  }
}
