import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isRecord, tryParseJson } from '../shared/json.js'
import { type ArchivePaths, naming, openForWriting, removeDatabase } from './database.js'
import { dictionary, isoOf } from './event-rows.js'
import { sql } from './tables.js'

/** The period that a source covers without a gap, and where an unfinished fill continues. */
export interface Coverage {
  fromMs: number
  toMs: number
  position: Readonly<Record<string, unknown>>
}

/** The two files of an archive, open for writing: their statements, transactions over both, settings, and what is covered. */
export class ArchiveFiles {
  /** The connection to the first file, to read from between writes. */
  readonly database: DatabaseSync
  readonly people: DatabaseSync | undefined
  /** Whether the second file was missing, so that what the service still lists has to be read again. */
  readonly lacksPeople: boolean = false
  readonly #statements = new Map<string, StatementSync>()

  /**
   * @param personal `false` removes the second file and never writes it again, `true` allows it again; default: as before
   * @param onRollback told when a transaction has failed: what memory has of the files is wrong
   */
  constructor(
    readonly paths: ArchivePaths,
    personal: boolean | undefined,
    private readonly onRollback: () => void,
  ) {
    this.database = openForWriting('archive', paths.archive)
    try {
      // Other programs need it to read the JSON of events.
      if (this.setting('body_dictionary') === undefined) this.set('body_dictionary', dictionary.toString())
      if (personal !== undefined) this.set('personal', personal ? null : 'no')
      if (this.setting('personal') === 'no') removeDatabase(paths.people)
      else {
        this.lacksPeople = !existsSync(paths.people)
        this.people = openForWriting('people', paths.people)
      }
    } catch (error) {
      this.database.close()
      throw error
    }
  }

  /** A statement on the first file. */
  prepare(text: string): StatementSync {
    return this.#cached(this.database, text)
  }

  /** A statement on the second file, if people and bodies are written. */
  inPeople(text: string): StatementSync | undefined {
    return this.people === undefined ? undefined : this.#cached(this.people, text)
  }

  #cached(database: DatabaseSync, text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  /**
   * Runs writes on both files. People are committed first: killed in between, the next fill reads the same page again and
   * adds the rest. SQLite commits several files of one connection one by one as well.
   *
   * @throws UsageError if a file cannot be written
   */
  transaction<Result>(work: () => Result): Result {
    const databases = this.people === undefined ? [this.database] : [this.people, this.database]
    return naming(this.people === undefined ? this.paths.archive : this.paths, 'write', () => {
      try {
        for (const database of databases) database.exec('BEGIN IMMEDIATE')
        const result = work()
        for (const database of databases) database.exec('COMMIT')
        return result
      } catch (error) {
        for (const database of databases) if (database.isTransaction) database.exec('ROLLBACK')
        this.onRollback()
        throw error
      }
    })
  }

  setting(name: string): string | undefined {
    const row = this.prepare('SELECT value FROM settings WHERE name = ?').get(name)
    return row === undefined ? undefined : String(row.value)
  }

  set(name: string, value: string | null): void {
    if (value === null) this.prepare('DELETE FROM settings WHERE name = ?').run(name)
    else this.prepare(sql.upsert.settings).run(name, value)
  }

  coverage(source: string): Coverage | undefined {
    return coverageOf(this.prepare('SELECT * FROM syncs WHERE source = ?').get(source))
  }

  /** Sets the period that a source covers, inside a transaction. */
  cover(source: string, { fromMs, toMs, position }: Coverage, clockAheadMs?: number): void {
    const ahead = clockAheadMs === undefined ? null : Math.round(clockAheadMs)
    this.prepare(
      `INSERT INTO syncs VALUES (?, ?, ?, ?, ?) ON CONFLICT (source) DO UPDATE SET from_at = excluded.from_at,
         to_at = excluded.to_at, position = excluded.position,
         clock_ahead_ms = coalesce(excluded.clock_ahead_ms, clock_ahead_ms)`,
    ).run(source, isoOf(fromMs), isoOf(toMs), JSON.stringify(position), ahead)
  }

  close(): void {
    this.people?.close()
    this.database.close()
  }
}

/** The periods whose deliveries an archive has, by events or by a backfill, oldest first. */
export function periodsOf(database: DatabaseSync): Period[] {
  const rows = database.prepare("SELECT * FROM syncs WHERE source GLOB 'events*' OR source GLOB 'backfill*'").all()
  return mergedPeriods(rows.flatMap((row) => coverageOf(row) ?? []))
}

/** The period of a row of `syncs`. */
export function coverageOf(row: Record<string, unknown> | undefined): Coverage | undefined {
  if (row === undefined) return undefined
  const position = typeof row.position === 'string' ? tryParseJson(row.position)?.value : undefined
  return {
    fromMs: Date.parse(String(row.from_at)),
    toMs: Date.parse(String(row.to_at)),
    position: isRecord(position) ? position : {},
  }
}

/** A period in milliseconds since the epoch. */
export interface Period {
  fromMs: number
  toMs: number
}

/** Periods that touch or overlap as one, oldest first. */
export function mergedPeriods(periods: readonly Period[]): Period[] {
  const merged: Period[] = []
  for (const { fromMs, toMs } of [...periods].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else merged.push({ fromMs, toMs })
  }
  return merged
}

/** The parts of a period that merged periods do not cover, oldest first. */
export function gapsIn({ fromMs, toMs }: Period, merged: readonly Period[]): Period[] {
  const gaps: Period[] = []
  let reachedMs = fromMs
  for (const covered of merged) {
    if (covered.fromMs > reachedMs && reachedMs < toMs)
      gaps.push({ fromMs: reachedMs, toMs: Math.min(covered.fromMs, toMs) })
    reachedMs = Math.max(reachedMs, covered.toMs)
  }
  if (reachedMs < toMs) gaps.push({ fromMs: reachedMs, toMs })
  return gaps
}
