import { ContractError } from '../contract/index.js'
import { isBytes } from '../shared/byte-codes.js'
import { isRecord, isTooDeep, maxJsonDepth } from '../shared/json.js'
import { parseNumbers } from '../shared/json-number.js'

const quote = 0x22
const backslash = 0x5c
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d])
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const comma = 0x2c
const decoder = new TextDecoder()

/**
 * The members of a JSON object as they stand in its text, byte for byte; of a name that comes twice the last one, as
 * `JSON.parse` has it. `undefined` for what is no object. The text must be JSON, which is for a parser to tell.
 */
export function jsonMembers(json: Uint8Array): Map<string, Uint8Array> | undefined {
  let at = startOf(json)
  if (json[at] !== 0x7b) return undefined
  const members = new Map<string, Uint8Array>()
  for (at = afterSpace(json, at + 1); json[at] === quote; ) {
    const nameEnd = endOfValue(json, at)
    const text = decoder.decode(json.subarray(at, nameEnd))
    const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1)
    const end = endOfValue(json, start)
    members.set(name, json.subarray(start, end))
    at = afterComma(json, end)
  }
  return members
}

/** The elements of a JSON array as slices of its text, byte for byte; `undefined` if the text is not an array. */
export function jsonElements(json: Uint8Array): Uint8Array[] | undefined {
  let at = startOf(json)
  if (json[at] !== 0x5b) return undefined
  const elements: Uint8Array[] = []
  for (at = afterSpace(json, at + 1); at < json.length && !closing.has(json[at] ?? 0); ) {
    const end = endOfValue(json, at)
    elements.push(json.subarray(at, end))
    at = afterComma(json, end)
  }
  return elements
}

/** Past a byte order mark and white space. */
function startOf(json: Uint8Array): number {
  const hasMark = json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf
  return afterSpace(json, hasMark ? 3 : 0)
}

function afterSpace(json: Uint8Array, from: number): number {
  let at = from
  while (at < json.length && spaces.has(json[at] ?? 0)) at++
  return at
}

function afterComma(json: Uint8Array, from: number): number {
  const at = afterSpace(json, from)
  return json[at] === comma ? afterSpace(json, at + 1) : at
}

/** Every byte with a meaning here is ASCII, and no byte of a longer UTF-8 character is. */
function endOfValue(json: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (byte === quote) {
      at = endOfString(json, at)
      if (depth === 0) return at + 1
      // The brackets of arrays and objects differ in one bit only.
    } else if ((byte | 0x20) === 0x7b) depth++
    else if ((byte | 0x20) === 0x7d) {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === comma || spaces.has(byte))) return at
  }
  return json.length
}

/** The position of the closing quote of the string that begins at `from`. */
function endOfString(json: Uint8Array, from: number): number {
  let at = from + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}

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
    const issue = isRecord(value) ? 'events must be a list' : 'it must be a JSON object'
    const message = `The answer to listEvents is not what the contract promises: ${issue}`
    throw new ContractError(message, { operation: 'listEvents', issues: [issue] })
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
