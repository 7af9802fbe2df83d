import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { limits, UsageError } from '../../contract/index.js'
import type { EventFact } from '../../report/index.js'
import { makeFolder, replacePrivateFile } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The period that a cache covers without a gap, in milliseconds since the epoch. */
export interface CachedSpan {
  sinceMs: number
  untilMs: number
}

/**
 * Facts of events that were fetched before, one file per day (UTC), so that a report requests only new events and past
 * months stay comparable. It has no names, phone numbers or addresses, only postal codes.
 */
export class FactCache {
  readonly #folder: string

  /** @param account what identifies the account, such as the base URL and the profile; only its hash is stored */
  constructor(dataDir: string, account: string) {
    const name = createHash('sha256').update(account).digest('hex').slice(0, 16)
    this.#folder = join(dataDir, 'report', name)
  }

  /** The period that the cache covers; `undefined` if it is empty or was cut short while being written. */
  span(): CachedSpan | undefined {
    const file = join(this.#folder, 'span.json')
    if (!existsSync(file)) return undefined
    const span = tryParseJson(readFileSync(file, 'utf8'))?.value
    if (!isRecord(span) || typeof span.sinceMs !== 'number' || typeof span.untilMs !== 'number') return undefined
    return { sinceMs: span.sinceMs, untilMs: span.untilMs }
  }

  setSpan(span: CachedSpan): void {
    this.#write('span.json', JSON.stringify(span))
  }

  /** The facts of a period, day by day. */
  *read(fromMs: number, untilMs: number): Generator<EventFact> {
    const [first, last] = [dayOf(fromMs), dayOf(untilMs)]
    for (const day of this.#days()) if (day >= first && day <= last) yield* this.#facts(day)
  }

  /** Adds the facts of a day; a fact replaces an earlier one of the same event. */
  addDay(day: string, facts: readonly EventFact[]): void {
    const merged = this.#day(day)
    for (const fact of facts) merged.set(fact.eventId, fact)
    this.#write(`${day}.ndjson`, [...merged.values()].map((fact) => `${JSON.stringify(fact)}\n`).join(''))
  }

  /** Whether the newest fact is among these events; `undefined` if the cache has no fact. */
  newest(): EventFact | undefined {
    for (const day of this.#days().reverse()) {
      const facts = [...this.#day(day).values()]
      if (facts.length > 0)
        return facts.reduce((newest, fact) => (fact.occurredAtMs >= newest.occurredAtMs ? fact : newest))
    }
    return undefined
  }

  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #days(): string[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .filter((name) => /^\d{4}-\d{2}-\d{2}\.ndjson$/.test(name))
      .map((name) => name.slice(0, 10))
      .sort()
  }

  #day(day: string): Map<string, EventFact> {
    return new Map(Array.from(this.#facts(day), (fact) => [fact.eventId, fact]))
  }

  /** The facts of a day's file, one at a time; a file has each fact once. */
  *#facts(day: string): Generator<EventFact> {
    const file = join(this.#folder, `${day}.ndjson`)
    if (!existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    let line = 0
    for (let at = 0, end = 0; at < text.length; at = end + 1) {
      end = text.indexOf('\n', at)
      if (end < 0) end = text.length
      line++
      if (end === at) continue
      const fact = tryParseJson(text.slice(at, end))?.value
      if (!isFact(fact)) throw this.#damaged(file, line)
      yield fact
    }
  }

  #damaged(file: string, line: number): UsageError {
    return new UsageError(`${file}, where reports keep past events, is damaged at line ${line}`, {
      hint: `Remove line ${line} to go on without that event, or the directory ${this.#folder} to request the last ${limits.eventRetentionDays} days again.`,
    })
  }

  #write(name: string, text: string): void {
    makeFolder(this.#folder)
    replacePrivateFile(join(this.#folder, name), text)
  }
}

function isFact(value: unknown): value is EventFact {
  return (
    isRecord(value) &&
    typeof value.eventId === 'string' &&
    typeof value.eventType === 'string' &&
    typeof value.occurredAtMs === 'number'
  )
}

/** `YYYY-MM-DD` in UTC. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
