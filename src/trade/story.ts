import { informationalEventTypes } from '../contract/internal.js'
import { minuteMs, wordedSpan } from '../shared/durations.js'
import { recordAt, textAt } from '../shared/json.js'
import { lateMsOf, type Standing } from './problems.js'
import { promisedWords } from './promise.js'
import { isExpected } from './statuses.js'

/** What is known of a delivery whose story is told; absent facts are left out of it. Times are milliseconds since the epoch. */
export interface StoryFacts extends Standing {
  store?: string | undefined
  /** The gate or installation that the way leads through. */
  gate?: string | undefined
  windowStartMs?: number | undefined
  /** The newest estimated arrival at the dropoff. */
  etaMs?: number | undefined
}

interface StoryStyle {
  nowMs: number
  /** A moment as its reader writes it, such as `16:00`. */
  time(atMs: number): string
}

/** Where a delivery is and what it waits for, in one sentence that a person would say. */
export function storyOf(facts: StoryFacts, style: StoryStyle): string {
  const due = dueWords(facts, style)
  return `${happening(facts, style)}${due === '' ? '' : `; ${due}`}.`
}

/** The clause of each status. */
function happening(facts: StoryFacts, style: StoryStyle): string {
  const { status, store, gate, sinceMs, windowStartMs } = facts
  const atStore = store === undefined ? 'at the store' : `at ${store}`
  const toStore = store === undefined ? 'the store' : store
  const waited = sinceMs === undefined ? '' : lastedText(style.nowMs - sinceMs)
  const forSpan = waited === '' ? '' : ` for ${waited}`
  const at = sinceMs === undefined ? '' : ` at ${style.time(sinceMs)}`
  const because = reasonWords(facts)
  const isNow = waited === '' ? 'is' : 'has been'
  switch (status) {
    case 'scheduled':
      return windowStartMs === undefined
        ? 'Waiting for its time window'
        : `Waiting for its window, which begins at ${style.time(windowStartMs)}`
    case 'accepted':
      return `Waiting${waited === '' ? '' : ` ${waited}`} for a driver ${atStore}`
    case 'dispatch_failed':
      return `No driver was found ${atStore}${forSpan}${because}`
    case 'reassigning':
      return `The driver dropped out, and it waits${forSpan} for another one ${atStore}${because}`
    case 'driver_assigned':
      return `A driver took it${at}, and will fetch it ${atStore}`
    case 'driver_enroute_to_pickup':
      return `The driver ${isNow} on the way to ${toStore}${forSpan}`
    case 'driver_at_pickup':
      return `The driver ${isNow} ${atStore}${forSpan}`
    case 'pickup_complete':
      return `The driver picked it up ${atStore}${at}`
    case 'driver_enroute_to_dropoff':
      return `The driver ${isNow} on the way to the recipient${forSpan}${gate === undefined ? '' : `, by ${gate}`}`
    case 'driver_at_dropoff':
      return `The driver ${isNow} at the door${forSpan}`
    case 'delivered':
      return `Delivered${at}${punctuality(facts)}`
    case 'failed':
      return `Failed${at}${because}`
    case 'return_in_progress':
      return `On the way back to ${toStore}${forSpan}${because}`
    case 'returned':
      return `Back ${atStore}${sinceMs === undefined ? '' : ` since ${style.time(sinceMs)}`}${because}`
    case 'cancelled':
      return `Cancelled${at}${because}`
    case 'expired':
      return `Expired${at}, because nobody took it in time${because}`
    default:
      return `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}${forSpan}${because}`
  }
}

function reasonWords({ statusReasonCode }: StoryFacts): string {
  return statusReasonCode == null ? '' : `: ${statusReasonCode.replaceAll('_', ' ')}`
}

/** When it is due: the end of its window or another promise, or its ETA. */
function dueWords(facts: StoryFacts, style: StoryStyle): string {
  const { status, promise, etaMs } = facts
  if (!isExpected(status)) return ''
  const lateMs = lateMsOf(facts, style.nowMs)
  const promised = promise === undefined ? '' : style.time(promise.promisedByMs)
  if (promise?.source === 'window')
    return lateMs > 0 ? `the window ended ${wordedSpan(lateMs)} ago` : `the window ends at ${promised}`
  const expected = etaMs === undefined ? '' : `expected at ${style.time(etaMs)}`
  if (lateMs > 0 && promise !== undefined)
    return [`${wordedSpan(lateMs)} late (${promisedWords[promise.source]} ${promised})`, expected]
      .filter((part) => part !== '')
      .join(', ')
  return promise === undefined || promise.source === 'firstEta' ? expected : `promised by ${promised}`
}

/** Whether it came in time, for one that was delivered. */
function punctuality({ promise, sinceMs }: StoryFacts): string {
  if (promise === undefined || sinceMs === undefined) return ''
  const lateMs = lateMsOf({ status: 'accepted', promise }, sinceMs)
  if (lateMs > 0) return `, ${wordedSpan(lateMs)} late`
  return promise.source === 'window' ? ', within its window' : ', in time'
}

/** `12 minutes`; nothing for less than one, which is not worth a word. */
function lastedText(ms: number): string {
  return ms < minuteMs ? '' : wordedSpan(ms)
}

/** A status that a delivery had, since when, and why. */
export interface StatusStep {
  status: string
  /** RFC 3339. */
  occurredAt: string
  statusReasonCode?: string | null
  statusReason?: string | null
}

/** The part of an event that belongs to its delivery's history. */
interface HistoryEvent {
  eventType: string
  occurredAt: string
  data?: unknown
}

/** The names that services use for the status and the time of an entry: the contract does not define them. */
const statusNames = ['status', 'state', 'to', 'newStatus', 'deliveryStatus']
const reasonNames = ['statusReasonCode', 'reasonCode', 'reason']
const timeNames = ['occurredAt', 'at', 'timestamp', 'changedAt', 'createdAt', 'time']

const informational: ReadonlySet<string> = new Set(informationalEventTypes)

/** The entries of a `statusHistory` whose status and time can be read. */
function stepsIn(history: readonly unknown[]): StatusStep[] {
  const steps: StatusStep[] = []
  for (const entry of history) {
    const status = firstText(entry, statusNames)
    const occurredAt = firstText(entry, timeNames)
    if (status === undefined || occurredAt === undefined || Number.isNaN(Date.parse(occurredAt))) continue
    const step: StatusStep = { ...(entry as object), status, occurredAt }
    const reason = firstText(entry, reasonNames)
    if (reason !== undefined) step.statusReasonCode = reason
    steps.push(step)
  }
  return steps
}

/** Whether entries of a history cannot be read, so that its events are needed. */
export function hasHoles(history: readonly unknown[] | null | undefined): boolean {
  return (history ?? []).length > stepsIn(history ?? []).length
}

/** The statuses of a delivery, oldest first: its own history, and of one that cannot be read what its events say. */
export function stepsOf(
  history: readonly unknown[] | null | undefined,
  events: readonly HistoryEvent[] = [],
): StatusStep[] {
  const own = stepsIn(history ?? [])
  if (own.length === (history ?? []).length) return own
  const told = events
    .filter(({ eventType }) => eventType.startsWith('delivery.') && !informational.has(eventType))
    .map(({ eventType, occurredAt, data }): StatusStep => {
      const reason = textAt(recordAt(data, 'delivery'), 'statusReasonCode')
      const step = { status: eventType.slice('delivery.'.length), occurredAt }
      return reason === undefined ? step : { ...step, statusReasonCode: reason }
    })
    .sort((one, other) => Date.parse(one.occurredAt) - Date.parse(other.occurredAt))
  return told.length === 0 ? own : told
}

function firstText(value: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textAt(value, name)
    if (text !== undefined) return text
  }
  return undefined
}
