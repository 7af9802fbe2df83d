import type { IncomingMessage, ServerResponse } from 'node:http'
import { sleep } from '../../shared/sleep.js'
import {
  type Acceptance,
  answerStatusOf,
  type NamedSecret,
  parseSecret,
  unreadableBody,
  verify,
} from '../../webhooks/index.js'
import { readBody } from '../../webhooks/internal.js'
import { failureHints } from '../forward/failure-hints.js'
import { deliveryIdOf, type EventIntake } from '../intake.js'
import type { ListenerLimits } from '../limits.js'
import type { AnsweredRecord } from '../records.js'
import type { ChosenAnswer } from './bad-answers.js'
import type { RejectionReport } from './rejections.js'
import { type EarlyResponse, type GateOptions, rejectBeforeBody, tooLarge } from './request-limits.js'
import { answer, answerEarly, reset } from './response.js'

export interface ReceiverOptions {
  gate: GateOptions
  limits: ListenerLimits
  secrets: readonly NamedSecret[]
  /** Secrets of other profiles, to name a mix-up by. */
  otherSecrets: readonly NamedSecret[]
  toleranceSeconds: number
  intake: EventIntake
  /** Takes the listener's own trial request; `undefined` for every other. */
  selfCheck(request: IncomingMessage): (() => Promise<object>) | undefined
  /** Whether whoever reads the records lags behind. */
  isBehind(): boolean
  /** Aborts as the listener closes. */
  closing: AbortSignal
  /** Closes each connection after its response: a sender takes the reset of a used one for a stale one, and posts again. */
  closesConnections: boolean
  /** What is done to the next webhook on purpose; `undefined` if every webhook is answered as it should be. */
  nextAnswer?: (() => ChosenAnswer) | undefined
  /** Told of webhooks that were answered badly on purpose. */
  onAnswered(record: AnsweredRecord): void
  /** Told of requests that were turned away. */
  report(rejection: RejectionReport): void
  now(): number
}

const retryLater = { 'retry-after': '1' }

/** Handles requests: gate, bytes, verdict, disk, and only then a 2xx. */
export function receiver(options: ReceiverOptions) {
  const secrets = options.secrets.map(({ secret }) => parseSecret(secret))
  const plainSecrets = options.secrets.map(({ secret }) => secret)
  let underWay = 0
  let queuedBytes = 0
  const { report } = options
  const hintOf = failureHints()

  async function handle(request: IncomingMessage, response: ServerResponse) {
    if (options.closing.aborted || options.closesConnections) response.setHeader('connection', 'close')
    const refusal = rejectBeforeBody(request, options.gate) ?? refuseWhenFull()
    if (refusal !== undefined) {
      refuse(request, response, refusal)
      return
    }
    let bytes = 0
    underWay++
    try {
      const body = await readBody(request, options.limits.bodyBytes, (arrived) => {
        bytes += arrived
        queuedBytes += arrived
      })
      if (body === 'too-large') refuse(request, response, tooLarge(options.limits.bodyBytes))
      else if (body !== 'aborted') await judge(request, response, body)
    } finally {
      underWay--
      queuedBytes -= bytes
    }
  }

  function refuseWhenFull(): EarlyResponse | undefined {
    const message =
      underWay >= options.limits.queue
        ? `${underWay} requests are under way`
        : queuedBytes >= options.limits.queuedBytes
          ? `bodies of ${queuedBytes} bytes are waiting`
          : undefined
    if (message !== undefined) return { status: 503, reason: 'queue_full', message, headers: retryLater }
    if (!options.isBehind()) return undefined
    return { status: 503, reason: 'reader_behind', message: 'the output is not read fast enough', headers: retryLater }
  }

  async function judge(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    const { toleranceSeconds, otherSecrets } = options
    const received = { headers: request.rawHeaders, body, nowSeconds: options.now() / 1000, toleranceSeconds }
    const verdict = verify({ ...received, secrets, maxBodyBytes: options.limits.bodyBytes })
    const status = answerStatusOf(verdict)
    if (!verdict.ok) {
      const hint = hintOf(verdict, { ...received, secrets: plainSecrets, otherSecrets })
      reject(response, { status, ...verdict, ...hint, ...claimedId(request) })
      return
    }
    const unreadable = unreadableBody(verdict)
    if (unreadable !== undefined) {
      const { code, message } = unreadable
      reject(response, { status, reason: code, message: `the signature is good, but ${message}` })
      return
    }
    const selfCheck = options.selfCheck(request)
    if (selfCheck !== undefined) return acknowledge(response, selfCheck)
    const chosen = options.nextAnswer?.()
    if (chosen?.answer !== undefined) await answerBadly(response, verdict, chosen.answer, chosen.delayMs)
    else await acknowledge(response, () => keepFor(request, body, verdict, chosen?.delayMs ?? 0))
  }

  /** Fails as a receiver does that has not worked the event through: nothing is kept, so that its retry is the first. */
  async function answerBadly(
    response: ServerResponse,
    acceptance: Acceptance,
    chosen: number | 'reset',
    delayMs: number,
  ) {
    const status = chosen === 'reset' ? null : chosen
    options.onAnswered(answeredRecord(acceptance, { status, delayMs, kept: false }))
    if (delayMs > 0) await sleep(delayMs, options.closing)
    if (chosen === 'reset') reset(response)
    else answer(response, chosen, errorBody({ reason: 'answered_badly', message: 'the listener was told to' }))
  }

  /** Keeps the event and holds its acknowledgement back: a sender that has given up will bring a duplicate. */
  async function keepFor(request: IncomingMessage, body: Buffer, acceptance: Acceptance, delayMs: number) {
    const kept = await keep(request, body, acceptance)
    if (delayMs === 0) return kept
    options.onAnswered(answeredRecord(acceptance, { status: 200, delayMs, kept: true }))
    await sleep(delayMs, options.closing)
    return kept
  }

  /** Answers 2xx once the work is done, and 503 if the disk refuses it. */
  async function acknowledge(response: ServerResponse, work: () => Promise<object>) {
    try {
      answer(response, 200, await work())
    } catch (error) {
      // The sender learns that it should come again; where the journal is and what ails it stays here.
      answer(response, 503, errorBody({ reason: 'not_kept', message: 'the event could not be kept' }), retryLater)
      report({ status: 503, reason: 'not_kept', message: error instanceof Error ? error.message : String(error) })
    }
  }

  async function keep(request: IncomingMessage, body: Buffer, acceptance: Acceptance): Promise<object> {
    const arrival = { acceptance, rawHeaders: request.rawHeaders, body, source: 'webhook' as const }
    const { outcome } = await options.intake.ingest(arrival)
    return { received: true, duplicate: outcome !== 'new' }
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: EarlyResponse) {
    answerEarly(request, response, refusal.status, errorBody(refusal), refusal.headers)
    report(refusal)
  }

  function reject(response: ServerResponse, rejection: RejectionReport) {
    answer(response, rejection.status, errorBody(rejection))
    report(rejection)
  }

  return handle
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
