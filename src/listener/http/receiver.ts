import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { sleep } from '../../shared/sleep.js'
import {
  type Acceptance,
  answerStatusOf,
  type NamedSecret,
  type ParsedSecret,
  parseSecret,
  unreadableBody,
  verify,
} from '../../webhooks/index.js'
import { collectBody } from '../../webhooks/internal.js'
import { type Arrival, deliveryIdOf } from '../intake.js'
import type { Appended } from '../journal/event.js'
import type { ListenerLimits } from '../limits.js'
import type { AnsweredRecord } from '../records.js'
import type { Recognise } from '../self-check.js'
import {
  addressOf,
  answerBeforeBody,
  type EarlyResponse,
  type GateOptions,
  healthCheck,
  tooLarge,
} from './request-limits.js'
import {
  answer,
  answerEarly,
  answerText,
  type BadAnswers,
  badAnswers,
  type ChosenAnswer,
  failureHints,
  type RejectionReport,
  reset,
} from './response.js'

export interface ReceiverOptions {
  gate: GateOptions
  limits: ListenerLimits
  secrets(): readonly NamedSecret[]
  /** Secrets of other profiles, to name a mix-up by. */
  otherSecrets?: readonly NamedSecret[]
  toleranceSeconds: number
  /** Keeps an event; resolves once it is on disk. */
  ingest(arrival: Arrival): Promise<Pick<Appended, 'outcome'>>
  /** Takes the listener's own trial request; `undefined` for every other. */
  selfCheck: Recognise
  /** Whether the reader of the records lags behind. */
  isBehind?(): boolean
  /** Aborts as the listener closes. */
  closing: AbortSignal
  /** Deliberate faults; `undefined` if every webhook gets the correct response. */
  badAnswers?: BadAnswers | undefined
  /** Told of webhooks that were answered with an error or late on purpose. */
  onAnswered(record: AnsweredRecord): void
  /** Called with rejected requests. */
  report(rejection: RejectionReport): void
  now(): number
}

const retryLater = { 'retry-after': '1' }
const newText = '{"received":true,"duplicate":false}'
const duplicateText = '{"received":true,"duplicate":true}'
const readyText = '{"ready":true}'

/** Handles requests: gate, bytes, verdict, disk, and only then a 2xx. */
export function receiver(options: ReceiverOptions) {
  const requests = new Receiver(options)
  return (request: IncomingMessage, response: ServerResponse) => requests.handle(request, response)
}

class Receiver {
  #parsed = { of: [] as readonly NamedSecret[], secrets: [] as ParsedSecret[] }
  #underWay = 0
  #queuedBytes = 0
  readonly #hintOf = failureHints()
  readonly #nextAnswer: (() => ChosenAnswer) | undefined
  /** Each connection ends with its response: a sender takes the reset of a used one for a stale one, and posts again. */
  readonly #closesConnections: boolean

  constructor(private readonly options: ReceiverOptions) {
    const { badAnswers: chosen } = options
    this.#nextAnswer = chosen && badAnswers(chosen)
    this.#closesConnections = chosen?.answers.some(({ answer }) => answer === 'reset') ?? false
  }

  handle(request: IncomingMessage, response: ServerResponse) {
    if (this.options.closing.aborted || this.#closesConnections) response.setHeader('connection', 'close')
    const refusal = answerBeforeBody(request, this.options.gate) ?? this.#refuseWhenFull()
    if (refusal !== undefined) {
      this.#refuse(request, response, refusal)
      return
    }
    let bytes = 0
    this.#underWay++
    const settled = () => {
      this.#underWay--
      this.#queuedBytes -= bytes
    }
    const account = (arrived: number) => {
      bytes += arrived
      this.#queuedBytes += arrived
    }
    collectBody(request, this.options.limits.bodyBytes, account, (body) => {
      if (typeof body !== 'string') return this.#judge(request, response, body, settled)
      if (body === 'too-large') this.#refuse(request, response, tooLarge(this.options.limits.bodyBytes))
      settled()
    })
  }

  #refuseWhenFull(): EarlyResponse | undefined {
    const message =
      this.#underWay >= this.options.limits.queue
        ? `${this.#underWay} requests are under way`
        : this.#queuedBytes >= this.options.limits.queuedBytes
          ? `bodies of ${this.#queuedBytes} bytes are waiting`
          : undefined
    if (message !== undefined) return { status: 503, reason: 'queue_full', message, headers: retryLater }
    if (!this.options.isBehind?.()) return undefined
    return { status: 503, reason: 'reader_behind', message: 'the output is not read fast enough', headers: retryLater }
  }

  /** Answers by the verdict; `settled` is called once the request is no longer under way. */
  #judge(request: IncomingMessage, response: ServerResponse, body: Buffer, settled: () => void) {
    const { toleranceSeconds, otherSecrets } = this.options
    const named = this.options.secrets()
    const secrets = this.#parsedSecrets(named)
    const received = { headers: request.rawHeaders, body, nowSeconds: this.options.now() / 1000, toleranceSeconds }
    const source = `${request.socket.remoteAddress ?? ''} ${request.url ?? ''}`
    const verdict = verify({ ...received, secrets, source, maxBodyBytes: this.options.limits.bodyBytes })
    if (!verdict.ok) {
      const { hint: generic, ...rejection } = verdict
      const hint = this.#hintOf(verdict, { ...received, secrets: named.map(({ secret }) => secret), otherSecrets })
      // The hint of a signature that does not fit is for callers of the library; here its mistake has been looked for.
      const kept = generic === undefined || verdict.reason === 'no_matching_signature' ? {} : { hint: generic }
      this.#reject(response, { status: answerStatusOf(verdict), ...rejection, ...kept, ...hint, ...claimedId(request) })
      return settled()
    }
    const unreadable = unreadableBody(verdict)
    if (unreadable !== undefined) {
      const { code, message } = unreadable
      this.#reject(response, { status: 400, reason: code, message: `the signature is good, but ${message}` })
      return settled()
    }
    const selfCheck = this.options.selfCheck(request)
    if (selfCheck !== undefined) return this.#acknowledge(response, selfCheck(), settled)
    const arrival: Arrival = {
      acceptance: verdict,
      rawHeaders: headersOf(request),
      body,
      source: 'webhook',
      secrets: named,
    }
    const chosen = this.#nextAnswer?.()
    if (chosen === undefined) this.#acknowledge(response, this.options.ingest(arrival), settled)
    else if (chosen.answer !== undefined)
      void this.#answerBadly(response, verdict, chosen.answer, chosen.delayMs).finally(settled)
    else this.#acknowledge(response, this.#keepFor(arrival, chosen.delayMs), settled)
  }

  /** Fails as a receiver does that has not worked the event through: nothing is kept, so that its retry is the first. */
  async #answerBadly(response: ServerResponse, acceptance: Acceptance, chosen: number | 'reset', delayMs: number) {
    const status = chosen === 'reset' ? null : chosen
    this.options.onAnswered(answeredRecord(acceptance, { status, delayMs, kept: false }))
    if (delayMs > 0) await sleep(delayMs, this.options.closing)
    if (chosen === 'reset') reset(response)
    else answer(response, chosen, errorBody({ reason: 'answered_badly', message: 'the listener was told to' }))
  }

  /** Keeps the event and holds its acknowledgement back: a sender that has given up will bring a duplicate. */
  async #keepFor(arrival: Arrival, delayMs: number) {
    const kept = await this.options.ingest(arrival)
    if (delayMs === 0) return kept
    this.options.onAnswered(answeredRecord(arrival.acceptance, { status: 200, delayMs, kept: true }))
    await sleep(delayMs, this.options.closing)
    return kept
  }

  /** Answers 2xx once the work is done, and 503 if the disk refuses it. */
  #acknowledge(response: ServerResponse, work: Promise<Pick<Appended, 'outcome'> | 'ready'>, settled: () => void) {
    work.then(
      (done) => {
        answerText(response, 200, done === 'ready' ? readyText : done.outcome === 'new' ? newText : duplicateText)
        settled()
      },
      (error: unknown) => {
        // The sender learns that it should come again; where the journal is and what ails it stays here.
        answer(response, 503, errorBody({ reason: 'not_kept', message: 'the event could not be kept' }), retryLater)
        this.options.report({
          status: 503,
          reason: 'not_kept',
          message: error instanceof Error ? error.message : String(error),
        })
        settled()
      },
    )
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: EarlyResponse) {
    if (refusal.reason === healthCheck) return answerEarly(request, response, 200, { ready: true }, refusal.headers)
    answerEarly(request, response, refusal.status, errorBody(refusal), refusal.headers)
    this.options.report(refusal)
  }

  #reject(response: ServerResponse, rejection: RejectionReport) {
    answer(response, rejection.status, errorBody(rejection))
    this.options.report(rejection)
  }

  /** Parsed again only once others are given. */
  #parsedSecrets(of: readonly NamedSecret[]): ParsedSecret[] {
    if (this.#parsed.of !== of) this.#parsed = { of, secrets: of.map((named) => parseSecret(named.secret, named)) }
    return this.#parsed.secrets
  }
}

/** The id that a request claims, if it looks like one: it is shown and never trusted. */
function claimedId({ headers }: IncomingMessage): { webhookId?: string } {
  const id = headers['webhook-id']
  return typeof id === 'string' && /^[\w-]{1,128}$/.test(id) ? { webhookId: id } : {}
}

function answeredRecord(
  { id, event }: Acceptance,
  what: Pick<AnsweredRecord, 'status' | 'delayMs' | 'kept'>,
): AnsweredRecord {
  const [eventType, deliveryId] = [event?.eventType ?? null, deliveryIdOf(event) ?? null]
  return { type: 'answered', eventId: id, eventType, deliveryId, ...what }
}

function errorBody(rejection: { reason: string; message: string }) {
  return { error: { code: rejection.reason, message: rejection.message } }
}

/**
 * The headers as they came, so that the address is known later: behind them the path with its query, by the name that it has
 * among the headers of HTTP/2; where TLS ends here, they say so as a proxy's do.
 */
function headersOf(request: IncomingMessage): readonly string[] {
  const { headers, rawHeaders, socket } = request
  const isTold = headers['x-forwarded-proto'] !== undefined || !(socket instanceof TLSSocket)
  return [...rawHeaders, ...(isTold ? [] : ['X-Forwarded-Proto', 'https']), ':path', addressOf(request).path]
}
