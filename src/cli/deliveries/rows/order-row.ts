import { DeliveryCreate, readRequest, UsageError } from '../../../contract/index.js'
import type { Settings } from '../../../profiles/index.js'
import { valueAt } from '../../../render/view.js'
import { windowWithoutMode } from '../../../shared/order-guards.js'
import { refuseTestValuesOnProduction } from '../../command/production-guard.js'
import { withValue } from '../../input/assignments.js'
import type { KeptValues, OrderAssignment } from './kept-values.js'
import { type SheetForms, withForms } from './us-forms.js'

/** The changes that flags and the account make to each row. */
export interface RowCompletion {
  assignments: readonly OrderAssignment[]
  quoteId: string | undefined
  maxTipCents?: number | undefined
  forms?: SheetForms | undefined
  /** Counts what rows of a file keep; without it, flags replace what the order has. */
  kept?: KeptValues | undefined
  account: Pick<Settings, 'environment' | 'profile'>
}

/**
 * An order with its values as the contract writes them, and with what flags assign; with `kept`, where it has no value
 * of its own. Throws `UsageError` for what is no
 * order.
 */
export function withAssigned(
  order: unknown,
  assignments: readonly OrderAssignment[],
  kept?: KeptValues,
): Record<string, unknown> {
  if (typeof order !== 'object' || order === null || Array.isArray(order))
    throw new UsageError('An order must be a JSON object.')
  const given = readRequest(DeliveryCreate, order as Record<string, unknown>)
  const made = (kept?.left(given, assignments) ?? assignments).reduce(
    (made, { path, value, flag, forWindow, forMove }) => {
      if (forWindow && windowWithoutMode(made) === undefined) return made
      if (forMove && (valueAt(made, 'dropoff.address') == null || valueAt(made, path) != null)) return made
      return withValue(made, path, value, flag)
    },
    given,
  )
  return made === given ? given : readRequest(DeliveryCreate, made)
}

/** The order of one row or file. Throws `UsageError` for what must not reach production. */
export function completedOrder(
  value: unknown,
  { assignments, quoteId, account, forms, kept }: RowCompletion,
): Record<string, unknown> {
  const order = withForms(withAssigned(value, assignments, kept), forms)
  refuseTestValuesOnProduction(account, order)
  return quoteId === undefined ? order : { ...order, quoteId }
}
