import { type FileLedger, openOrderLedger } from '../../bulk/index.js'
import { isDamaged } from '../../shared/sqlite-lock.js'
import type { Notices } from '../output/notices.js'

/**
 * The ledger of an account's orders in a file, for single orders and runs alike. If it cannot be used, it
 * prints a warning and the orders are sent.
 */
export function orderLedger(file: string, account: string, notices: Notices, nowMs: () => number): FileLedger {
  let failure: Error | undefined
  /** Runs an operation on the file. A file system error is reported, but does not prevent sending. */
  const onDisk = <Result>(work: () => Result): Result | undefined => {
    if (failure !== undefined) return undefined
    try {
      return work()
    } catch (error) {
      failure = diskError(error)
      return undefined
    }
  }
  const ledger = onDisk(() => openOrderLedger({ file, account, nowMs }))
  let isWarned = false
  const warn = (keys: readonly string[]) => {
    if (failure === undefined || isWarned) return
    isWarned = true
    const what = keys.length === 1 ? 'this order' : 'the orders of this run'
    const rest = keys.length === 1 ? `Its idempotency key: ${keys[0]}` : `Only its results file knows them.`
    const remedy = isDamaged(failure) ? ' Move the damaged file away, and a new one begins.' : ''
    notices.warn(`Cannot record ${what} in ${file} (${failure.message}).${remedy} ${rest}`)
  }
  return {
    async recall(orders, serviceMs) {
      const known = onDisk(() => ledger?.recall(orders, serviceMs))
      warn(orders.map(({ idempotencyKey }) => idempotencyKey))
      return (await known) ?? orders.map(() => ({ wasSent: false }))
    },
    conclude: (order, delivery) => onDisk(() => ledger?.conclude?.(order, delivery)),
    forget: (order) => onDisk(() => ledger?.forget?.(order)),
    differences: (order, delivery) => onDisk(() => ledger?.differences?.(order, delivery)),
    sentParts: (delivery) => onDisk(() => ledger?.sentParts(delivery)),
    deliveryOf: (reference) => onDisk(() => ledger?.deliveryOf(reference)),
    hasNew: (deliveryId, withinMs) => onDisk(() => ledger?.hasNew(deliveryId, withinMs)) ?? false,
    close: () => onDisk(() => ledger?.close()),
  }
}

function diskError(error: unknown): Error {
  if (error instanceof Error && ('syscall' in error || 'errcode' in error)) return error
  throw error
}
