import { ContractError } from '../contract/index.js'
import { isBytes } from '../shared/is-bytes.js'
import { isRecord, isTooDeep, maxJsonDepth } from '../shared/json.js'
import { parseNumbers } from '../shared/json-number.js'
import { jsonElements, jsonMembers } from './json-slices.js'

/** An event of the service's list. `null` for what its record lacks. */
export interface ListedEvent {
  /** The id of the event. */
  eventId: string
  /** The type of the event. */
  eventType: string | null
  /** RFC 3339. */
  occurredAt: string | null
  /** The delivery that it is about. */
  deliveryId: string | null
  /** The result of its webhook, such as `failed`. */
  lastDeliveryStatus: string | null
  /** Number of attempts to send its webhook. */
  deliveryAttempts: number | null
  /** The record's own text. */
  record: Uint8Array
  /** The bytes of its webhook; `undefined` if the record holds none that can be used. */
  body: Uint8Array | undefined
  /** The body as a value, of which some members may come from the record. */
  data: Record<string, unknown> | undefined
  /** RFC 3339: when its webhook was last sent. */
  lastAttemptAt: string | null
  /** Why there is no body, as the end of a sentence such as "event evt_1 …". */
  problem: string | undefined
}

/** One page of `GET /events`. */
export interface ListedEvents {
  /** The events of the page, in its order. */
  events: ListedEvent[]
  /** The text of each record that has no `eventId`. */
  nameless: Uint8Array[]
  /** The cursor of the next page; `undefined` on the last one. */
  nextCursor: string | undefined
}

/**
 * Reads one page of `GET /events` record by record, so that one bad record does not hold up the rest. The body of each
 * webhook is a slice of the page: parsing and printing it again would change spaces, escapes, numbers and the order of
 * members, and with them the bytes that a receiver has seen under this id. An event whose `data` is not a whole webhook
 * gets the record's envelope around it.
 *
 * @throws ContractError if the page is not a JSON object with a list of `events`
 */
export function readListedEvents(page: Uint8Array): ListedEvents {
  const value = pageValue(page)
  const members = isRecord(value) ? jsonMembers(page) : undefined
  const slices = jsonElements(members?.get('events') ?? new Uint8Array())
  if (!isRecord(value) || !Array.isArray(value.events) || slices === undefined) {
    const issue = isRecord(value) ? 'events: not a list' : 'not a JSON object'
    throw new ContractError(`The response to listEvents is ${issue}`, { operation: 'listEvents', issues: [issue] })
  }
  const { events: records, nextCursor } = value
  const read = slices.map((record, index) => listedEvent(record, records[index]) ?? record)
  return {
    events: read.flatMap((event) => (isBytes(event) ? [] : [event])),
    nameless: read.flatMap((event) => (isBytes(event) ? [event] : [])),
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  }
}

/** `JSON.parse` needs no stack, however deep the text is nested; only what reads its value does. */
function pageValue(bytes: Uint8Array): unknown {
  try {
    return parseNumbers(new TextDecoder().decode(bytes), 'answer')
  } catch {
    return undefined
  }
}

function listedEvent(record: Uint8Array, value: unknown): ListedEvent | undefined {
  if (!isRecord(value)) return undefined
  const text = (name: string) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    return typeof member === 'string' ? member : null
  }
  const eventId = text('eventId')
  if (eventId === null || eventId === '') return undefined
  const { deliveryAttempts: attempts, livemode } = value
  const envelope = { eventId, eventType: text('eventType'), occurredAt: text('occurredAt') }
  return {
    ...envelope,
    deliveryId: text('deliveryId'),
    lastDeliveryStatus: text('lastDeliveryStatus'),
    deliveryAttempts: typeof attempts === 'number' ? attempts : null,
    lastAttemptAt: text('lastAttemptAt'),
    record,
    ...bodyOf(jsonMembers(record)?.get('data'), value.data, { ...envelope, livemode }),
  }
}

const utf8 = new TextEncoder()
const decoder = new TextDecoder()

function bodyOf(
  data: Uint8Array | undefined,
  value: unknown,
  envelope: object,
): Pick<ListedEvent, 'body' | 'data' | 'problem'> {
  const none = (problem: string) => ({ body: undefined, data: undefined, problem })
  if (data === undefined) return none('has no data')
  if (isTooDeep(decoder.decode(data))) return none(`has data that is nested deeper than ${maxJsonDepth} levels`)
  if (!isRecord(value)) return none('has data that is not an object')
  const isWhole = Object.hasOwn(value, 'eventId')
  const whole = isWhole ? value : { ...envelope, ...value }
  return { body: isWhole ? data : utf8.encode(JSON.stringify(whole)), data: whole, problem: undefined }
}
