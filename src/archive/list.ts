import type { SearchText } from '../shared/texts.js'
import { type ArchiveReader, foldedReference, type RowOf } from './reader.js'

/** A column by which deliveries can be listed. */
type ListColumn = keyof RowOf<'deliveries'>

/** The place of a row in a list: its value in the sorted column, and its id. */
export type ListPlace = readonly [value: string | number, deliveryId: string]

export interface ListQuery {
  sort: ListColumn
  isDescending: boolean
  /** The row to continue after. */
  after?: ListPlace | undefined
  limit: number
  /** A folded text that is in a reference, an id, a name, a phone number or an address, or an event's id; digits of a phone number. */
  search?: SearchText | undefined
}

const shown = [
  'delivery_id',
  'client_order_reference',
  'status',
  'status_reason_code',
  'status_since',
  'store_reference',
  'postal_code',
  'installation_code',
  'created_at',
  'promised_by',
  'promise_source',
  'newest_eta',
  'ended_at',
  'currency',
  'total_price_cents',
] as const

/** A delivery of a list. Times are RFC 3339, amounts cents. */
export type ListedDelivery = Pick<RowOf<'deliveries'>, (typeof shown)[number]>

interface ListedPage {
  /** Each with its value in the sorted column. */
  rows: (ListedDelivery & { list_key: string | number })[]
  /** The place to continue after; `undefined` at the end. */
  next: ListPlace | undefined
  /** Number of deliveries that match. */
  total: number
}

/** From this share of all deliveries on, those that a search found are met sooner in the order of the list. */
const manyOf = 100

/** A page of deliveries in an order. */
export function listDeliveries(archive: ArchiveReader, query: ListQuery): ListedPage {
  const { sort, isDescending, after, limit, search } = query
  // Rows without a value have a place as well. Every delivery has a time of creation, which is indexed.
  const key = sort === 'created_at' ? sort : `COALESCE(${sort}, ${sort === 'total_price_cents' ? -1 : "''"})`
  if (search !== undefined) findHits(archive, search)
  const count = (table: string) => Number(archive.arrays(`SELECT count(*) FROM ${table}`)[0]?.[0])
  const all = count('deliveries')
  const total = search === undefined ? all : count('temp.hits')
  // The sign keeps SQLite from looking each of them up.
  const id = total * manyOf > all ? '+delivery_id' : 'delivery_id'
  const terms = [
    ...(search === undefined ? [] : [`${id} IN temp.hits`]),
    ...(after === undefined ? [] : [`(${key}, delivery_id) ${isDescending ? '<' : '>'} (?, ?)`]),
  ]
  const direction = isDescending ? 'DESC' : 'ASC'
  const sql = `SELECT ${shown.join(', ')}, ${key} AS list_key
    FROM deliveries ${terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`}
    ORDER BY ${key} ${direction}, delivery_id ${direction} LIMIT ${limit}`
  const found = [...archive.rows(sql, ...(after ?? []))] as unknown as ListedPage['rows']
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    rows: found,
    next: last && [last.list_key, last.delivery_id],
    total,
  }
}

/** Puts the ids that a search finds into a table of this connection. Each source is read by itself, references and ids by their indexes alone. */
function findHits(archive: ArchiveReader, { text, digits }: SearchText): void {
  // Ids are upper case behind their prefix.
  const id = text.replace(/^([a-z]+_)(.*)$/, (_, prefix: string, rest: string) => prefix + rest.toUpperCase())
  const sources = [
    `SELECT delivery_id FROM deliveries
      WHERE rowid IN (SELECT rowid FROM deliveries WHERE instr(${foldedReference}, ?) > 0)`,
    'SELECT delivery_id FROM deliveries WHERE delivery_id = ?',
    'SELECT delivery_id FROM deliveries WHERE delivery_id = (SELECT delivery_id FROM events WHERE event_id = ?)',
  ]
  const values = [text, id, id]
  if (archive.hasPeople) {
    const texts = digits === undefined || digits === text ? [text] : [text, digits]
    const fits = texts.map(() => 'instr(search_text, ?) > 0').join(' OR ')
    sources.push(`SELECT delivery_id FROM people_file.people WHERE ${fits}`)
    values.push(...texts)
  }
  const run = (sql: string, ...bound: string[]) => void archive.arrays(sql, ...bound)
  run('DROP TABLE IF EXISTS temp.hits')
  run('CREATE TABLE temp.hits (delivery_id TEXT PRIMARY KEY) WITHOUT ROWID')
  run(`INSERT OR IGNORE INTO temp.hits ${sources.join(' UNION ALL ')}`, ...values)
}
