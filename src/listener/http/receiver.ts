import type { IncomingMessage, ServerResponse } from 'node:http'
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
import type { EventIntake } from '../intake.js'
import type { ListenerLimits } from '../limits.js'
import type { RejectionReport } from './rejections.js'
import { type EarlyResponse, type GateOptions, rejectBeforeBody, tooLarge } from './request-limits.js'
import { answer, answerEarly } from './response.js'

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
  isClosing(): boolean
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
    if (options.isClosing()) response.setHeader('connection', 'close')
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
      reject(response, { status, ...verdict, ...hintOf(verdict, { ...received, secrets: plainSecrets, otherSecrets }) })
      return
    }
    const unreadable = unreadableBody(verdict)
    if (unreadable !== undefined) {
      const { code, message } = unreadable
      reject(response, { status, reason: code, message: `the signature is good, but ${message}` })
      return
    }
    const selfCheck = options.selfCheck(request)
    await acknowledge(response, selfCheck ?? (() => keep(request, body, verdict)))
  }

  /** Answers 2xx once the work is done, and 503 where the disk refuses it. */
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

function errorBody(rejection: { reason: string; message: string }) {
  return { error: { code: rejection.reason, message: rejection.message } }
}
