/// <reference lib="esnext.disposable" preserve="true" />
import type {
  Delivery,
  DeliveryStatus,
  EventRecord,
  InputOf,
  OperationMethods,
  OperationName,
  OutputOf,
} from '../contract/index.js'
import { ConnectionError, extra, operationDescriptors, UsageError } from '../contract/index.js'
import type { CallResult } from './call.js'
import { systemClock } from './clock.js'
import { withLostAnswer } from './lost-answer.js'
import type { CallOptions, ClientOptions } from './options.js'
import { answersOf, type ItemOf, type PagedName, type QueryArguments } from './pages.js'
import { assertSecureBaseUrl } from './path.js'
import { type CallInput, callPreparer } from './prepare-call.js'
import { prepareRaw, type RawReply, type RawRequest } from './raw.js'
import { skewHint } from './response/clock-skew.js'
import { type AttemptSettings, attemptUntilAnswered } from './retry/attempts.js'
import { startDeadline } from './retry/deadline.js'
import { withHint } from './retry/give-up.js'
import { createServiceClock } from './service-clock.js'
import { logAttempt } from './trace/log.js'
import { type CallSpan, inSpan } from './trace/telemetry.js'
import { networkTransport } from './transport/network-transport.js'
import type { RequestToSend } from './transport/transport.js'
import { type ComparableInput, comparisonOf, sendThenVerify } from './unkeyed-write.js'
import type { WaitOptions } from './wait-for.js'
import { loadWaitFor } from './wait-for-loader.js'

/** The service, typed: one method an operation, and what they have in common. */
export interface Client extends OperationMethods<CallOptions> {
  /** Like the operation's own method, but returns the details of the response with the value. */
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
  /** The same pages, each with the details of its response, such as the raw bytes. */
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
  waitFor(deliveryId: string, status: DeliveryStatus, options?: WaitOptions): Promise<Delivery>
  /** Ends what is under way; every later call rejects with UsageError. Closing twice is fine. */
  close(): Promise<void>
  /** Closes the client at the end of `await using client = createClient(…)`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens a client. Nothing is sent and nothing is loaded before the first call.
 *
 * @throws UsageError if the base URL is not one that a key may be sent to, or the key cannot be one
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = baseUrlOf(options)
  assertKey(options.apiKey)
  const { clock = systemClock } = options
  const closing = new AbortController()
  const onTrace = tracing(options)
  const transport = options.transport ?? networkTransport({ environment: options.environment })
  const serviceClock = createServiceClock(clock)
  const { prepare, commonHeaders } = callPreparer(baseUrl, options, serviceClock)

  const ownTimeoutMs = () => (typeof options.timeoutMs === 'function' ? options.timeoutMs() : options.timeoutMs)

  function settingsFor(call: CallOptions, span: CallSpan, onLostAnswer?: () => void): AttemptSettings {
    return {
      transport,
      apiKey: options.apiKey,
      clock,
      random: options.random ?? Math.random,
      deadline: startDeadline(clock, call.timeoutMs ?? ownTimeoutMs() ?? 60_000),
      attemptTimeoutMs: call.attemptTimeoutMs ?? options.attemptTimeoutMs ?? 30_000,
      maxWaitMs: call.maxWaitMs ?? options.maxWaitMs ?? Number.POSITIVE_INFINITY,
      maxBytes: options.maxBytes ?? 67_108_864,
      signals: [options.signal, call.signal, closing.signal],
      drain: call.drain,
      retries: { ...options.retries, ...call.retries },
      pacer: options.pacer,
      budget: call.budget,
      onTrace,
      onLostAnswer,
      span,
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
    let wasLost = false
    const onLostAnswer = () => {
      wasLost = true
    }
    try {
      const result = await inSpan({ name, deliveryId: (input as CallInput).deliveryId }, (span) => {
        const settings = unlimited(operationDescriptors[name].path, settingsFor(callOptions, span, onLostAnswer))
        const compared = comparisonOf(name)
        if (compared === undefined) return attemptUntilAnswered(prepared, settings)
        const sentMs = clock.monotonicMs()
        return sendThenVerify(compared, input as ComparableInput, {
          send: () => attemptUntilAnswered(prepared, settings),
          fetchCurrent: (deliveryId) =>
            attemptUntilAnswered(
              prepare('getDelivery', { deliveryId }, callOptions.headers),
              settingsFor(callOptions, span),
            ),
          async eventsSince(deliveryId) {
            const nowMs = serviceClock.nowMs() ?? clock.nowMs()
            const since = new Date(nowMs - (clock.monotonicMs() - sentMs)).toISOString()
            const events: EventRecord[] = []
            for await (const { value } of answersOf(call, 'listEvents', { deliveryId, since }, callOptions))
              events.push(...value.events)
            return events
          },
        })
      })
      return (wasLost ? { ...result, wasLost } : result) as CallResult<OutputOf<Name>>
    } catch (cause) {
      const hint = skewHint(cause, serviceClock.skewMs())
      const failure = hint === undefined ? cause : withHint(cause, hint)
      throw withLostAnswer(failure, name, prepared.request, wasLost)
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
      const prepared = prepareRaw(
        baseUrl,
        request,
        commonHeaders(true, callOptions.headers),
        () => clock.nowMs(),
        (date) => serviceClock.observe(date),
      )
      try {
        const name = prepared.request.method
        return await inSpan({ name }, (span) =>
          attemptUntilAnswered(prepared, unlimited(request.path, settingsFor(callOptions, span))),
        )
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

/** `GET /health` has a separate limit: it neither waits for the key's allowance nor reports it. */
function unlimited(path: string, settings: AttemptSettings): AttemptSettings {
  return path === operationDescriptors.getHealth.path ? { ...settings, pacer: undefined } : settings
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

/** @throws UsageError for a key that no header can carry */
function assertKey(apiKey: string | undefined): void {
  if (apiKey === undefined || /^[\x21-\x7e]*$/.test(apiKey)) return
  throw new UsageError('The API key has a character that no key has, such as a space or a line break', {
    hint: 'Pass the key without "Bearer"; one that comes from a file may need trim().',
  })
}

/** The callback for each attempt; `undefined` if there is none, because masking a trace takes time. */
function tracing({ onTrace, logger }: ClientOptions): ClientOptions['onTrace'] {
  if (logger === undefined) return onTrace
  return (trace) => {
    logAttempt(logger, trace)
    onTrace?.(trace)
  }
}
