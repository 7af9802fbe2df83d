import { z } from 'zod'
import { CancelRow, type InputRow, type Rows } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { limits, UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { type Naming, namedDelivery } from './find-delivery.js'

/** A row of a bulk cancel, which may name its delivery by the order's reference. */
export const NamedCancelRow = CancelRow.partial({ deliveryId: true }).extend({
  clientOrderReference: z.string().optional(),
})

/** The number of references that are looked up at a time. */
const lookups = 16

/**
 * Rows about existing deliveries by their ids. `deliveryId` is an id; `clientOrderReference` names the delivery where
 * there is none, and is looked up, as are the words of a list. What leads to no single delivery is the row's problem.
 *
 * @throws the error of a lookup that failed
 */
export function namedRows(rows: Rows, client: Client, naming: Naming): Rows {
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
  const { name, rest } = nameOf(row.value, row.isWord === true)
  if (name === undefined) return row
  try {
    const { deliveryId } = await namedDelivery(() => client, name, naming)
    const isId = row.isWord === true && /^(?:del_|id:)/.test(name)
    return {
      row: row.row,
      line: row.line,
      value: { deliveryId, ...rest },
      ...(isId ? {} : { namedBy: name.replace(/^ref:/, '') }),
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const reference = name.replace(/^ref:/, '')
    const clientOrderReference = reference.length > longestShown ? `${reference.slice(0, longestShown)}…` : reference
    return { row: row.row, line: row.line, problem: error.message, hint: error.hint, clientOrderReference }
  }
}

/** A name that is not a reference may have any length. */
const longestShown = limits.clientOrderReferenceMaxLength

/** The name by which a row's delivery is looked up, and the rest of the row. */
function nameOf(
  value: Readonly<Record<string, unknown>>,
  isWord: boolean,
): { name: string | undefined; rest: Record<string, unknown> } {
  const { deliveryId, ...rest } = value
  if (isWord) return { name: typeof deliveryId === 'string' ? deliveryId : undefined, rest }
  if (deliveryId !== undefined && deliveryId !== '') return { name: undefined, rest }
  const { clientOrderReference, ...others } = rest
  const isNamed = typeof clientOrderReference === 'string' && clientOrderReference !== ''
  return { name: isNamed ? `ref:${clientOrderReference}` : undefined, rest: others }
}

/** A change of what a row holds beside the reference that names its delivery. */
export function besideName(change: (value: unknown) => Record<string, unknown>): (value: unknown) => unknown {
  return (value) => {
    if (!isRecord(value)) return change(value)
    const { name, rest } = nameOf(value, false)
    // Lists and results print the reference beside the id, which alone names the delivery.
    if (name === undefined && typeof value.deliveryId === 'string' && value.deliveryId !== '') {
      const { clientOrderReference: _, ...others } = rest
      const changed = change({ deliveryId: value.deliveryId, ...others })
      // Beside nothing else, the reference is the change that was meant, and is refused as one.
      const isAlone = value.clientOrderReference != null && Object.keys(changed).every((name) => name === 'deliveryId')
      return isAlone ? { ...changed, clientOrderReference: value.clientOrderReference } : changed
    }
    return name === undefined ? change(value) : { ...change(rest), clientOrderReference: value.clientOrderReference }
  }
}

/** What a row changes, without the names of its delivery. */
export function changesOf(row: unknown): unknown {
  if (!isRecord(row)) return row
  const { deliveryId: _, clientOrderReference: __, ...changes } = row
  return changes
}

/** Rows that can be shown without asking the service: the name stands in for the id. */
export function unnamedRows(rows: Rows): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows) yield batch.map(unnamed)
    },
  }
}

function unnamed(row: InputRow): InputRow {
  if (!('value' in row) || !isRecord(row.value)) return row
  const { name, rest } = nameOf(row.value, row.isWord === true)
  return name === undefined ? row : { ...row, value: { deliveryId: name, ...rest } }
}
