import { z } from 'zod'
import { CancelRow, type InputRow, type Rows } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { limits, UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { namedDelivery } from './resolve.js'

/** A row of a bulk cancel, which may name its delivery by the order's reference. */
export const NamedCancelRow = CancelRow.partial({ deliveryId: true }).extend({
  clientOrderReference: z.string().optional(),
})

/** The number of references that are looked up at a time. */
const lookups = 16

/** Where a row names its delivery besides `deliveryId`, in which an order's reference may stand too. */
interface Naming {
  /** Whether `clientOrderReference` names it, where there is no `deliveryId`; else it is a field like others. */
  byReference?: boolean
}

/**
 * Rows about existing deliveries by their ids; references are looked up. A reference that leads to no single delivery is
 * the row's problem.
 *
 * @throws the error of a lookup that failed
 */
export function namedRows(rows: Rows, client: Client, naming: Naming = {}): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows)
        for (let at = 0; at < batch.length; at += lookups)
          yield await Promise.all(batch.slice(at, at + lookups).map((row) => named(row, client, naming)))
    },
  }
}

async function named(row: InputRow, client: Client, naming: Naming): Promise<InputRow> {
  if (!('value' in row) || !isRecord(row.value)) return row
  const { name, rest } = nameOf(row.value, naming)
  if (name === undefined) return row
  try {
    const { deliveryId } = await namedDelivery(() => client, name)
    const namedBy = name.replace(/^ref:/, '')
    return {
      ...row,
      value: { deliveryId, ...rest },
      ...(namedBy === deliveryId || name.startsWith('id:') ? {} : { namedBy }),
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const reference = name.replace(/^ref:/, '')
    const clientOrderReference = reference.length > longestShown ? `${reference.slice(0, longestShown)}…` : reference
    return { row: row.row, line: row.line, problem: error.message, clientOrderReference }
  }
}

/** A name that is no reference may be of any length. */
const longestShown = limits.clientOrderReferenceMaxLength

function nameOf(
  value: Readonly<Record<string, unknown>>,
  { byReference }: Naming,
): { name: string | undefined; rest: Record<string, unknown> } {
  const { deliveryId, ...rest } = value
  if (byReference !== true || (deliveryId !== undefined && deliveryId !== ''))
    return { name: typeof deliveryId === 'string' && deliveryId !== '' ? deliveryId : undefined, rest }
  const { clientOrderReference, ...others } = rest
  const isNamed = typeof clientOrderReference === 'string' && clientOrderReference !== ''
  return { name: isNamed ? `ref:${clientOrderReference}` : undefined, rest: others }
}
