import type { JournalEntry } from '../event.js'
import { indexedDelivery, storable } from './lane.js'

/** Events in a pack, at most, and packs in a batch. */
export const packEvents = 32
export const batchPacks = 256
/** Numbers that a batch takes, used or not: the number of an event tells that of its pack, which is that of the first one. */
export const batchNumbers = packEvents * batchPacks

/** What fits into a page of PostgreSQL beside the heads of its row and columns. */
const packBytes = 8_000
/** Events in a pack were received within so long of its first. */
export const packSpanMs = 60_000
/** Length and padding of a delivery in its column. */
const deliveryBytes = 8

/** Events that are stored in one row: a row, its log record and its index entries cost more than what is in them. */
export interface Pack {
  /** Its number within the batch. */
  number: number
  /** Of its first event. */
  receivedAtMs: number
  /** An array of text, as PostgreSQL writes it. */
  deliveries: string
  /** All but the bodies, as JSON: see `unpacked`. */
  events: string
  bodiesLength: number
}

/** Puts events into packs, as many in each as a page holds. */
export function packer(onPack: (pack: Pack) => void) {
  let pack: Pack | undefined
  let bytes = 0
  let count = 0
  let next = 0
  function finish() {
    if (pack === undefined) return
    onPack({ ...pack, deliveries: `{${pack.deliveries}}`, events: `[${pack.events}]` })
    pack = undefined
    bytes = 0
    count = 0
    next += packEvents
  }
  return {
    /** Returns the number of the event within the batch, and when its pack was received. */
    add(entry: JournalEntry): { number: number; packedAtMs: number } {
      const { receivedAtMs, body } = entry
      const delivery = indexedDelivery(entry)
      // Its place among the bodies takes a few digits more.
      const others = described(entry)
      const size = Buffer.byteLength(others) + body.length + 2 * deliveryBytes + (delivery?.length ?? 0)
      const isFull = count === packEvents || bytes + size > packBytes
      if (pack !== undefined && (isFull || Math.abs(receivedAtMs - pack.receivedAtMs) > packSpanMs)) finish()
      pack ??= { number: next, receivedAtMs, deliveries: '', events: '', bodiesLength: 0 }
      bytes += size
      const comma = pack.events === '' ? '' : ','
      // SQL counts from 1.
      pack.events += `${comma}[${pack.bodiesLength + 1},${body.length},${others}]`
      pack.bodiesLength += body.length
      if (delivery !== undefined) pack.deliveries += `${pack.deliveries === '' ? '' : ','}${quoted(delivery)}`
      return { number: pack.number + count++, packedAtMs: pack.receivedAtMs }
    },
    finish,
    clear() {
      finish()
      next = 0
    },
  }
}

/** What `unpacked` takes apart, without the brackets. */
function described(entry: JournalEntry): string {
  const { id, source, receivedAtMs, timestampSeconds, secret, rawHeaders, eventType, deliveryId, occurredAt } = entry
  const all = [id, source, receivedAtMs, timestampSeconds, secret, rawHeaders, eventType, deliveryId, occurredAt]
  const json = JSON.stringify(all)
  // What has no place in text of PostgreSQL is escaped: it would keep the whole pack from being read.
  const isPlain = !json.includes('\\u0000') && !json.includes('\\ud')
  return (
    isPlain ? json : JSON.stringify(all, (_, value) => (typeof value === 'string' ? storable(value) : value))
  ).slice(1, -1)
}

/** As an element of an array. */
function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

/** The events of packs, as rows. The last five columns are there for programs, and to find packs by an index. */
export const unpacked = (packs: string) => `
SELECT p.seq + e.place - 1 AS seq, e.event ->> 2 AS id, e.event ->> 3 AS source,
  to_timestamp((e.event ->> 4)::bigint / 1000.0) AS received_at, (e.event ->> 5)::bigint AS timestamp_seconds,
  e.event ->> 6 AS secret, e.event ->> 7 AS raw_headers, ${bodyOf('e.event')} AS body, e.event ->> 8 AS event_type,
  e.event ->> 9 AS delivery_id, e.event ->> 10 AS occurred_at,
  (e.event ->> 1)::int AS body_length, e.event::text AS described, p.seq AS pack, p.received_at AS packed_at,
  p.deliveries
FROM ${packs} p CROSS JOIN LATERAL json_array_elements(p.events::json) WITH ORDINALITY AS e(event, place)`

/** Joins the pack `p` of something that has the `seq` of an event and the `received_at` of its pack. */
export const itsPack = (one: string) =>
  `dlv.packs p ON p.received_at = ${one}.received_at AND p.seq = ${one}.seq - ${one}.seq % ${packEvents}`

/** An event in its pack `p`, as JSON. */
export const inPack = (one: string) => `(p.events::json -> (${one}.seq % ${packEvents})::int)`

/** The body of such an event. */
export const bodyOf = (event: string) => `substring(p.bodies FROM (${event} ->> 0)::int FOR (${event} ->> 1)::int)`
