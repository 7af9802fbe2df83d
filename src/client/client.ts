/// <reference lib="esnext.disposable" preserve="true" />
import type {
  Delivery,
  DeliveryStatus,
  InputOf,
  ListDeliveriesQueryByClientOrderReference,
  ListDeliveriesQueryByFrom,
  OperationMethods,
  OperationName,
  OutputOf,
} from '../contract/index.js'
import { ApiError, ConnectionError, extra, operationDescriptors, UsageError } from '../contract/index.js'
import { apiKeyFault } from '../shared/pasted-text.js'
import { assertKnownOptions, assertLimits } from '../shared/word-match.js'
import { type Clock, systemClock } from './clock.js'
import { withLostAnswer } from './lost-answer.js'
import { type CallOptions, type CallResult, type ClientOptions, callOptionNames, clientOptionNames } from './options.js'
import { answersOf, type ItemOf, type PagedName, pageOf, type QueryArguments, type QueryOf } from './pages.js'
import { assertSecureBaseUrl } from './path.js'
import { type CallInput, type CallPreparer, callPreparer } from './prepare-call.js'
import { prepareRaw, type RawReply, type RawRequest } from './raw.js'
import { type AttemptSettings, attemptUntilAnswered } from './retry/attempts.js'
import { startDeadline } from './retry/deadline.js'
import { defaultRetryLimits, isAnsweredInFront } from './retry/retry.js'
import { createServiceClock, type ServiceClock, withSkew } from './service-clock.js'
import { logAttempt } from './trace/http-trace.js'
import { type CallSpan, inSpan } from './trace/telemetry.js'
import { networkTransport } from './transport/network-transport.js'
import type { RequestToSend, Transport } from './transport/transport.js'
import { type ComparableInput, comparisonOf, sendThenVerify } from './unkeyed-write.js'
import type { WaitOptions } from './wait-for.js'
import { loadWaitFor } from './wait-for-loader.js'

// Overloads for each way to list deliveries: of the members of a union an editor shows no comment.
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
  pages(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByFrom,
    options?: CallOptions,
  ): AsyncGenerator<OutputOf<'listDeliveries'>, void, undefined>
  /** Pages one after the other, with the same filters throughout. */
  pages(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByClientOrderReference,
    options?: CallOptions,
  ): AsyncGenerator<OutputOf<'listDeliveries'>, void, undefined>
  /** Pages one after the other, with the same filters throughout. */
  pages<Name extends PagedName>(
    name: Name,
    ...input: QueryArguments<Name>
  ): AsyncGenerator<OutputOf<Name>, void, undefined>
  /** The same pages, each with the details of its response, such as the raw bytes. */
  answers(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByFrom,
    options?: CallOptions,
  ): AsyncGenerator<CallResult<OutputOf<'listDeliveries'>>, void, undefined>
  /** The same pages, each with the details of its response, such as the raw bytes. */
  answers(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByClientOrderReference,
    options?: CallOptions,
  ): AsyncGenerator<CallResult<OutputOf<'listDeliveries'>>, void, undefined>
  /** The same pages, each with the details of its response, such as the raw bytes. */
  answers<Name extends PagedName>(
    name: Name,
    ...input: QueryArguments<Name>
  ): AsyncGenerator<CallResult<OutputOf<Name>>, void, undefined>
  /** The items of all pages. */
  each(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByFrom,
    options?: CallOptions,
  ): AsyncGenerator<ItemOf<'listDeliveries'>, void, undefined>
  /** The items of all pages. */
  each(
    name: 'listDeliveries',
    query: ListDeliveriesQueryByClientOrderReference,
    options?: CallOptions,
  ): AsyncGenerator<ItemOf<'listDeliveries'>, void, undefined>
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
 * @throws UsageError for an option that does not exist, a base URL that a key may not be sent to, a key that no header can
 *   carry, or a limit that is not a number
 */
export function createClient(options: ClientOptions): Client {
  assertKnownOptions('createClient', options, clientOptionNames)
  assertKnownOptions('retries', options?.retries, defaultRetryLimits)
  const baseUrl = baseUrlOf(options)
  assertKey(options.apiKey)
  assertLimits({ ...limitsOf(options), timeoutMs: typeof options.timeoutMs === 'function' ? 0 : options.timeoutMs })
  const calls = new Calls(baseUrl, options)
  const call: Client['call'] = (name, input, callOptions) => calls.call(name, input, callOptions)
  const close = () => calls.close()
  return {
    ...methodsOf(call),
    call,
    prepare: (name, input, callOptions) =>
      calls.preparer.prepare(name, input as CallInput, callOptions?.headers).request,
    async *pages<Name extends PagedName>(name: Name, ...[query, callOptions]: QueryArguments<Name>) {
      for await (const { value } of calls.answers(name, query, callOptions)) yield value
    },
    answers: <Name extends PagedName>(name: Name, ...[query, callOptions]: QueryArguments<Name>) =>
      calls.answers(name, query, callOptions),
    async *each<Name extends PagedName>(name: Name, ...[query, callOptions]: QueryArguments<Name>) {
      const items = pageOf(name)
      for await (const { value } of calls.answers(name, query, callOptions))
        yield* extra(value)[items] as ItemOf<Name>[]
    },
    raw: (request, callOptions) => calls.raw(request, callOptions),
    clockSkewMs: () => calls.serviceClock.skewMs(),
    serviceNowMs: () => calls.serviceClock.nowMs(),
    waitFor: (deliveryId, status, waitOptions) => calls.waitFor(deliveryId, status, waitOptions),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function methodsOf(call: Client['call']): OperationMethods<CallOptions> {
  const methods = (Object.keys(operationDescriptors) as OperationName[]).map((name) => [
    name,
    async (input: InputOf<typeof name> = {} as InputOf<typeof name>, callOptions?: CallOptions) =>
      (await call(name, input, callOptions)).value,
  ])
  return Object.fromEntries(methods) as unknown as OperationMethods<CallOptions>
}

/** The calls of one client, and what they share. */
class Calls {
  readonly serviceClock: ServiceClock
  readonly preparer: CallPreparer
  readonly #clock: Clock
  readonly #transport: Transport
  readonly #onTrace: ClientOptions['onTrace']
  readonly #closing = new AbortController()

  constructor(
    readonly baseUrl: string,
    readonly options: ClientOptions,
  ) {
    this.#clock = options.clock ?? systemClock
    this.#transport = options.transport ?? networkTransport({ environment: options.environment, baseUrl })
    this.#onTrace = tracing(options)
    this.serviceClock = createServiceClock(this.#clock)
    this.preparer = callPreparer(baseUrl, options, this.serviceClock)
  }

  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<CallResult<OutputOf<Name>>> {
    this.#assertOpen()
    const prepared = this.preparer.prepare(name, input as CallInput, options.headers)
    options.budget?.earn()
    let wasLost = false
    const onLostAnswer = () => {
      wasLost = true
    }
    try {
      const result = await inSpan(
        { name, deliveryId: (input as CallInput).deliveryId, body: prepared.request.body },
        (span) => {
          const settings = this.#settingsFor(operationDescriptors[name].path, options, span, onLostAnswer)
          const send = () => attemptUntilAnswered(prepared, settings)
          const compared = comparisonOf(name)
          if (compared === undefined) return send()
          return sendThenVerify(compared, input as ComparableInput, { send, ...this.#looks(options, span) })
        },
      )
      return (wasLost ? { ...result, wasLost } : result) as CallResult<OutputOf<Name>>
    } catch (cause) {
      const seen = await this.#ownCancellation(name, input as CallInput, cause, wasLost, options)
      if (seen !== undefined) return seen as CallResult<OutputOf<Name>>
      throw withLostAnswer(withSkew(cause, this.serviceClock.skewMs()), name, prepared.request, wasLost)
    }
  }

  /**
   * The delivery that a cancellation has cancelled although it was answered otherwise: by something in front of the
   * service, or by a refusal after an answer was lost.
   */
  async #ownCancellation(
    name: OperationName,
    { deliveryId }: CallInput,
    failure: unknown,
    wasLost: boolean,
    options: CallOptions,
  ): Promise<CallResult<unknown> | undefined> {
    const isIllegal = failure instanceof ApiError && failure.code === 'INVALID_STATE_TRANSITION'
    if (name !== 'cancelDelivery' || !(isAnsweredInFront(failure) || (wasLost && isIllegal))) return undefined
    const briefly = { ...options, timeoutMs: 10_000, retries: { maxRetries: 1 } }
    const seen = await this.call('getDelivery', { deliveryId: String(deliveryId) }, briefly).catch(() => undefined)
    return seen?.value.status === 'cancelled' ? { ...seen, replayed: false, wasLost: true } : undefined
  }

  /** Looks, from now on, at what a write of this call has done. */
  #looks(options: CallOptions, span: CallSpan): Omit<Parameters<typeof sendThenVerify>[2], 'send'> {
    const sentMs = this.#clock.monotonicMs()
    return {
      fetchCurrent: (deliveryId) =>
        attemptUntilAnswered(
          this.preparer.prepare('getDelivery', { deliveryId }, options.headers),
          this.#settingsFor(operationDescriptors.getDelivery.path, options, span),
        ),
      eventsSince: async (deliveryId) => {
        const nowMs = this.serviceClock.nowMs() ?? this.#clock.nowMs()
        const since = new Date(nowMs - (this.#clock.monotonicMs() - sentMs)).toISOString()
        const pages = this.answers('listEvents', { deliveryId, since }, options)
        return (await Array.fromAsync(pages, ({ value }) => value.events)).flat()
      },
    }
  }

  answers<Name extends PagedName>(name: Name, query: QueryOf<Name> | undefined, options?: CallOptions) {
    return answersOf((...call) => this.call(...call), name, query, options)
  }

  async raw(request: RawRequest, options: CallOptions = {}): Promise<RawReply> {
    this.#assertOpen()
    const headers = this.preparer.commonHeaders(true, options.headers)
    const prepared = prepareRaw(this.baseUrl, request, headers, this.#clock, this.serviceClock)
    try {
      const { method, body } = prepared.request
      return await inSpan({ name: method, body }, (span) =>
        attemptUntilAnswered(prepared, this.#settingsFor(request.path, options, span)),
      )
    } catch (failure) {
      const reply = prepared.replyBehind(failure)
      if (reply === undefined) throw failure
      return reply
    }
  }

  async waitFor(deliveryId: string, status: DeliveryStatus, options: WaitOptions = {}): Promise<Delivery> {
    this.#assertOpen()
    const { waitForStatus } = await loadWaitFor()
    const read = async (call: CallOptions) => (await this.call('getDelivery', { deliveryId }, call)).value
    return waitForStatus(read, status, options, {
      clock: this.#clock,
      signal: this.#closing.signal,
      isKnown: () => this.serviceClock.nowMs() !== undefined,
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ConnectionError('The client was closed before the answer came', { reason: 'aborted' }))
    await this.#transport.close?.()
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new UsageError('The client is closed', { hint: 'Create another one.' })
  }

  #settingsFor(path: string, call: CallOptions, span: CallSpan, onLostAnswer?: () => void): AttemptSettings {
    assertKnownOptions('A call', call, callOptionNames)
    assertKnownOptions('retries', call.retries, defaultRetryLimits)
    assertLimits(limitsOf(call))
    const options = this.options
    const ownTimeoutMs = () => (typeof options.timeoutMs === 'function' ? options.timeoutMs() : options.timeoutMs)
    return {
      transport: this.#transport,
      apiKey: options.apiKey,
      clock: this.#clock,
      random: options.random ?? Math.random,
      deadline: startDeadline(this.#clock, call.timeoutMs ?? ownTimeoutMs() ?? 60_000),
      attemptTimeoutMs: call.attemptTimeoutMs ?? options.attemptTimeoutMs ?? 30_000,
      maxWaitMs: call.maxWaitMs ?? options.maxWaitMs ?? Number.POSITIVE_INFINITY,
      maxBytes: options.maxBytes ?? 67_108_864,
      signals: [options.signal, call.signal, this.#closing.signal],
      drain: call.drain,
      retries: { ...options.retries, ...call.retries },
      // `GET /health` has a separate limit: it neither waits for the key's allowance nor reports it.
      pacer: path === operationDescriptors.getHealth.path ? undefined : options.pacer,
      budget: call.budget,
      onTrace: this.#onTrace,
      onLostAnswer,
      span,
    }
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

function limitsOf(given: Pick<ClientOptions, 'timeoutMs' | 'attemptTimeoutMs' | 'maxWaitMs' | 'maxBytes' | 'retries'>) {
  const { timeoutMs, attemptTimeoutMs, maxWaitMs, maxBytes, retries } = given
  return { timeoutMs, attemptTimeoutMs, maxWaitMs, maxBytes, ...retries }
}

/** @throws UsageError for what cannot be a key, such as a placeholder or a variable that was not expanded */
function assertKey(apiKey: unknown): void {
  if (apiKey === undefined || apiKey === '') return
  const fault = apiKeyFault(String(apiKey))
  if (fault !== undefined) throw new UsageError(`The API key ${fault.why.replace(/^it /, '')}`, { hint: fault.hint })
}

/** The callback for each attempt; `undefined` if there is none, because masking a trace takes time. */
function tracing({ onTrace, logger }: ClientOptions): ClientOptions['onTrace'] {
  if (logger === undefined) return onTrace
  return (trace) => {
    logAttempt(logger, trace)
    onTrace?.(trace)
  }
}
