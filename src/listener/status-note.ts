import type { Journal } from './journal/journal.js'
import { type ListenerNote, listenerCursor } from './journal/sqlite/listener-record.js'

/** Interval at which the number of rejected requests is recorded. */
const notedEveryMs = 2_000

/** What `webhooks status` reads of a journal that only this process writes; the members of a shared one are in its locks. */
export class StatusNote {
  #url: string | null = null
  #rejected = 0
  #noted: string | undefined
  readonly #timer = setInterval(() => this.#write().catch(() => {}), notedEveryMs).unref()

  constructor(
    readonly journal: Journal,
    readonly sinceMs: number,
  ) {}

  /** Takes the address at once, and counts rejected requests. */
  async take({ url, rejected = 0 }: { url?: string; rejected?: number }): Promise<void> {
    this.#rejected += rejected
    if (rejected > 0) return
    this.#url = url ?? this.#url
    await this.#write()
  }

  async #write(): Promise<void> {
    const note: ListenerNote = {
      since: new Date(this.sinceMs).toISOString(),
      url: this.#url,
      rejected: this.#rejected,
    }
    const text = JSON.stringify(note)
    if (this.#noted === text) return
    this.#noted = text
    await this.journal.setCursor(listenerCursor, text)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write().catch(() => {})
  }
}
