import { existsSync } from 'node:fs'
import { UsageError } from '../../../../contract/index.js'
import { isRecord, tryParseJson } from '../../../../shared/json.js'
import { lockJournal } from '../lock.js'
import { openJournalDatabase } from '../schema.js'
import { databasePages } from './pages.js'
import { type ColumnValue, type FoundRow, rowsOfPage } from './records.js'

/** What came out of a damaged journal. */
export interface Salvaged {
  /** Events that are in the new journal. */
  recovered: number
  /** Events that were found and cannot be read. */
  damaged: number
}

const eventColumns = 12
const [idColumn, sourceColumn, headersColumn, bodyColumn] = [1, 2, 6, 7]

/**
 * Copies all events that can be read out of a journal, however it is damaged, into a new one, in order of arrival. The
 * pages are read without SQLite, which would trust the damaged tree above them. What was still to be forwarded, bodies
 * that were set aside and positions of `--pull` are not copied. The damaged journal is not changed.
 *
 * @throws UsageError if a listener is writing the journal, it cannot be read, or the new file exists or cannot be written
 */
export function salvageJournal(from: string, to: string): Salvaged {
  if (!existsSync(from)) throw new UsageError(`Journal not found: ${from}.`)
  if (existsSync(to)) throw new UsageError(`${to} exists already.`, { hint: 'Name a file that does not exist yet.' })
  const lock = lockJournal(from)
  try {
    return copyEvents(from, to)
  } finally {
    lock.release()
  }
}

function copyEvents(from: string, to: string): Salvaged {
  const pages = databasePages(from)
  /** Which page holds the newest row of an event. */
  const found = new Map<string, { rowid: number; page: number }>()
  const damagedRows = new Set<string>()
  try {
    for (let page = 1; page <= pages.count; page++) {
      for (const row of rowsOfPage(pages, page, isEventWide)) {
        const id = row.columns[idColumn]
        if (!looksLikeEvent(row.columns) || typeof id !== 'string') continue
        if (!isIntact(row.columns)) damagedRows.add(id)
        else if ((found.get(id)?.rowid ?? 0) < row.rowid) found.set(id, { rowid: row.rowid, page })
      }
    }
    const inOrder = [...found].sort(([, a], [, b]) => a.rowid - b.rowid)
    const database = openJournalDatabase(to)
    const insert = database.prepare(`
      INSERT INTO events (id, source, received_at_ms, timestamp_seconds, secret, raw_headers, body, event_type,
        delivery_id, occurred_at, repeats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    database.exec('BEGIN')
    let open: { page: number; rows: FoundRow[] } = { page: 0, rows: [] }
    for (const [id, { rowid, page }] of inOrder) {
      if (open.page !== page) open = { page, rows: rowsOfPage(pages, page, isEventWide) }
      const row = open.rows.find((candidate) => candidate.rowid === rowid && candidate.columns[idColumn] === id)
      if (row !== undefined) insert.run(...row.columns.slice(1))
    }
    database.exec('COMMIT')
    database.close()
  } finally {
    pages.close()
  }
  return { recovered: found.size, damaged: [...damagedRows].filter((id) => !found.has(id)).length }
}

const isEventWide = (columns: number) => columns === eventColumns

function looksLikeEvent(columns: readonly ColumnValue[]): boolean {
  const source = columns[sourceColumn]
  return columns[0] === null && (source === 'webhook' || source === 'pull')
}

/** The types of an event's columns, by their position. */
const columnChecks: readonly ((value: ColumnValue | undefined) => boolean)[] = [
  (value) => value === null,
  isText,
  isText,
  isWhole,
  isWhole,
  isText,
  isText,
  Buffer.isBuffer,
  isTextOrNull,
  isTextOrNull,
  isTextOrNull,
  isWhole,
]

/** Whether a row holds what a listener keeps: headers in pairs, and a JSON body with the id of the row. */
function isIntact(columns: readonly ColumnValue[]): boolean {
  if (!columnChecks.every((check, index) => check(columns[index]))) return false
  const headers = tryParseJson(String(columns[headersColumn]))?.value
  if (!Array.isArray(headers) || headers.length % 2 !== 0 || headers.some((text) => typeof text !== 'string'))
    return false
  const body = tryParseJson(columns[bodyColumn] as Buffer)
  if (body === undefined) return false
  const { value } = body
  return !isRecord(value) || !Object.hasOwn(value, 'eventId') || value.eventId === columns[idColumn]
}

function isText(value: ColumnValue | undefined): boolean {
  return typeof value === 'string'
}

function isTextOrNull(value: ColumnValue | undefined): boolean {
  return typeof value === 'string' || value === null
}

function isWhole(value: ColumnValue | undefined): boolean {
  return Number.isSafeInteger(value)
}
