import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery, Quote } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { isRecord, textAt, tryParseJson } from '../../shared/json.js'
import { monthlyFiles } from '../../shared/monthly-files.js'
import type { OrderWindow } from '../../trade/promise.js'
import { timeMsOf } from '../../trade/promise.js'
import {
  type SentFacts,
  type SentLine,
  type SentOrder,
  SentOrders,
  sentFactsOf,
  sentOrderOf,
} from '../../trade/sent-orders.js'

/** Monthly files that are kept: a report compares months. */
const months = 13
const batch = 1_000

/**
 * What was sent with orders, in `<dataDir>/quotes`: no event has to say it. The ledger holds ids, references, times, codes
 * and measures, and the archive takes it in. If it cannot be written, lateness falls back to the first ETA.
 */
export class PromiseLedger {
  readonly #folder: string
  #pending: SentLine[] = []
  #isUnwritable = false

  constructor(
    dataDir: string,
    private readonly profile: string,
    private readonly nowMs: () => number,
    /** Told once why it cannot be written, as a sentence for people. */
    private readonly onUnwritable: (text: string) => void = () => {},
  ) {
    this.#folder = join(dataDir, 'quotes')
  }

  /** Keeps what quotes promise. */
  quoted(quotes: readonly Quote[]): void {
    const { profile } = this
    for (const { quoteId, dropoffEta } of quotes)
      if (dropoffEta != null) this.#pending.push({ profile, quoteId, dropoffEta })
    this.flush()
  }

  /** Keeps what is known of an order that is about to be sent: ids, times, codes and measures. Written later, or by `flush`. */
  sent(order: unknown, from: Pick<SentOrder, 'idempotencyKey' | 'file'> = {}): void {
    if (!isRecord(order)) return
    const { clientOrderReference } = order
    if (typeof clientOrderReference !== 'string') return
    const sentAt = new Date(this.nowMs()).toISOString()
    this.#pending.push({
      profile: this.profile,
      clientOrderReference,
      sent: { sentAt, ...from, ...sentOrderOf(order) },
    })
    if (this.#pending.length >= batch) this.flush()
  }

  /** Keeps a quote that was taken for an order, and what it promises. Written later, or by `flush`. */
  chosen(quote: Quote, clientOrderReference: string): void {
    const { profile } = this
    const { quoteId, dropoffEta } = quote
    if (dropoffEta == null) return
    this.#pending.push({ profile, quoteId, dropoffEta }, { profile, quoteId, clientOrderReference })
    if (this.#pending.length >= batch) this.flush()
  }

  /** Keeps the window and the installation that an accepted update gave an order, or that it has none now. Written later. */
  moved({ clientOrderReference }: Pick<Delivery, 'clientOrderReference'>, patch: unknown): void {
    if (typeof clientOrderReference !== 'string' || !isRecord(patch)) return
    const { profile } = this
    const installation = installationOf(patch)
    if (installation !== undefined) this.#pending.push({ profile, clientOrderReference, installation })
    const { timeWindows } = patch
    if (!isRecord(timeWindows)) return
    const { deliveryMode, pickup, dropoff } = timeWindows
    const start = valueAt(dropoff, 'start') ?? valueAt(pickup, 'start')
    const end = valueAt(dropoff, 'end')
    const moved = deliveryMode === 'asap' ? null : { start, end }
    if (moved !== null && start === undefined && end === undefined) return
    this.#pending.push({ profile, clientOrderReference, moved })
    if (this.#pending.length >= batch) this.flush()
  }

  /** Writes what is pending. */
  flush(): void {
    const lines = this.#pending.map((line) => `${JSON.stringify(line)}\n`).join('')
    this.#pending = []
    if (lines === '') return
    try {
      makeFolder(this.#folder)
      const name = `${new Date(this.nowMs()).toISOString().slice(0, 7)}.ndjson`
      const isNew = !existsSync(join(this.#folder, name))
      // The leading line feed ends a line that a crash may have cut short.
      appendFileSync(join(this.#folder, name), `\n${lines}`, { mode: 0o600 })
      if (isNew) for (const old of monthlyFiles(this.#folder).slice(0, -months)) rmSync(old, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      if (this.#isUnwritable) return
      this.#isUnwritable = true
      this.onUnwritable(
        `Cannot keep promised times in ${this.#folder} (${error.message}); reports judge lateness by the first ETA.`,
      )
    }
  }

  /** The known facts of one order; only the lines that name it are parsed. */
  factsOf(reference: string | null | undefined): SentFacts | undefined {
    const order = reference == null ? undefined : this.#sent(JSON.stringify(reference)).orders.get(reference)
    return order && sentFactsOf(order)
  }

  /** The orders of the lines that hold a text. */
  #sent(part: string): SentOrders {
    const sent = new SentOrders()
    for (const file of monthlyFiles(this.#folder))
      for (const text of readFileSync(file, 'utf8').split('\n')) {
        const line = text.includes(part) ? tryParseJson(text)?.value : undefined
        if (isRecord(line) && line.profile === this.profile) sent.add(line)
      }
    return sent
  }

  /**
   * The ETAs of their quotes and the windows of orders by reference, in milliseconds since the epoch; the codes of their
   * installations; and the orders themselves.
   */
  read(): {
    quotes: Map<string, number>
    windows: Map<string, OrderWindow>
    installations: Map<string, string>
    orders: ReadonlyMap<string, SentOrder>
  } {
    const sent = this.#sent('{')
    const quotes = new Map<string, number>()
    const windows = new Map<string, OrderWindow>()
    const installations = new Map<string, string>()
    for (const [reference, order] of sent.orders) {
      const { quoteId, windowStart, windowEnd, installation } = order
      const etaMs = timeMsOf(sent.etas.get(quoteId ?? ''))
      if (etaMs !== undefined) quotes.set(reference, etaMs)
      if (windowStart != null || windowEnd != null)
        windows.set(reference, { startMs: timeMsOf(windowStart), endMs: timeMsOf(windowEnd) })
      if (installation != null) installations.set(reference, installation)
    }
    return { quotes, windows, installations, orders: sent.orders }
  }
}

/** The ledger of a command, which writes what is pending when it ends. */
export function openPromises(
  dataDir: string,
  profile: string,
  nowMs: () => number,
  onClose: (close: () => void) => void,
  onUnwritable: (text: string) => void,
): PromiseLedger {
  const promises = new PromiseLedger(dataDir, profile, nowMs, onUnwritable)
  onClose(() => promises.flush())
  return promises
}

/** The code of an order's installation; `null` for one that is removed. */
function installationOf(order: Readonly<Record<string, unknown>>): string | null | undefined {
  const installation = isRecord(order.dropoff) ? order.dropoff.installation : undefined
  return installation === null ? null : valueAt(installation, 'code')
}

/** A text, or `null` for one that is removed. */
function valueAt(value: unknown, name: string): string | null | undefined {
  return isRecord(value) && value[name] === null ? null : textAt(value, name)
}
