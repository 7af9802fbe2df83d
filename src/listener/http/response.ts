import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { seededRandom } from '../../shared/math.js'
import { explainFailure, type FailedRequest, type Rejection } from '../../webhooks/index.js'
import type { RejectedRecord } from '../records.js'

/** How long the rest of an unwanted body is read and dropped, so that its sender receives the response. */
const discardMs = 1_000

/** Answers a request whose body was read. */
export function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  answerText(response, status, JSON.stringify(body), headers)
}

/** The same with a body that is JSON already. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> | undefined = undefined,
) {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  // Text leaves in one write with the headers; bytes would take one of their own.
  response.end(text)
}

/**
 * Answers a request before its body was read. The rest is dropped as it comes, for a moment: closing at once would
 * reset the connection, and the answer with it.
 */
export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
) {
  if (request.complete) {
    answer(response, status, body, headers)
    return
  }
  if (response.headersSent || response.destroyed) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    connection: 'close',
    ...headers,
  })
  response.write(bytes)
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, discardMs)
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

/** Resets the connection without an answer; Node can only close one that is encrypted. */
export function reset({ socket }: ServerResponse) {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}

/** Answers that a listener gives on purpose, to show how the sender handles a receiver that fails. */
export interface BadAnswers {
  /** Each with its share of the webhooks, between 0 and 1; together at most 1. */
  answers: readonly {
    /** An HTTP status, or a connection that is reset. */
    answer: number | 'reset'
    /** Of all webhooks, between 0 and 1. */
    share: number
  }[]
  /** Delays the responses to a share of the webhooks. */
  delay?: {
    /** The delay of the response. */
    ms: number
    /** Of all webhooks, between 0 and 1. */
    share: number
  }
  /** The same seed chooses the same webhooks, counted in the order of their arrival. */
  seed: number
}

/** The response chosen for one webhook. */
export interface ChosenAnswer {
  /** A status, or a connection that is reset; `undefined` for the answer that it would get anyway. */
  answer: number | 'reset' | undefined
  delayMs: number
}

/** Chooses for one webhook after the other. */
export function badAnswers({ answers, delay, seed }: BadAnswers): () => ChosenAnswer {
  const random = seededRandom(seed)
  return () => {
    // Two numbers for every webhook, so that a delay does not change which of them are refused.
    let place = random()
    const delayPlace = random()
    const chosen = answers.find(({ share }) => {
      place -= share
      return place < 0
    })
    const isLate = delay !== undefined && delayPlace < delay.share
    return { answer: chosen?.answer, delayMs: isLate ? delay.ms : 0 }
  }
}

/** A rejected request: the status of the response, and the reason. */
export interface RejectionReport {
  status: number
  reason: string
  message: string
  hint?: string
  /** As the request claims. */
  webhookId?: string
}

interface RejectionReporter {
  report(rejection: RejectionReport): void
  /** Reports at once what is still being counted. */
  flush(): void
}

/** For each reason at most one record in this time. */
const reportedEveryMs = 1_000
/** An outage of the journal's database lasts: it is told less and less often. */
const outageReportedEveryMs = 60_000

/**
 * Reports rejections as records, so that a flood of bad requests does not become a flood of records: the first of a
 * reason at once, then at most one a second that counts what came meanwhile.
 */
export function rejectionReporter(onRecord: (record: RejectedRecord) => void): RejectionReporter {
  const counting = new Map<string, { last: RejectionReport; count: number; everyMs: number; timer: NodeJS.Timeout }>()

  const conclude = (reason: string) => {
    const { last, count, everyMs = reportedEveryMs, timer } = counting.get(reason) ?? {}
    counting.delete(reason)
    clearTimeout(timer)
    if (last === undefined || count === undefined || count === 0) return
    onRecord({ type: 'rejected', ...last, count })
    wait(last, reason === 'not_kept' ? Math.min(2 * everyMs, outageReportedEveryMs) : everyMs)
  }
  const wait = (last: RejectionReport, everyMs = reportedEveryMs) => {
    const timer = setTimeout(conclude, everyMs, last.reason).unref()
    counting.set(last.reason, { last, count: 0, everyMs, timer })
  }
  return {
    report(rejection) {
      const counted = counting.get(rejection.reason)
      if (counted === undefined) {
        onRecord({ type: 'rejected', ...rejection })
        wait(rejection)
      } else {
        counted.last = rejection
        counted.count++
      }
    },
    flush() {
      for (const reason of [...counting.keys()]) conclude(reason)
    },
  }
}

/** Explaining a failure costs dozens of HMACs, and strangers must not be able to order them at will. */
const explanationsPerSecond = 5
const explainedBodyMaxBytes = 65_536

/** Hints for requests that failed to verify; none if no mistake is recognized or too many requests fail. */
export function failureHints(): (
  verdict: Rejection,
  request: FailedRequest & { nowSeconds: number },
) => { hint?: string } {
  let spent = { second: 0, count: 0 }
  return ({ reason }, request) => {
    const second = Math.floor(request.nowSeconds)
    if (spent.second !== second) spent = { second, count: 0 }
    if (request.body.length > explainedBodyMaxBytes || spent.count >= explanationsPerSecond) return {}
    // The verdict says all that there is to say of a clock.
    if (reason === 'timestamp_too_old' || reason === 'timestamp_too_new') return {}
    spent.count++
    const explanation = explainFailure(request)
    return explanation === undefined ? {} : { hint: `${explanation.message}. ${explanation.hint}` }
  }
}
