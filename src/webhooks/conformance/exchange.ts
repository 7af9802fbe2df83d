import { isRecord, tryParseJson } from '../../shared/json.js'
import { isAccepted, type PostOutcome, post } from '../post.js'
import { sampleEvent } from '../sample-event.js'
import { webhookHeaders } from '../send-event.js'
import { signatureHeaders } from '../signature.js'

/**
 * What a tested receiver did with an event, if it says so: in the header `dlv-outcome` of its answer, or as
 * `outcome` in a JSON body. `outdated`: older than what it has; `ignored`: of a type it has no use for.
 */
export const outcomes = ['processed', 'duplicate', 'outdated', 'ignored'] as const
export type Outcome = (typeof outcomes)[number]

/** What a receiver holds of a delivery, as its state address tells. */
export interface DeliveryState {
  /** The status it believes in. */
  status?: string
  /** How many events it has processed. */
  processed?: number
}

export interface Exchange {
  /** `undefined` where no answer came. */
  status: number | undefined
  accepted: boolean
  durationMs: number
  outcome: Outcome | undefined
  /** One clause for a report: the status, or why there is none. */
  said: string
  timedOut: boolean
}

export interface ExaminedEvent {
  id: string
  deliveryId: string
  /** As `JSON.stringify` prints it, so that a receiver that parses first is caught by the case for that alone. */
  body: string
}

/** What is sent: signed with the receiver's secret, now, unless told otherwise. */
export interface Sending {
  id: string
  body: string | Uint8Array
  secrets?: readonly string[]
  timestampSeconds?: number
  /** Changes the headers after signing. */
  headers?: (signed: Record<string, string>) => Record<string, string>
  /** The bytes that are sent in place of those that were signed. */
  sentBody?: string | Uint8Array
  /** Sent in so many pieces, with a pause after each. */
  pieces?: { count: number; pauseMs: number }
}

/** The examiner's hands: makes events, sends them to the one receiver, and looks at what it holds. */
export interface Examiner {
  event(eventType: string, about?: { deliveryId?: string; occurredAtMs?: number }): ExaminedEvent
  send(sending: Sending): Promise<Exchange>
  state(deliveryId: string): Promise<DeliveryState | undefined>
  exchanges: readonly Exchange[]
  nowSeconds(): number
}

export interface ExaminerOptions {
  url: string
  secret: string
  /** Part of every id, so that a second test is not taken for a repetition of the first. */
  run: string
  /** An address that tells what the receiver holds of a delivery: `{deliveryId}` in it is filled in. */
  stateUrl?: string | undefined
  waitMs: number
  ca?: string | undefined
  now(): number
}

export function examiner(options: ExaminerOptions): Examiner {
  const exchanges: Exchange[] = []
  let count = 0
  return {
    exchanges,
    nowSeconds: () => Math.floor(options.now() / 1000),
    event(eventType, about = {}) {
      const number = ++count
      const id = `evt_exam_${options.run}_${number}`
      const deliveryId = about.deliveryId ?? `del_exam_${options.run}_${number}`
      const event = sampleEvent('delivery.accepted', {
        eventId: id,
        deliveryId,
        clientOrderReference: `EXAM-${options.run}-${number}`,
        occurredAtMs: about.occurredAtMs ?? options.now(),
      })
      const status = eventType.replace(/^delivery\./, '')
      return { id, deliveryId, body: JSON.stringify({ ...event, eventType, delivery: { ...event.delivery, status } }) }
    },
    async send(sending) {
      const { count, pauseMs } = sending.pieces ?? { count: 1, pauseMs: 0 }
      const exchange = exchangeOf(await postOf(sending, options), (count - 1) * pauseMs)
      exchanges.push(exchange)
      return exchange
    },
    state: (deliveryId) => readState(options.stateUrl, deliveryId),
  }
}

function postOf(sending: Sending, options: ExaminerOptions): Promise<PostOutcome> {
  const { id, secrets = [options.secret], timestampSeconds = Math.floor(options.now() / 1000) } = sending
  const signed = webhookHeaders(signatureHeaders({ secrets, id, timestampSeconds, body: sending.body }))
  const body = Buffer.from(sending.sentBody ?? sending.body)
  return post({
    url: options.url,
    headers: sending.headers?.(signed) ?? signed,
    body: sending.pieces === undefined ? body : cut(body, sending.pieces.count),
    betweenPiecesMs: sending.pieces?.pauseMs ?? 0,
    timeoutMs: options.waitMs + ((sending.pieces?.count ?? 1) - 1) * (sending.pieces?.pauseMs ?? 0),
    ca: options.ca,
  })
}

function cut(body: Buffer, count: number): Buffer[] {
  const size = Math.ceil(body.length / count)
  return Array.from({ length: count }, (_, index) => body.subarray(index * size, (index + 1) * size))
}

/** @param sendingMs what we took ourselves, on purpose */
function exchangeOf(outcome: PostOutcome, sendingMs: number): Exchange {
  const durationMs = Math.max(0, outcome.durationMs - sendingMs)
  if (!outcome.answered) {
    const timedOut = outcome.failure === 'timeout'
    return { status: undefined, accepted: false, durationMs, outcome: undefined, said: outcome.message, timedOut }
  }
  const { status } = outcome
  const said = `answered ${status} after ${durationMs} ms`
  const accepted = isAccepted(outcome)
  const told = String(outcome.headers['dlv-outcome'] ?? member(outcome.body.toString(), 'outcome'))
  return { status, accepted, durationMs, outcome: outcomes.find((known) => known === told), said, timedOut: false }
}

async function readState(stateUrl: string | undefined, deliveryId: string): Promise<DeliveryState | undefined> {
  if (stateUrl === undefined) return undefined
  const text = await getText(stateUrl.replaceAll('{deliveryId}', encodeURIComponent(deliveryId)))
  const status = member(text, 'status')
  const processed = member(text, 'processed')
  return {
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof processed === 'number' ? { processed } : {}),
  }
}

async function getText(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    return answer.ok ? await answer.text() : ''
  } catch {
    // A state address that tells nothing leaves the case not observable, and the verdict says so.
    return ''
  }
}

function member(json: string, name: string): unknown {
  // A receiver may answer anything; what is not JSON tells nothing.
  const value = tryParseJson(json)?.value
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
