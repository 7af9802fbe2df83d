import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery, Quote } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { isRecord, textAt, timeAt, tryParseJson } from '../../shared/json.js'
import type { OrderWindow } from '../../trade/promise.js'

interface OrderWindowTexts {
  start?: string | undefined
  end?: string | undefined
}

/**
 * A line of the ledger: what a quote promised, which order was created with it, the window of an order, or what an update
 * made of it, where `null` is an end that was removed; and the installation of an order, `null` if an update removed it.
 */
type Line =
  | { profile: string; quoteId: string; dropoffEta: string }
  | { profile: string; quoteId: string; clientOrderReference: string }
  | { profile: string; clientOrderReference: string; window: OrderWindowTexts }
  | { profile: string; clientOrderReference: string; installation: string | null }
  | {
      profile: string
      clientOrderReference: string
      moved: { start?: string | null | undefined; end?: string | null | undefined } | null
    }

/** Monthly files that are kept: a report compares months. */
const months = 13
const batch = 1_000

/**
 * The quotes, windows and installations that orders were created with, in `<dataDir>/quotes`: no event has to say them. The
 * ledger holds ids, references, times and codes. If it cannot be written, lateness falls back to the first ETA.
 */
export class PromiseLedger {
  readonly #folder: string
  #pending: Line[] = []
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

  /** Keeps the quote, the window and the installation that an order is created with, if it has them. Written later, or by `flush`. */
  ordered(order: unknown): void {
    if (!isRecord(order)) return
    const { clientOrderReference, quoteId } = order
    if (typeof clientOrderReference !== 'string') return
    const { profile } = this
    const window = windowTexts(order.timeWindows)
    if (window !== undefined) this.#pending.push({ profile, clientOrderReference, window })
    if (typeof quoteId === 'string') this.#pending.push({ profile, quoteId, clientOrderReference })
    const installation = installationOf(order)
    if (typeof installation === 'string') this.#pending.push({ profile, clientOrderReference, installation })
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
      if (isNew) for (const old of this.#files().slice(0, -months)) rmSync(join(this.#folder, old), { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      if (this.#isUnwritable) return
      this.#isUnwritable = true
      this.onUnwritable(
        `Cannot keep promised times in ${this.#folder} (${error.message}): make the directory writable; until then, reports judge lateness by the first ETA.`,
      )
    }
  }

  /**
   * The ETAs of their quotes and the windows of orders by reference, in milliseconds since the epoch; and the codes of their
   * installations.
   */
  read(): { quotes: Map<string, number>; windows: Map<string, OrderWindow>; installations: Map<string, string> } {
    const etas = new Map<string, number>()
    const windows = new Map<string, OrderWindow>()
    const installations = new Map<string, string>()
    const chosen = new Map<string, string>()
    for (const name of this.#files())
      for (const text of readFileSync(join(this.#folder, name), 'utf8').split('\n')) {
        const line = text === '' ? undefined : tryParseJson(text)?.value
        if (!isRecord(line) || line.profile !== this.profile) continue
        if (isRecord(line.window) && typeof line.clientOrderReference === 'string')
          windows.set(line.clientOrderReference, {
            startMs: timeAt(line.window, 'start'),
            endMs: timeAt(line.window, 'end'),
          })
        if ('installation' in line && typeof line.clientOrderReference === 'string') {
          if (typeof line.installation === 'string') installations.set(line.clientOrderReference, line.installation)
          else installations.delete(line.clientOrderReference)
        }
        if ('moved' in line && typeof line.clientOrderReference === 'string') {
          // The time of the quote was for the window before.
          chosen.delete(line.clientOrderReference)
          if (!isRecord(line.moved)) windows.delete(line.clientOrderReference)
          else {
            const { start, end } = line.moved
            const before = windows.get(line.clientOrderReference)
            windows.set(line.clientOrderReference, {
              startMs: start === undefined ? before?.startMs : timeAt(line.moved, 'start'),
              endMs: end === undefined ? before?.endMs : timeAt(line.moved, 'end'),
            })
          }
        }
        if (typeof line.quoteId !== 'string') continue
        if (typeof line.clientOrderReference === 'string') chosen.set(line.clientOrderReference, line.quoteId)
        const etaMs = timeAt(line, 'dropoffEta')
        if (etaMs !== undefined) etas.set(line.quoteId, etaMs)
      }
    const quotes = new Map<string, number>()
    for (const [reference, quoteId] of chosen) {
      const etaMs = etas.get(quoteId)
      if (etaMs !== undefined) quotes.set(reference, etaMs)
    }
    return { quotes, windows, installations }
  }

  #files(): string[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .filter((name) => /^\d{4}-\d{2}\.ndjson$/.test(name))
      .sort()
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

/** The start and the end of an order's window as they are written; `undefined` if it has neither. */
function windowTexts(timeWindows: unknown): OrderWindowTexts | undefined {
  if (!isRecord(timeWindows) || timeWindows.deliveryMode === 'asap') return undefined
  const { dropoff, pickup } = timeWindows
  const start = textAt(dropoff, 'start') ?? textAt(pickup, 'start')
  const end = textAt(dropoff, 'end')
  if (start === undefined && end === undefined) return undefined
  return { start, end }
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
