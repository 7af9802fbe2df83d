import { join } from 'node:path'
import {
  type OrderTexts,
  readSentSince,
  type SentOrder,
  SentOrders,
  type SentPosition,
  type SentTexts,
  takeTexts,
  withLaterTexts,
} from '../sent/index.js'
import { tryParseJson } from '../shared/json.js'
import { iso, type Value } from './event-rows.js'
import { coverageOf } from './files.js'
import type { ArchiveReader } from './reader.js'
import type { ArchiveWriter } from './writer.js'

/**
 * Takes what dlv sent into `orders`, from the ledger that commands write without opening an archive. The ledger stays the
 * record: a new archive reads all of it, and an existing one what was added since. Words that may name a person are moved
 * into `order_texts`, and are dropped if the archive keeps no people.
 *
 * @param account the data name that the ledger keeps the account under
 * @throws UsageError if the archive cannot be written
 */
export function takeOrders(writer: ArchiveWriter, dataDir: string, account: string): void {
  const since = writer.coverage('orders')?.position
  readSentSince(join(dataDir, 'orders.db'), account, positionOf(since), ({ lines, position, etaOf }) => {
    const sent = new SentOrders((reference) => storedOrder(writer, reference))
    for (const line of lines) sent.add(line)
    write(writer, sent.orders, etaOf)
    // Last: killed before, the next one takes the same lines again.
    const nowMs = writer.nowMs()
    writer.cover('orders', { fromMs: nowMs, toMs: nowMs, position: { ...position } })
  })
  takeTexts(join(dataDir, 'orders.db'), account, (found) => writer.writeTexts(textsByReference(writer, found)))
}

/** Whether the ledger has orders of the account that the archive has not taken yet. */
export function lacksOrders({ database }: ArchiveReader, dataDir: string, account: string): boolean {
  const since = coverageOf(database.prepare("SELECT * FROM syncs WHERE source = 'orders'").get())?.position
  let isLacking = false
  readSentSince(join(dataDir, 'orders.db'), account, positionOf(since), ({ lines }) => {
    for (const _ of lines) {
      isLacking = true
      break
    }
  })
  return isLacking
}

/** The words to keep of each order: those that an archive has, with the ones that waited laid over them. */
function textsByReference(writer: ArchiveWriter, found: readonly SentTexts[]) {
  const all = new Map<string, { atMs: number; texts: OrderTexts }>()
  for (const { clientOrderReference: reference, atMs, texts } of found) {
    const before = all.get(reference)?.texts ?? writer.textsOf(reference)
    all.set(reference, { atMs, texts: withLaterTexts(before, texts) })
  }
  return all
}

function positionOf(position: Readonly<Record<string, unknown>> | undefined): SentPosition | undefined {
  const [ledger, orders, changes] = [position?.ledger, position?.orders, position?.changes].map(Number)
  if (!ledger || orders === undefined || changes === undefined) return undefined
  return Number.isNaN(orders + changes) ? undefined : { ledger, orders, changes }
}

type EtaOf = (quoteId: string) => string | undefined

function write(writer: ArchiveWriter, orders: ReadonlyMap<string, SentOrder>, etaOf: EtaOf): void {
  writer.exec((prepare) => {
    const put = prepare(
      `INSERT INTO orders (client_order_reference, sent_at, source_file, source_row, idempotency_key, quote_id, quoted_eta,
         window_start, window_end, installation_code, package, verification) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET sent_at = excluded.sent_at, source_file = excluded.source_file,
         source_row = excluded.source_row,
         idempotency_key = excluded.idempotency_key, quote_id = excluded.quote_id, quoted_eta = excluded.quoted_eta,
         window_start = excluded.window_start, window_end = excluded.window_end,
         installation_code = excluded.installation_code, package = excluded.package, verification = excluded.verification`,
    )
    for (const [reference, order] of orders) put.run(reference, ...valuesOf(order, etaOf))
  })
  writer.refresh([...orders.keys()])
}

function valuesOf(order: SentOrder, etaOf: EtaOf): Value[] {
  const { sentAt, file, line, idempotencyKey, quoteId, windowStart, windowEnd, installation } = order
  const time = (text: string | null | undefined) => iso(Date.parse(text ?? ''))
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))
  return [
    time(sentAt),
    file ?? null,
    line ?? null,
    idempotencyKey ?? null,
    quoteId ?? null,
    time(quoteId == null ? undefined : etaOf(quoteId)),
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
    line: typeof row.source_row === 'number' ? row.source_row : undefined,
    idempotencyKey: text(row.idempotency_key),
    quoteId: text(row.quote_id),
    windowStart: text(row.window_start),
    windowEnd: text(row.window_end),
    installation: text(row.installation_code),
    package: json(row.package),
    verification: json(row.verification),
  }
}
