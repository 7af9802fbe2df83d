import type { InputRow, Rows } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { ApiError, type Delivery, UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { valueAt } from '../../render/view.js'
import { installationLeft, movesWithoutInstallation } from '../../shared/order-guards.js'

/** The number of deliveries that are read at a time. */
const readsAtOnce = 16

/** Refuses a new address for a delivery on an installation, unless the update names the one that applies, or none. */
export function assertInstallationGiven(patch: unknown, delivery: Delivery): void {
  const code = installationLeft(patch, delivery)
  if (code === undefined) return
  throw new UsageError(
    `dropoff.address (--to): the delivery is on the installation ${plainText(code)}, and the new address may not be.`,
    { hint: 'Nothing was sent. Add --no-installation, or --installation CODE for the one that the new address is on.' },
  )
}

/** Rows of updates; one that moves a delivery off its installation without saying so becomes a problem. */
export function movedRows(rows: Rows, client: Pick<Client, 'getDelivery'>): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows)
        for (let at = 0; at < batch.length; at += readsAtOnce)
          yield await Promise.all(batch.slice(at, at + readsAtOnce).map((row) => checked(row, client)))
    },
  }
}

async function checked(row: InputRow, client: Pick<Client, 'getDelivery'>): Promise<InputRow> {
  if (!('value' in row) || !movesWithoutInstallation(row.value)) return row
  const deliveryId = valueAt(row.value, 'deliveryId')
  if (typeof deliveryId !== 'string') return row
  try {
    assertInstallationGiven(row.value, await client.getDelivery({ deliveryId }))
    return row
  } catch (error) {
    // The row's own request will say what is wrong with its id.
    if (error instanceof ApiError && [400, 404].includes(error.status)) return row
    if (!(error instanceof UsageError)) throw error
    return { row: row.row, line: row.line, problem: error.message, hint: error.hint }
  }
}
