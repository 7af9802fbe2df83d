import { byteWriter, numberArray, textArray } from '../../../postgres/index.js'
import type { Appended, JournalEntry } from '../event.js'
import { laneOf, storable } from './lane.js'
import { batchPacks, packer } from './pack.js'

/** A pack for each, at worst. Half of what a busy receiver has in hand: larger ones would wait for each other. */
const batchEvents = batchPacks
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
  /** The numbers of the events, counted from that of the batch. */
  readonly numbers: readonly number[]
  /** Takes one more, unless its id is in here already or there is no room. */
  take(one: Waiting): 'taken' | 'repeated' | 'full'
  /** Whether a statement of its own pays, beside one that is under way. */
  isLarge(): boolean
  /** Whether it has no event of a delivery that the other one has, too: then either may be stored first. */
  isApartFrom(other: Batch): boolean
  readonly lanes: ReadonlySet<string>
  /** The columns of the events, those of their packs, and the bodies one behind the other. */
  values(): Buffer[]
  /** Forgets everything and keeps the memory for the next events; `false` if that is too much. */
  reuse(): boolean
}

/** Each event is written as it comes, so that nothing is left to do once the last batch is on disk. */
export function openBatch(): Batch {
  let waiting: Waiting[] = []
  let numbers: number[] = []
  const known = new Set<string>()
  const ownLanes = new Set<string>()
  const ids = textArray()
  const numberColumn = numberArray('int4')
  const packedAt = numberArray('timestamptz')
  const eventTypes = textArray()
  const lanes = textArray()
  const packNumbers = numberArray('int4')
  const receivedAt = numberArray('timestamptz')
  const deliveries = textArray()
  const events = textArray()
  const bodyStarts = numberArray('int4')
  const bodyLengths = numberArray('int4')
  const bodies = byteWriter(65_536)
  const columns = [
    ...[ids, numberColumn, packedAt, eventTypes, lanes],
    ...[packNumbers, receivedAt, deliveries, events, bodyStarts, bodyLengths],
  ]
  let packedBytes = 0
  const packs = packer((pack) => {
    packNumbers.push(pack.number)
    receivedAt.push(pack.receivedAtMs)
    deliveries.push(pack.deliveries)
    events.push(pack.events)
    // SQL counts from 1.
    bodyStarts.push(packedBytes + 1)
    bodyLengths.push(pack.bodiesLength)
    packedBytes += pack.bodiesLength
  })
  return {
    get waiting() {
      return waiting
    },
    get numbers() {
      return numbers
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
      const { number, packedAtMs } = packs.add(entry)
      numbers.push(number)
      numberColumn.push(number)
      packedAt.push(packedAtMs)
      waiting.push(one)
      known.add(entry.id)
      ownLanes.add(entry.deliveryId ?? entry.id)
      ids.push(entry.id)
      eventTypes.push(storable(entry.eventType))
      lanes.push(laneOf(entry))
      bodies.append(entry.body)
      return 'taken'
    },
    values() {
      packs.finish()
      return [...columns.map((column) => column.parameter()), bodies.taken()]
    },
    reuse() {
      if (bodies.length() > keptBytes) return false
      waiting = []
      numbers = []
      known.clear()
      ownLanes.clear()
      packs.clear()
      for (const column of columns) column.clear()
      packedBytes = 0
      bodies.cut(0)
      return true
    },
  }
}
