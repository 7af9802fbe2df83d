import { phoneOf, wholeDigits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { withWindowEnds } from '../../../trade/zoned-time.js'
import { withValue } from '../../input/assignments.js'
import { timePaths } from './sheet-evidence.js'
import type { SheetTimes } from './sheet-times.js'
import { refuseDoubtful, type UnitDoubt } from './unit-doubts.js'
import { zonedMoment } from './written-time.js'

/** How the phones and times of a sheet are written, beside the forms of the contract. */
export interface SheetForms {
  /** Phones such as `(910) 555-0101`. */
  usPhones: boolean
  /** How times without a zone are read, such as `11/25/2026 3:00 PM`. */
  times: SheetTimes | undefined
  /** Values of orders that have none of their own, by path. */
  values?: ReadonlyMap<string, unknown> | undefined
  /** Fields of columns that are probably in another unit than the contract's. */
  doubts?: readonly UnitDoubt[] | undefined
}

const phonePath = 'dropoff.contactPhone'

/**
 * An order with phones and times in the forms of the contract. What is not in one of the given forms stays as it is.
 *
 * @throws UsageError for a time that does not exist, that can be read in two ways, or whose zone is not known
 */
export function withForms(
  order: Record<string, unknown>,
  { usPhones, times, values, doubts }: SheetForms = { usPhones: false, times: undefined },
): Record<string, unknown> {
  let made = withWindowEnds(order)
  for (const [path, value] of values ?? [])
    if (isBlank(valueAt(made, path))) made = withValue(made, path, value, '--map-file: values')
  const given = valueAt(order, phonePath)
  const phone = usPhones ? phoneOf(typeof given === 'string' ? wholeDigits(given) : given) : undefined
  if (phone !== undefined) made = withValue(made, phonePath, phone, '--us-phones')
  for (const doubt of doubts ?? []) refuseDoubtful(order, doubt)
  const dated = made
  for (const path of timePaths) {
    const text = valueAt(dated, path)
    if (typeof text !== 'string' || text === '') continue
    const zoned = zonedMoment(text, times)
    const moment = zoned ?? times?.momentOf(text, dated, path)
    if (moment !== undefined) made = withValue(made, path, moment, zoned === undefined ? '--us-times' : undefined)
  }
  return made
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
