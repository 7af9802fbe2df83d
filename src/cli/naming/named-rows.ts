import type { InputRow, Rows } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { namedDelivery } from './resolve.js'

/** The number of references that are looked up at a time. */
const lookups = 16

/**
 * Rows about existing deliveries, in which an order's reference may stand in the place of the `deliveryId`; each is
 * looked up. A reference that leads to no single delivery is the row's problem.
 *
 * @throws the error of a lookup that failed
 */
export function namedRows(rows: Rows, client: Client): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows)
        for (let at = 0; at < batch.length; at += lookups)
          yield await Promise.all(batch.slice(at, at + lookups).map((row) => named(row, client)))
    },
  }
}

async function named(row: InputRow, client: Client): Promise<InputRow> {
  const name = 'value' in row && isRecord(row.value) ? row.value.deliveryId : undefined
  if (!('value' in row) || typeof name !== 'string' || name === '') return row
  try {
    const { deliveryId } = await namedDelivery(() => client, name)
    return { row: row.row, value: { ...(row.value as object), deliveryId } }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { row: row.row, problem: error.message, clientOrderReference: name }
  }
}
