import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Quote } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** A line of the ledger: what a quote promised, or which order was created with it. */
type Line =
  | { profile: string; quoteId: string; dropoffEta: string }
  | { profile: string; quoteId: string; clientOrderReference: string }

/** Monthly files that are kept: a report compares months. */
const months = 13
const batch = 1_000

/**
 * What quotes promised to the orders that were created with them, in `<dataDir>/quotes`: no event says it. The ledger
 * holds ids, references and times. If it cannot be written, a report falls back to the first ETA.
 */
export class QuotePromises {
  readonly #folder: string
  #pending: Line[] = []

  constructor(
    dataDir: string,
    private readonly profile: string,
    private readonly nowMs: () => number,
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

  /** Keeps which quote an order is created with; nothing for an order without one. Written later, or by `flush`. */
  ordered(order: unknown): void {
    if (!isRecord(order)) return
    const { clientOrderReference, quoteId } = order
    if (typeof clientOrderReference !== 'string' || typeof quoteId !== 'string') return
    this.#pending.push({ profile: this.profile, quoteId, clientOrderReference })
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
      if (isNew) for (const old of this.#files().slice(0, -months)) rmSync(join(this.#folder, old), { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }

  /** When each order was promised, in milliseconds since the epoch by its reference. */
  read(): Map<string, number> {
    const etas = new Map<string, number>()
    const chosen = new Map<string, string>()
    for (const name of this.#files())
      for (const text of readFileSync(join(this.#folder, name), 'utf8').split('\n')) {
        const line = text === '' ? undefined : tryParseJson(text)?.value
        if (!isRecord(line) || line.profile !== this.profile || typeof line.quoteId !== 'string') continue
        if (typeof line.clientOrderReference === 'string') chosen.set(line.clientOrderReference, line.quoteId)
        const etaMs = typeof line.dropoffEta === 'string' ? Date.parse(line.dropoffEta) : Number.NaN
        if (!Number.isNaN(etaMs)) etas.set(line.quoteId, etaMs)
      }
    const promises = new Map<string, number>()
    for (const [reference, quoteId] of chosen) {
      const etaMs = etas.get(quoteId)
      if (etaMs !== undefined) promises.set(reference, etaMs)
    }
    return promises
  }

  #files(): string[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .filter((name) => /^\d{4}-\d{2}\.ndjson$/.test(name))
      .sort()
  }
}
