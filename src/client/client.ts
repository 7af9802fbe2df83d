/// <reference lib="esnext.disposable" preserve="true" />
import type {
  Delivery,
  InputOf,
  KnownDeliveryStatus,
  OperationDescriptor,
  OperationMethods,
  OperationName,
  OutputOf,
} from '../contract/index.js'
import {
  ConnectionError,
  extra,
  headers as headerNames,
  operationDescriptors,
  shapeDrift,
  UsageError,
} from '../contract/index.js'
import { isTooDeep } from '../shared/json.js'
import { tooDeep } from '../shared/too-deep.js'
import type { CallResult } from './call.js'
import { systemClock } from './clock.js'
import { idempotencyKeyOf, newIdempotencyKey } from './idempotency-key.js'
import type { CallOptions, ClientOptions } from './options.js'
import { answersOf, type ItemOf, type PagedName, type QueryArguments } from './pages.js'
import { assertSecureBaseUrl, fillPath, joinUrl } from './path.js'
import { prepareRaw, type RawReply, type RawRequest } from './raw.js'
import { skewHint } from './response/clock-skew.js'
import { readAnswer, requestIdOf, responseShape } from './response/response.js'
import { type AttemptSettings, attemptUntilAnswered, type PreparedRequest } from './retry/attempts.js'
import { startDeadline } from './retry/deadline.js'
import { withHint } from './retry/give-up.js'
import type { RetrySafety } from './retry/retry.js'
import { createServiceClock } from './service-clock.js'
import { logAttempt } from './trace/log.js'
import { inSpan } from './trace/telemetry.js'
import { sendVia } from './transport/interruption.js'
import { networkTransport } from './transport/network-transport.js'
import type { RequestToSend } from './transport/transport.js'
import { type ComparableInput, isComparable, sendThenVerify } from './unkeyed-write.js'
import { userAgent } from './user-agent.js'
import type { WaitOptions } from './wait-for.js'
import { loadWaitFor } from './wait-for-loader.js'

/** The service, typed: one method an operation, and what they have in common. */
export interface Client extends OperationMethods<CallOptions> {
  /** As the operation's own method, with what came beside the value. */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: CallOptions,
  ): Promise<CallResult<OutputOf<Name>>>
  /** The request that `call` would send, credentials included. Sends nothing. Throws `UsageError` as `call` does. */
  prepare<Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions): RequestToSend
  /** Pages one after the other, with the same filters throughout. */
  pages<Name extends PagedName>(
    name: Name,
    ...input: QueryArguments<Name>
  ): AsyncGenerator<OutputOf<Name>, void, undefined>
  /** The same pages with what came beside each, such as the answer's own bytes. */
  answers<Name extends PagedName>(
    name: Name,
    ...input: QueryArguments<Name>
  ): AsyncGenerator<CallResult<OutputOf<Name>>, void, undefined>
  /** The items of all pages. */
  each<Name extends PagedName>(
    name: Name,
    ...input: QueryArguments<Name>
  ): AsyncGenerator<ItemOf<Name>, void, undefined>
  /** Any path below the base URL: bytes in, bytes out, whatever the status. */
  raw(request: RawRequest, options?: CallOptions): Promise<RawReply>
  /** Milliseconds by which the service's clock is ahead of this machine's, to the second; unknown before an answer. */
  clockSkewMs(): number | undefined
  /** The service's time in milliseconds since the epoch, to the second; unknown before an answer. */
  serviceNowMs(): number | undefined
  /**
   * Waits until a delivery has reached a status, now or on its way, and resolves with it: at once if it has already. The
   * delivery is read every second at first, then less often.
   *
   * @throws OutcomeError if it cannot reach the status any more; ConnectionError `timeout` if it has not in time
   */
  waitFor(deliveryId: string, status: KnownDeliveryStatus, options?: WaitOptions): Promise<Delivery>
  /** Ends what is under way; every later call rejects with UsageError. Closing twice is fine. */
  close(): Promise<void>
  /** Closes the client at the end of `await using client = createClient(…)`. */
  [Symbol.asyncDispose](): Promise<void>
}

const encoder = new TextEncoder()

const keyHeader = headerNames.idempotencyKey.toLowerCase()

/** POST requests that change nothing: they may be repeated like a read. */
const readingPosts: ReadonlySet<OperationName> = new Set(['createQuote', 'checkServiceability'])

/**
 * Opens a client. Nothing is sent and nothing is loaded before the first call.
 *
 * @throws UsageError if the base URL is not one that a key may be sent to
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = baseUrlOf(options)
  const { clock = systemClock } = options
  const closing = new AbortController()
  const onTrace = tracing(options)
  const transport = options.transport ?? networkTransport({ environment: options.environment })
  const send = sendVia(transport)
  const serviceClock = createServiceClock(clock)

  function settingsFor(call: CallOptions): AttemptSettings {
    return {
      send,
      clock,
      random: options.random ?? Math.random,
      deadline: startDeadline(clock, call.timeoutMs ?? options.timeoutMs ?? 60_000),
      attemptTimeoutMs: call.attemptTimeoutMs ?? options.attemptTimeoutMs ?? 30_000,
      maxWaitMs: call.maxWaitMs ?? options.maxWaitMs ?? Number.POSITIVE_INFINITY,
      maxBytes: options.maxBytes ?? 67_108_864,
      signals: [options.signal, call.signal, closing.signal],
      drain: call.drain,
      retries: { ...options.retries, ...call.retries },
      pacer: options.pacer,
      budget: call.budget,
      onTrace,
    }
  }

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

  /** One operation, prepared: what is sent is settled here and stays the same in every attempt. */
  function prepare(name: OperationName, input: CallInput, added: CallOptions['headers']): PreparedCall {
    const row = operationDescriptors[name]
    const text = input.body === undefined ? undefined : jsonBody(input.body)
    const key = input.idempotencyKey ?? ownKey(name, row, text)
    const headers = commonHeaders(row.authenticated !== false, added)
    if (row.idempotencyKey !== undefined && key !== undefined) headers[keyHeader] = checkKey(key)
    if (text !== undefined) headers['content-type'] = 'application/json'
    return {
      operation: name,
      request: {
        method: row.method,
        url: joinUrl(baseUrl, fillPath(row.path, input), input.query),
        headers,
        body: text === undefined ? undefined : encoder.encode(text),
      },
      retrySafety: retrySafetyOf(name, row, key),
      parseResponse(reply, attempts) {
        const { status, headers, body } = reply
        serviceClock.observe(headers.get('date'))
        return {
          value: readAnswer(name, row, reply, clock.nowMs()),
          status,
          requestId: requestIdOf(reply),
          replayed: headers.get(headerNames.idempotencyReplayed)?.toLowerCase() === 'true',
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

  async function call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    callOptions: CallOptions = {},
  ): Promise<CallResult<OutputOf<Name>>> {
    assertOpen()
    const prepared = prepare(name, input as CallInput, callOptions.headers)
    callOptions.budget?.earn()
    try {
      const result = await inSpan({ name, deliveryId: (input as CallInput).deliveryId }, (span) => {
        const settings = { ...settingsFor(callOptions), span }
        if (!isComparable(name)) return attemptUntilAnswered(prepared, settings)
        return sendThenVerify(name, input as ComparableInput, {
          send: () => attemptUntilAnswered(prepared, settings),
          fetchCurrent: (deliveryId) =>
            attemptUntilAnswered(prepare('getDelivery', { deliveryId }, callOptions.headers), settings),
        })
      })
      return result as CallResult<OutputOf<Name>>
    } catch (failure) {
      const hint = skewHint(failure, serviceClock.skewMs())
      throw hint === undefined ? failure : withHint(failure, hint)
    }
  }

  const methods = Object.fromEntries(
    (Object.keys(operationDescriptors) as OperationName[]).map((name) => [
      name,
      async (input: InputOf<typeof name> = {} as InputOf<typeof name>, callOptions?: CallOptions) =>
        (await call(name, input, callOptions)).value,
    ]),
  ) as unknown as OperationMethods<CallOptions>

  return {
    ...methods,
    call,
    prepare: (name, input, callOptions) => prepare(name, input as CallInput, callOptions?.headers).request,
    async *pages(name, ...[query, callOptions]) {
      for await (const { value } of answersOf(call, name, query, callOptions)) yield value
    },
    answers: (name, ...[query, callOptions]) => answersOf(call, name, query, callOptions),
    async *each(name, ...[query, callOptions]) {
      const items = operationDescriptors[name].pageOf ?? ''
      for await (const { value } of answersOf(call, name, query, callOptions))
        yield* extra(value)[items] as ItemOf<typeof name>[]
    },
    async raw(request, callOptions = {}) {
      assertOpen()
      const prepared = prepareRaw(baseUrl, request, commonHeaders(true, callOptions.headers), () => clock.nowMs())
      try {
        const name = prepared.request.method
        return await inSpan({ name }, (span) => attemptUntilAnswered(prepared, { ...settingsFor(callOptions), span }))
      } catch (failure) {
        const reply = prepared.replyBehind(failure)
        if (reply === undefined) throw failure
        return reply
      }
    },
    clockSkewMs: () => serviceClock.skewMs(),
    serviceNowMs: () => serviceClock.nowMs(),
    async waitFor(deliveryId, status, waitOptions = {}) {
      assertOpen()
      const { waitForStatus } = await loadWaitFor()
      const read = async (call: CallOptions) => (await methods.getDelivery({ deliveryId }, call)) as Delivery
      return waitForStatus(read, status, waitOptions, { clock, signal: closing.signal })
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new UsageError('The client is closed', { hint: 'Create another one.' })
  }

  async function close(): Promise<void> {
    closing.abort(new ConnectionError('The client was closed before the answer came', { reason: 'aborted' }))
    await transport.close?.()
  }
}

/** @throws UsageError if there is no base URL that a key may be sent to */
function baseUrlOf(options: ClientOptions | null | undefined): string {
  const baseUrl: unknown = options?.baseUrl
  if (typeof baseUrl !== 'string' || baseUrl === '')
    throw new UsageError('The client needs a baseUrl', {
      hint: "Pass { baseUrl: 'https://api.example.com/delivery/v1', apiKey }; is the variable set that it comes from?",
    })
  if (options?.transport === undefined) assertSecureBaseUrl(baseUrl)
  return baseUrl
}

/** Who is told of each attempt; `undefined` if nobody is, since a trace takes time to mask. */
function tracing({ onTrace, logger }: ClientOptions): ClientOptions['onTrace'] {
  if (logger === undefined) return onTrace
  return (trace) => {
    logAttempt(logger, trace)
    onTrace?.(trace)
  }
}

function userAgentHeader(text: string | undefined): { 'user-agent'?: string } {
  return text === undefined ? {} : { 'user-agent': text }
}

/** An operation, ready to be sent. */
type PreparedCall = PreparedRequest<CallResult<unknown>>

/** What any operation's input may hold beside its path parameters. */
interface CallInput extends Readonly<Record<string, unknown>> {
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  idempotencyKey?: string
}

/** @throws UsageError that names the field */
function refuseInvalidDates(value: unknown, path: string): void {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new UsageError(`${path} is an invalid Date`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) refuseInvalidDates(member, path === '' ? name : `${path}.${name}`)
}

/** A body's JSON text. Throws `UsageError` if it is nested deeper than any reader has to take. */
function jsonBody(body: unknown): string {
  try {
    const text = JSON.stringify(body)
    // JSON writes an invalid Date as null.
    if (text?.includes('null')) refuseInvalidDates(body, '')
    if (!isTooDeep(text)) return text
  } catch (error) {
    // The stack ended before the value did.
    if (!(error instanceof RangeError)) throw error
  }
  throw tooDeep('The request')
}

/**
 * The key of a request that came without one. That of an order follows from the order, so that the same order is
 * dispatched once, however often it is sent; that of anything else is new.
 */
function ownKey(name: OperationName, { idempotencyKey }: OperationDescriptor, text: string | undefined) {
  if (idempotencyKey === undefined) return undefined
  if (name !== 'createDelivery' || text === undefined) return newIdempotencyKey()
  return idempotencyKeyOf({ profile: '', order: JSON.parse(text) })
}

function retrySafetyOf(name: OperationName, row: OperationDescriptor, key: string | undefined): RetrySafety {
  if (row.method === 'GET' || readingPosts.has(name)) return 'safe'
  return row.idempotencyKey !== undefined && key !== undefined ? 'idempotent' : 'unsafe'
}

function checkKey(key: string): string {
  if (/^[\x20-\x7e]{1,128}$/.test(key) && !key.startsWith(' ') && !key.endsWith(' ')) return key
  throw new UsageError('The idempotency key must be 1 to 128 printable ASCII characters')
}
