import { hash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type IdentifiedOrder, type OrderLedger, orderDifferences } from '../../client/index.js'
import type { Delivery } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { Notices } from '../output/notices.js'

/**
 * A line of the log: an order that is about to be sent or, with `deliveryId`, the delivery that was created from it.
 */
interface SentOrder {
  /** By this machine's clock: it only names the file. */
  at: string
  profile: string
  clientOrderReference: string | null
  idempotencyKey: string
  /** SHA-256 of its canonical body. */
  bodyHash: string
  /** What the service does not return, to tell later how two orders differ. */
  sent?: Readonly<Record<string, unknown>>
  deliveryId?: string
}

/** The number of monthly files that are searched. */
const months = 24

/**
 * Writes each order's key and body hash to disk before it is sent, in `<dataDir>/orders`: one line per order, without
 * personal data. If that fails, it prints a warning with the key and the order is sent.
 */
export function sentOrderLog(dataDir: string, profile: string, notices: Notices, nowMs: () => number): OrderLedger {
  const directory = join(dataDir, 'orders')
  const entryOf = ({ order, idempotencyKey, bodyHash }: IdentifiedOrder): SentOrder => ({
    at: new Date(nowMs()).toISOString(),
    profile,
    clientOrderReference: order.clientOrderReference ?? null,
    idempotencyKey,
    bodyHash,
  })
  /** Runs what needs the disk. An error of the file system is reported, but does not prevent sending. */
  const onDisk = <Result>(idempotencyKey: string, work: () => Result): Result | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      notices.warn(`Cannot record this order (${error.message}). Its idempotency key: ${idempotencyKey}`)
      return undefined
    }
  }
  return {
    recall(order) {
      const entry = entryOf(order)
      const known = onDisk(order.idempotencyKey, () => {
        makeFolder(directory)
        const found = findLast(directory, identityMark(entry), (line) => line.profile === profile)
        if (found === undefined) append(directory, { ...entry, sent: keptFields(order.order) }, true)
        return found
      })
      // The service's clock has not been asked, so the time of sending is unknown.
      return { wasSent: known !== undefined }
    },
    conclude(order, { deliveryId }) {
      onDisk(order.idempotencyKey, () => append(directory, { ...entryOf(order), deliveryId }, false))
    },
    differences(order, delivery) {
      return onDisk(order.idempotencyKey, () => differencesOnRecord(directory, profile, order, delivery))
    },
  }
}

/** The record of the order that became a delivery; `undefined` if it was not sent from here. */
function differencesOnRecord(directory: string, profile: string, order: IdentifiedOrder, delivery: Delivery) {
  const mark = `"deliveryId":${JSON.stringify(delivery.deliveryId)}`
  const concluded = findLast(directory, mark, (line) => line.profile === profile)
  if (concluded === undefined) return undefined
  if (concluded.bodyHash === order.bodyHash) return []
  const begun = findLast(directory, identityMark(concluded), (line) => line.profile === profile && isRecord(line.sent))
  const differences = orderDifferences({ ...order.order, ...keptFields(order.order) }, delivery, begun?.sent)
  return differences.length > 0 ? differences : undefined
}

/** The parts that a delivery does not show; text that may name a person or a thing is stored only as a hash. */
function keptFields(order: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(order)) return {}
  const { timeWindows, package: cargo, verification, handling, dispatch, tipAmountCents, metadata } = order
  const kept = {
    timeWindows,
    package: isRecord(cargo) ? hashed(cargo, ['description', 'items']) : cargo,
    verification,
    handling,
    dispatch,
    tipAmountCents,
    metadata: isRecord(metadata) ? hashed(metadata, Object.keys(metadata)) : metadata,
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}

function hashed(block: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const digests = names
    .filter((name) => block[name] !== undefined)
    .map((name) => [name, `sha256 ${hash('sha256', JSON.stringify(block[name]), 'hex').slice(0, 12)}`])
  return { ...block, ...Object.fromEntries(digests) }
}

function identityMark({ idempotencyKey, bodyHash }: Pick<SentOrder, 'idempotencyKey' | 'bodyHash'>): string {
  return JSON.stringify({ idempotencyKey, bodyHash }).slice(1, -1)
}

function append(directory: string, entry: SentOrder, isDurable: boolean): void {
  const file = openSync(join(directory, `${entry.at.slice(0, 7)}.ndjson`), 'a', 0o600)
  try {
    // The leading line feed ends a line that a crash may have cut short.
    writeSync(file, `\n${JSON.stringify(entry)}\n`)
    if (isDurable) fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The last matching line with the mark; a line that a crash cut short does not count. */
function findLast(directory: string, mark: string, isMeant: (line: SentOrder) => boolean): SentOrder | undefined {
  const files = readdirSync(directory).filter((name) => /^\d{4}-\d{2}\.ndjson$/.test(name))
  for (const name of files.sort().slice(-months).reverse()) {
    const text = readFileSync(join(directory, name), 'utf8')
    for (let at = text.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1)) {
      const line = tryParseJson(text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)))?.value
      if (isRecord(line) && isMeant(line as unknown as SentOrder)) return line as unknown as SentOrder
    }
  }
  return undefined
}
