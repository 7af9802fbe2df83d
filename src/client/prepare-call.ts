import {
  ApiError,
  headers as headerNames,
  type OperationDescriptor,
  type OperationName,
  operationDescriptors,
  shapeDrift,
  UsageError,
} from '../contract/index.js'
import { utf8Bytes } from '../shared/bytes.js'
import { canonicalJson } from '../shared/canonical-json.js'
import { isTooDeep, tooDeep } from '../shared/json.js'
import { jsonWithBigInts, parseNumbers } from '../shared/json-number.js'
import { didYouMean, suggestions } from '../shared/word-match.js'
import { systemClock } from './clock.js'
import { cancelKeyOf, hashOf, idempotencyKeyOf, newIdempotencyKey } from './idempotency-key.js'
import type { CallOptions, CallResult, ClientOptions } from './options.js'
import { fillPath, joinUrl } from './path.js'
import { readAnswer, requestIdOf, responseShape } from './response/response.js'
import type { PreparedRequest } from './retry/attempts.js'
import type { RetrySafety } from './retry/retry.js'
import type { ServiceClock } from './service-clock.js'
import type { TransportReply } from './transport/transport.js'
import { userAgent } from './user-agent.js'

/** A request's body whose JSON is known already, so that it is not written again. */
export class WrittenBody {
  constructor(
    readonly text: string,
    /** Gives the value that the text was written from. */
    readonly value: () => unknown,
  ) {}
}

/** An operation, ready to be sent. */
type PreparedCall = PreparedRequest<CallResult<unknown>>

/** The input of any operation, besides its path parameters. */
export interface CallInput extends Readonly<Record<string, unknown>> {
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  idempotencyKey?: string
}

const keyHeader = headerNames.idempotencyKey.toLowerCase()

/** Turns operations into requests. Everything that all calls of a client share is prepared once. */
export interface CallPreparer {
  /**
   * One operation, prepared: what is sent is settled here and stays the same in every attempt.
   *
   * @throws UsageError for what no request can carry
   */
  prepare(name: OperationName, input: CallInput, added: CallOptions['headers']): PreparedCall
  commonHeaders(authenticated: boolean, added: CallOptions['headers']): Record<string, string>
}

export function callPreparer(
  baseUrl: string,
  options: ClientOptions,
  serviceClock: Pick<ServiceClock, 'observe'>,
): CallPreparer {
  const { clock = systemClock } = options
  const openHeaders = {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate',
    ...userAgentHeader(options.userAgent ?? userAgent()),
  }
  const keyHeaders = {
    ...openHeaders,
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
  }

  function commonHeaders(authenticated: boolean, added: CallOptions['headers']): Record<string, string> {
    return { ...(authenticated ? keyHeaders : openHeaders), ...options.headers, ...added }
  }

  /** Reads an answer, and the service's time from it: the `Date` of a proxy's page is another clock's. */
  function ownAnswer(reply: TransportReply, read: () => unknown): unknown {
    const observe = () => serviceClock.observe(reply.headers.get('date'))
    try {
      const value = read()
      observe()
      return value
    } catch (error) {
      if (error instanceof ApiError) observe()
      throw error
    }
  }

  function prepare(name: OperationName, input: CallInput, added: CallOptions['headers']): PreparedCall {
    const row = rowOf(name)
    const written = input.body === undefined ? undefined : jsonBody(input.body)
    const { key, text } =
      input.idempotencyKey === undefined
        ? withOwnKey(name, row, input, written)
        : { key: input.idempotencyKey, text: written }
    const headers = commonHeaders(row.authenticated !== false, added)
    if (row.idempotencyKey !== undefined && key !== undefined) headers[keyHeader] = checkKey(key)
    if (text !== undefined) headers['content-type'] = 'application/json'
    return {
      operation: name,
      request: {
        method: row.method,
        url: joinUrl(baseUrl, fillPath(row.path, input), input.query),
        headers,
        body: text === undefined ? undefined : utf8Bytes(text),
      },
      retrySafety: retrySafetyOf(row, key),
      parseResponse(reply, attempts) {
        const { status, headers, body } = reply
        const value = ownAnswer(reply, () =>
          readAnswer(name, row, reply, clock.nowMs(), {
            asked: input.body instanceof WrittenBody ? { ...input, body: input.body.value() } : input,
            isLookup: input.query?.clientOrderReference !== undefined,
            numbers: options.numbers === 'as-written' ? 'answer' : 'whole',
          }),
        )
        return {
          value,
          status,
          requestId: requestIdOf(reply),
          replayed: headers.get(headerNames.idempotencyReplayed)?.toLowerCase() === 'true',
          wasLost: false,
          headers,
          body,
          attempts,
        }
      },
      drift({ value }, { status }) {
        const shape = responseShape(row, status)
        return shape === undefined ? [] : shapeDrift(shape, value)
      },
    }
  }

  return { prepare, commonHeaders }
}

/** @throws UsageError that names the most similar operation */
function rowOf(name: OperationName): OperationDescriptor {
  const row: OperationDescriptor | undefined = operationDescriptors[name]
  if (row !== undefined) return row
  const near = suggestions(String(name), Object.keys(operationDescriptors), 1)
  throw new UsageError(`"${name}" is not an operation`, { hint: didYouMean(near) })
}

function userAgentHeader(text: string | undefined): { 'user-agent'?: string } {
  return text === undefined ? {} : { 'user-agent': text }
}

/** JSON has whole numbers of any size, so a `bigint` is written as its digits. */
function jsonText(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return jsonWithBigInts(body) ?? 'null'
  }
}

/** @throws UsageError that names the field */
function refuseInvalidDates(value: unknown, path: string): void {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new UsageError(`${path} is an invalid Date`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) refuseInvalidDates(member, path === '' ? name : `${path}.${name}`)
}

/** A body's JSON text. Throws `UsageError` if it has none, or is nested deeper than any reader has to take. */
function jsonBody(body: unknown): string {
  try {
    const written = body instanceof WrittenBody ? body : { text: jsonText(body), value: () => body }
    const { text } = written
    // JSON writes an invalid Date as null.
    if (text?.includes('null')) refuseInvalidDates(written.value(), '')
    if (!isTooDeep(text)) return text
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`The body is not JSON: ${error.message}`, { cause: error })
    // The stack ended before the value did.
    if (!(error instanceof RangeError)) throw error
  }
  throw tooDeep('The request')
}

/**
 * The key of a request that came without one, and its body. The key of an order follows from the order, so that the same
 * order is dispatched once, however often it is sent, and goes in one text; that of a cancellation from the delivery and
 * what is said of it, so that a second one gets the answer of the first.
 */
function withOwnKey(
  name: OperationName,
  { idempotencyKey }: OperationDescriptor,
  input: CallInput,
  text: string | undefined,
): { key?: string; text: string | undefined } {
  if (idempotencyKey === undefined) return { text }
  const order = text === undefined ? undefined : parseNumbers(text, 'input')
  if (name === 'cancelDelivery')
    return { key: cancelKeyOf({ deliveryId: String(input.deliveryId), body: order }), text }
  if (name !== 'createDelivery' || text === undefined) return { key: newIdempotencyKey(), text }
  const canonical = canonicalJson(order)
  return { key: idempotencyKeyOf({ order, bodyHash: hashOf(canonical) }), text: canonical }
}

function retrySafetyOf(row: OperationDescriptor, key: string | undefined): RetrySafety {
  if (row.method === 'GET' || row.repeat === 'safe') return 'safe'
  return row.idempotencyKey !== undefined && key !== undefined ? 'idempotent' : 'unsafe'
}

function checkKey(key: string): string {
  if (/^[\x20-\x7e]{1,128}$/.test(key) && !key.startsWith(' ') && !key.endsWith(' ')) return key
  throw new UsageError('The idempotency key must be 1 to 128 printable ASCII characters')
}
