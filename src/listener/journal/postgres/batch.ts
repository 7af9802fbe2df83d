import { byteWriter, numberArray, textArray } from '../../../postgres/index.js'
import type { Appended, JournalEntry } from '../event.js'
import { indexedDelivery, longLane, storable } from './lane.js'

/** Half of what a busy receiver has in hand: larger ones would wait for each other. */
const batchEvents = 256
const batchBytes = 8 * 1_048_576
/** A batch with more bodies than this is not used again: its memory would be held for nothing. */
const keptBytes = 1_048_576

/** An event whose sender waits for an answer. */
export interface Waiting {
  entry: JournalEntry
  resolve(appended: Appended): void
  reject(error: unknown): void
}

/** Events that are committed together, each id once: a repetition in the same statement would not see the first. */
export interface Batch {
  readonly waiting: readonly Waiting[]
  /** Takes one more, unless its id is in here already or there is no room. */
  take(one: Waiting): 'taken' | 'repeated' | 'full'
  /** Whether a statement of its own pays, beside one that is under way. */
  isLarge(): boolean
  /** Whether it has no event of a delivery that the other one has, too: then either may be stored first. */
  isApartFrom(other: Batch): boolean
  readonly lanes: ReadonlySet<string>
  /** The columns, and the bodies one behind the other. */
  values(): Buffer[]
  /** Forgets everything and keeps the memory for the next events; `false` if that is too much. */
  reuse(): boolean
}

/** Each event is written as it comes, so that nothing is left to do once the last batch is on disk. */
export function openBatch(): Batch {
  let waiting: Waiting[] = []
  const known = new Set<string>()
  const ownLanes = new Set<string>()
  const ids = textArray()
  const receivedAt = numberArray('timestamptz')
  const sources = textArray()
  const timestamps = numberArray('int8')
  const secrets = textArray()
  const rawHeaders = textArray()
  const bodyStarts = numberArray('int4')
  const bodyLengths = numberArray('int4')
  const eventTypes = textArray()
  const deliveryIds = textArray()
  const occurredAt = textArray()
  const longLanes = textArray()
  const bodies = byteWriter(65_536)
  const columns = [
    ...[ids, receivedAt, sources, timestamps, secrets, rawHeaders, bodyStarts, bodyLengths],
    ...[eventTypes, deliveryIds, occurredAt, longLanes],
  ]
  return {
    get waiting() {
      return waiting
    },
    lanes: ownLanes,
    isLarge: () => waiting.length >= batchEvents / 2 || bodies.length() >= batchBytes / 2,
    isApartFrom({ lanes }) {
      for (const lane of ownLanes) if (lanes.has(lane)) return false
      return true
    },
    take(one) {
      const { entry } = one
      if (known.has(entry.id)) return 'repeated'
      const hasRoom = waiting.length < batchEvents && bodies.length() + entry.body.length <= batchBytes
      if (!hasRoom && waiting.length > 0) return 'full'
      waiting.push(one)
      known.add(entry.id)
      ownLanes.add(entry.deliveryId ?? entry.id)
      ids.push(entry.id)
      receivedAt.push(entry.receivedAtMs)
      sources.push(entry.source)
      timestamps.push(entry.timestampSeconds)
      secrets.push(storable(entry.secret))
      rawHeaders.push(JSON.stringify(entry.rawHeaders))
      // SQL counts from 1.
      bodyStarts.push(bodies.length() + 1)
      bodyLengths.push(entry.body.length)
      eventTypes.push(storable(entry.eventType))
      deliveryIds.push(indexedDelivery(entry))
      occurredAt.push(storable(entry.occurredAt))
      longLanes.push(longLane(entry))
      bodies.append(entry.body)
      return 'taken'
    },
    values: () => [...columns.map((column) => column.parameter()), bodies.taken()],
    reuse() {
      if (bodies.length() > keptBytes) return false
      waiting = []
      known.clear()
      ownLanes.clear()
      for (const column of columns) column.clear()
      bodies.cut(0)
      return true
    },
  }
}
