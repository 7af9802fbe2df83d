import { ContractError } from '../contract/index.js'
import { isRecord, readJsonText } from '../shared/json.js'
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
  const members = isJson(page) ? jsonMembers(page) : undefined
  const records = jsonElements(members?.get('events') ?? new Uint8Array())
  if (members === undefined || records === undefined) {
    const issue = members === undefined ? 'not a JSON object' : 'events: not a list'
    throw new ContractError(`The response to listEvents is ${issue}`, { operation: 'listEvents', issues: [issue] })
  }
  const read = records.map((record) => listedEvent(record) ?? record)
  const nextCursor = parsed(members.get('nextCursor'))
  return {
    events: read.flatMap((event) => (event instanceof Uint8Array ? [] : [event])),
    nameless: read.flatMap((event) => (event instanceof Uint8Array ? [event] : [])),
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  }
}

/** `JSON.parse` needs no stack, however deep the text is nested; only what reads its value does. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
    return true
  } catch {
    return false
  }
}

function listedEvent(record: Uint8Array): ListedEvent | undefined {
  const members = jsonMembers(record) ?? new Map<string, Uint8Array>()
  const text = (name: string) => {
    const value = parsed(members.get(name))
    return typeof value === 'string' ? value : null
  }
  const eventId = text('eventId')
  if (eventId === null || eventId === '') return undefined
  const attempts = parsed(members.get('deliveryAttempts'))
  const envelope = { eventId, eventType: text('eventType'), occurredAt: text('occurredAt') }
  return {
    ...envelope,
    deliveryId: text('deliveryId'),
    lastDeliveryStatus: text('lastDeliveryStatus'),
    deliveryAttempts: typeof attempts === 'number' ? attempts : null,
    record,
    ...bodyOf(members.get('data'), { ...envelope, livemode: parsed(members.get('livemode')) }),
  }
}

const utf8 = new TextEncoder()

function bodyOf(data: Uint8Array | undefined, envelope: object): Pick<ListedEvent, 'body' | 'problem'> {
  if (data === undefined) return { body: undefined, problem: 'has no data' }
  const reading = readJsonText(data)
  if ('fault' in reading) return { body: undefined, problem: `has data that ${reading.message}` }
  const { value } = reading
  if (!isRecord(value)) return { body: undefined, problem: 'has data that is not an object' }
  const body = Object.hasOwn(value, 'eventId') ? data : utf8.encode(JSON.stringify({ ...envelope, ...value }))
  return { body, problem: undefined }
}

function parsed(slice: Uint8Array | undefined): unknown {
  const reading = slice === undefined ? undefined : readJsonText(slice)
  return reading !== undefined && 'value' in reading ? reading.value : undefined
}
