import { namedUnit, type Unit, UsageError, unitsOf } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'

/** A field from a column that may be in another unit. */
export interface UnitDoubt {
  path: string
  /** The unit that the column's name suggests. */
  unit: Unit
  /** The numbers that are hardly meant in the contract's unit: whole ones below this. */
  below: number
  /** How to say what is meant. */
  hint: string
}

/** What a column may hold whose unit was not said; a tip in any column may be in dollars. */
export function doubtOf(theirs: string, path: string): UnitDoubt[] {
  const isTip = path === 'tipAmountCents'
  const unit = namedUnit(theirs, path) ?? (isTip && !/cent/i.test(theirs) ? 'dollars' : undefined)
  if (unit === undefined) return []
  const [contractUnit] = unitsOf(path)
  const said = `--map "${theirs}=${path}:${unit}"`
  const hint = isTip
    ? `--us-tips reads dollars. If cents are meant: --map "${theirs}=${path}:cents".`
    : `${said} reads ${unit}. If ${contractUnit} are meant: --map "${theirs}=${path}:${contractUnit}".`
  return [{ path, unit, below: isTip ? 100 : 1_000, hint }]
}

/** `45` in a column "Total" is 45 dollars, and `12` in "Weight (lb)" 12 pounds. */
export function refuseDoubtful(order: unknown, { path, below, hint }: UnitDoubt): void {
  const amount = valueAt(order, path)
  if (typeof amount !== 'number' || amount <= 0 || amount >= below) return
  const [contractUnit] = unitsOf(path)
  throw new UsageError(`${path}: "${amount}" would be ${amount} ${contractUnit}`, { hint })
}
