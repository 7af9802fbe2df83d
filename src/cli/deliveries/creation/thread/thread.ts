/** Reads orders in a thread of its own: their text, what flags change in them, their keys. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { InputRow } from '../../../../bulk/index.js'
import { jsonParserOf, prepareOrder } from '../../../../bulk/internal.js'
import { UsageError } from '../../../../contract/index.js'
import { changedRow } from '../../rows/changed-row.js'
import { orderOfRow } from '../../rows/order-row.js'
import { type FromThread, faultOf, type PackedRows, type ThreadSetup, type ToThread } from './messages.js'

const { format, completion, keys } = workerData as ThreadSetup
const port = parentPort as MessagePort
let parser = jsonParserOf(format)
const tell = (message: FromThread) => port.postMessage(message)

function packed(rows: readonly InputRow[]): PackedRows {
  const made: PackedRows = {
    numbers: [],
    references: [],
    keys: [],
    hashes: [],
    texts: [],
    problems: [],
    quoteIds: [],
  }
  for (const row of rows) pack(row, made)
  return made
}

function pack(given: InputRow, made: PackedRows): void {
  const row = changedRow(given, (value) => orderOfRow(value, completion))
  if ('problem' in row) {
    made.problems.push(row)
    return
  }
  try {
    const { clientOrderReference, idempotencyKey, bodyHash, canonical } = prepareOrder(row.value, keys)
    const { quoteId } = row.value as { quoteId?: unknown }
    if (typeof quoteId === 'string') made.quoteIds.push([made.numbers.length, quoteId])
    made.numbers.push(row.row)
    made.references.push(clientOrderReference)
    made.keys.push(idempotencyKey)
    made.hashes.push(bodyHash)
    made.texts.push(canonical)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    made.problems.push({ row: row.row, problem: error.message, hint: error.hint })
  }
}

function read(message: Exclude<ToThread, { from: unknown }>): FromThread {
  try {
    return packed(message === 'end' ? parser.end() : parser.push(message.piece))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { fault: faultOf(error) }
  }
}

port.on('message', (message: ToThread) => {
  if (typeof message === 'object' && 'from' in message) {
    parser = jsonParserOf(format, message.from)
    parser.push(message.from.rest)
    return
  }
  tell(read(message))
  if (message === 'end') port.close()
})
tell('ready')
