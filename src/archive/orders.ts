import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRecord, tryParseJson } from '../shared/json.js'
import { monthlyFiles } from '../shared/monthly-files.js'
import { type SentOrder, SentOrders } from '../trade/sent-orders.js'
import { iso, type Value } from './event-rows.js'
import type { ArchiveWriter } from './writer.js'

/**
 * Takes what dlv sent into `orders`, from the plain files that commands append to without opening a database. They stay the
 * record: a new archive reads all of them, and an existing one those that were appended since.
 *
 * @param account the data name that the lines carry
 * @throws UsageError if the archive cannot be written
 */
export function takeOrders(writer: ArchiveWriter, dataDir: string, account: string): void {
  const files = monthlyFiles(join(dataDir, 'quotes'))
  const { position = {} } = writer.coverage('orders') ?? {}
  const taken: Record<string, number> = {}
  const sent = new SentOrders((reference) => storedOrder(writer, reference))
  for (const file of files) {
    const name = basename(file)
    taken[name] = readLines(file, Number(position[name] ?? 0), account, (line) => sent.add(line))
  }
  if (files.every((file) => taken[basename(file)] === position[basename(file)])) return
  const quoted = new Map(sent.etas)
  const isMissing = [...sent.orders.values()].some(({ quoteId }) => quoteId != null && !quoted.has(quoteId))
  // A quote may be of an earlier day than its order.
  if (isMissing) for (const file of files) readLines(file, 0, account, (line) => addEta(quoted, line))
  writer.exec((prepare) => {
    const put = prepare(
      `INSERT INTO orders (client_order_reference, sent_at, source_file, idempotency_key, quote_id, quoted_eta,
         window_start, window_end, installation_code, package, verification) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET sent_at = excluded.sent_at, source_file = excluded.source_file,
         idempotency_key = excluded.idempotency_key, quote_id = excluded.quote_id, quoted_eta = excluded.quoted_eta,
         window_start = excluded.window_start, window_end = excluded.window_end,
         installation_code = excluded.installation_code, package = excluded.package, verification = excluded.verification`,
    )
    for (const [reference, order] of sent.orders) put.run(reference, ...valuesOf(order, quoted))
  })
  writer.refresh([...sent.orders.keys()])
  // Last: killed before, the next one takes the same lines again.
  const nowMs = writer.nowMs()
  writer.cover('orders', { fromMs: nowMs, toMs: nowMs, position: taken })
}

function valuesOf(order: SentOrder, quoted: ReadonlyMap<string, string>): Value[] {
  const { sentAt, file, idempotencyKey, quoteId, windowStart, windowEnd, installation } = order
  const time = (text: string | null | undefined) => iso(Date.parse(text ?? ''))
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))
  return [
    time(sentAt),
    file ?? null,
    idempotencyKey ?? null,
    quoteId ?? null,
    time(quoted.get(quoteId ?? '')),
    time(windowStart),
    time(windowEnd),
    installation ?? null,
    json(order.package),
    json(order.verification),
  ]
}

function storedOrder(writer: ArchiveWriter, reference: string): SentOrder | undefined {
  const row = writer.database.prepare('SELECT * FROM orders WHERE client_order_reference = ?').get(reference)
  if (row === undefined) return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const json = (value: unknown) => (typeof value === 'string' ? tryParseJson(value)?.value : undefined)
  return {
    sentAt: text(row.sent_at),
    file: text(row.source_file),
    idempotencyKey: text(row.idempotency_key),
    quoteId: text(row.quote_id),
    windowStart: text(row.window_start),
    windowEnd: text(row.window_end),
    installation: text(row.installation_code),
    package: json(row.package),
    verification: json(row.verification),
  }
}

function addEta(etas: Map<string, string>, { quoteId, dropoffEta }: Record<string, unknown>): void {
  if (typeof quoteId === 'string' && typeof dropoffEta === 'string') etas.set(quoteId, dropoffEta)
}

/** Reads an account's whole lines from an offset on, and returns the offset behind the last of them. */
function readLines(file: string, taken: number, account: string, add: (line: Record<string, unknown>) => void): number {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    // What was taken of it ended with a line. Otherwise it was cut since, or put back from a copy.
    const ending = Buffer.alloc(1)
    const isSame = taken <= size && readSync(descriptor, ending, 0, 1, Math.max(0, taken - 1)) === 1 && ending[0] === 10
    const from = isSame ? taken : 0
    const bytes = Buffer.alloc(Math.max(0, size - from))
    const length = readSync(descriptor, bytes, 0, bytes.length, from)
    const end = bytes.subarray(0, length).lastIndexOf('\n') + 1
    for (const text of bytes.toString('utf8', 0, end).split('\n')) {
      const line = text === '' ? undefined : tryParseJson(text)?.value
      if (isRecord(line) && line.profile === account) add(line)
    }
    return from + end
  } finally {
    closeSync(descriptor)
  }
}
