import type { ArchiveReader } from './reader.js'

/** Columns by which deliveries can be listed. */
export const listColumns = [
  'created_at',
  'client_order_reference',
  'status',
  'status_since',
  'store_reference',
  'postal_code',
  'promised_by',
  'newest_eta',
  'ended_at',
  'total_price_cents',
] as const
export type ListColumn = (typeof listColumns)[number]

/** The place of a row in a list: its value in the sorted column, and its id. */
export type ListPlace = readonly [value: string | number, deliveryId: string]

export interface ListQuery {
  sort: ListColumn
  isDescending: boolean
  /** The row to continue after. */
  after?: ListPlace | undefined
  limit: number
  /** A folded text that is in a reference, an id, a name, a phone number or an address, or an event's id; digits of a phone number. */
  search?: { text: string; digits?: string | undefined } | undefined
}

/** A delivery of a list. Times are RFC 3339, amounts cents. */
export interface ListedDelivery {
  delivery_id: string
  client_order_reference: string | null
  status: string
  status_reason_code: string | null
  status_since: string | null
  store_reference: string | null
  postal_code: string | null
  installation_code: string | null
  created_at: string | null
  promised_by: string | null
  promise_source: string | null
  newest_eta: string | null
  ended_at: string | null
  currency: string | null
  total_price_cents: number | null
}

const shown =
  'delivery_id, client_order_reference, status, status_reason_code, status_since, store_reference, postal_code, installation_code, created_at, promised_by, promise_source, newest_eta, ended_at, currency, total_price_cents'

/** A page of deliveries in an order, and the place to continue after; `undefined` at the end. */
export function listDeliveries(
  archive: ArchiveReader,
  { sort, isDescending, after, limit, search }: ListQuery,
): { rows: ListedDelivery[]; next: ListPlace | undefined } {
  const terms: string[] = []
  const values: (string | number)[] = []
  // Rows without a value have a place as well. Every delivery has a time of creation, which is indexed.
  const key = sort === 'created_at' ? sort : `COALESCE(${sort}, ${sort === 'total_price_cents' ? -1 : "''"})`
  const { term, bound } = searchTerm(archive, search)
  if (term !== '') {
    terms.push(term)
    values.push(...bound)
  }
  if (after !== undefined) {
    terms.push(`(${key}, delivery_id) ${isDescending ? '<' : '>'} (?, ?)`)
    values.push(...after)
  }
  const where = terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`
  const direction = isDescending ? 'DESC' : 'ASC'
  const sql = `SELECT ${shown}, ${key} AS list_key FROM deliveries ${where}
    ORDER BY ${key} ${direction}, delivery_id ${direction} LIMIT ${limit}`
  const found = [...archive.rows(sql, ...values)] as unknown as (ListedDelivery & { list_key: string | number })[]
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    rows: found.map(({ list_key, ...row }) => row),
    next: last && [last.list_key, last.delivery_id],
  }
}

/** Number of deliveries that a search finds. */
export function countDeliveries(archive: ArchiveReader, search: ListQuery['search']): number {
  const { term, bound } = searchTerm(archive, search)
  const where = term === '' ? '' : `WHERE ${term}`
  const [row] = archive.rows(`SELECT count(*) AS number FROM deliveries ${where}`, ...bound)
  return Number(row?.number ?? 0)
}

/** Each source is searched by itself: a join would look up the person of every delivery. */
function searchTerm({ hasPeople }: ArchiveReader, search: ListQuery['search']): { term: string; bound: string[] } {
  if (search === undefined) return { term: '', bound: [] }
  const { text, digits } = search
  const sources = [
    `SELECT delivery_id FROM deliveries WHERE instr(lower(client_order_reference), ?) > 0 OR instr(lower(delivery_id), ?) > 0`,
    `SELECT delivery_id FROM events WHERE event_id = ?`,
  ]
  // Ids of events are upper case behind their prefix.
  const bound = [
    text,
    text,
    text.replace(/^(\w+_)(.*)$/, (_, prefix: string, rest: string) => prefix + rest.toUpperCase()),
  ]
  if (hasPeople) {
    const texts = digits === undefined || digits === text ? [text] : [text, digits]
    sources.push(
      `SELECT delivery_id FROM people_file.people WHERE ${texts.map(() => 'instr(search_text, ?) > 0').join(' OR ')}`,
    )
    bound.push(...texts)
  }
  return { term: `delivery_id IN (${sources.join(' UNION ')})`, bound }
}
