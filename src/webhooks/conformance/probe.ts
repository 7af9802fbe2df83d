import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { excerpt } from '../../shared/texts.js'
import { isAccepted, type PostFailure, type PostResult, post, redirectText } from '../post.js'
import { type HandlerOutcome, handlerOutcomes } from '../receivers/receiver.js'
import { webhookHeaders } from '../replay.js'
import { sampleEvent } from '../sample-event.js'
import type { ParsedSecret } from '../secret.js'
import { signatureHeaders } from '../signature.js'
import { limitingPlatform, limitSetting, ownMistake } from './own-mistake.js'

/** A receiver's state of a delivery, as its state URL returns it. */
export interface DeliveryState {
  /** The status that it has for the delivery. */
  status?: string
  /** Number of the delivery's events that it has processed. */
  processed?: number
}

/** The response to one webhook. */
export interface ProbeResponse {
  /** `undefined` if there was no response. */
  status: number | undefined
  /** Answered with a 2xx. */
  accepted: boolean
  durationMs: number
  /** The outcome that the receiver reports: in the header `dlv-outcome`, or as `outcome` in a JSON body. */
  outcome: HandlerOutcome | undefined
  /** One clause for a report: the status with what was answered to something not accepted, or why there is none. */
  summary: string
  timedOut: boolean
  /** Why there was no response. */
  failure?: PostFailure
  /** The receiver's own mistake, as its response tells it. */
  mistake?: string | undefined
  /** The platform whose limit of a body's size the request met before it came to the receiver. */
  platform?: string | undefined
}

/** An event for a receiver. */
export interface ProbeEvent {
  id: string
  deliveryId: string
  /** As `JSON.stringify` prints it, so that a receiver that parses first is caught by the case for that only. */
  body: string
}

/** The webhook to send: signed with the receiver's secret and the current time, unless set otherwise. */
export interface ProbeRequest {
  id: string
  body: string | Uint8Array
  secrets?: readonly (string | ParsedSecret)[]
  timestampSeconds?: number
  /** Changes the headers after signing. */
  headers?: (signed: Record<string, string>) => Record<string, string>
  /** The bytes that are sent instead of those that were signed. */
  sentBody?: string | Uint8Array
  /** The same bytes in pieces, which are sent a tenth of a second apart. */
  pieces?: readonly Uint8Array[]
}

/** Makes events, sends them to the receiver under test, and reads its state. */
export interface Probe {
  event(eventType: string, about?: { deliveryId?: string; occurredAtMs?: number }): ProbeEvent
  send(request: ProbeRequest): Promise<ProbeResponse>
  state(deliveryId: string): Promise<DeliveryState | undefined>
  /** The secret that the receiver should have. */
  secret: string
  /** All responses so far. */
  responses: readonly ProbeResponse[]
  nowSeconds(): number
}

interface ProbeOptions {
  url: string
  secret: string
  key: ParsedSecret
  /** Part of every id, so that a second test run is not taken for a repetition of the first. */
  run: string
  /** A URL that returns what the receiver holds of a delivery; `{deliveryId}` in it is replaced. */
  stateUrl?: string | undefined
  timeoutMs: number
  ca?: string | undefined
  now(): number
}

export function createProbe(options: ProbeOptions): Probe {
  const responses: ProbeResponse[] = []
  let count = 0
  return {
    responses,
    secret: options.secret,
    nowSeconds: () => Math.floor(options.now() / 1000),
    event(eventType, about = {}) {
      const number = ++count
      const id = `evt_test_${options.run}_${number}`
      const deliveryId = about.deliveryId ?? `del_test_${options.run}_${number}`
      const event = sampleEvent('delivery.accepted', {
        eventId: id,
        deliveryId,
        clientOrderReference: deliveryId.replace('del_test_', 'TEST-'),
        occurredAtMs: about.occurredAtMs ?? options.now(),
      })
      const status = eventType.replace(/^delivery\./, '')
      return { id, deliveryId, body: JSON.stringify({ ...event, eventType, delivery: { ...event.delivery, status } }) }
    },
    async send(request) {
      const response = responseOf(await postRequest(request, options), sendingMs(request))
      responses.push(response)
      return response
    },
    state: async (deliveryId) =>
      options.stateUrl === undefined ? undefined : readDeliveryState(options.stateUrl, deliveryId),
  }
}

function postRequest(request: ProbeRequest, options: ProbeOptions): Promise<PostResult> {
  const { id, secrets = [options.key], timestampSeconds = Math.floor(options.now() / 1000) } = request
  const signed = webhookHeaders(signatureHeaders({ secrets, id, timestampSeconds, body: request.body }))
  return post({
    url: options.url,
    headers: request.headers?.(signed) ?? signed,
    body: request.pieces ?? Buffer.from(request.sentBody ?? request.body),
    betweenPiecesMs,
    timeoutMs: options.timeoutMs + sendingMs(request),
    ca: options.ca,
    connections: unkept,
  })
}

/** A kept connection that is closed is tried again, and hides which request a receiver ended of. */
const unkept = { http: new HttpAgent(), https: new HttpsAgent(), close() {} }

const betweenPiecesMs = 100
const sendingMs = ({ pieces }: ProbeRequest) => ((pieces?.length ?? 1) - 1) * betweenPiecesMs

/** @param sendingMs what sending took on purpose */
function responseOf(result: PostResult, sendingMs: number): ProbeResponse {
  const durationMs = Math.max(0, result.durationMs - sendingMs)
  if (!result.answered) {
    const { failure, message: summary } = result
    const timedOut = failure === 'timeout'
    return { status: undefined, accepted: false, durationMs, outcome: undefined, summary, timedOut, failure }
  }
  const { status } = result
  const accepted = isAccepted(result)
  const text = accepted ? '' : textOf(result)
  const errorAnswer = { status, headers: result.headers, text }
  const redirect = redirectText(result)
  const said = redirect === undefined ? (text === '' ? '' : `, "${excerpt(text)}"`) : `: it ${redirect}`
  const told = String(result.headers['dlv-outcome'] ?? member(result.body.toString(), 'outcome'))
  return {
    status,
    accepted,
    durationMs,
    outcome: handlerOutcomes.find((known) => known === told),
    summary: `answered ${status} after ${durationMs} ms${said}`,
    timedOut: false,
    ...(accepted ? {} : { mistake: mistakeIn(errorAnswer), platform: limitingPlatform(errorAnswer) }),
  }
}

function mistakeIn(answer: Parameters<typeof ownMistake>[0]): string | undefined {
  const setting = answer.status === 413 ? limitSetting(answer) : undefined
  return setting === undefined ? ownMistake(answer) : `Raise ${setting}.`
}

const entities: Readonly<Record<string, string>> = { quot: '"', '#39': "'", '#x27': "'", lt: '<', gt: '>', amp: '&' }

/** The text of an error's body; of a page in HTML, what a person would read of it. */
function textOf({ body }: { body: Buffer }): string {
  const text = body.toString()
  if (!/^\s*<(?:!doctype|html|\?xml)/i.test(text)) return text.trim()
  return text
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, (block) => /<title>([^<]*)/i.exec(block)?.[1] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(quot|#39|#x27|lt|gt|amp);/g, (_, name: string) => entities[name] ?? '')
    .trim()
}

/** Reads a receiver's state of a delivery; `undefined` if the receiver does not return it. */
export async function readDeliveryState(stateUrl: string, deliveryId: string): Promise<DeliveryState> {
  const text = await getText(stateUrl.replaceAll('{deliveryId}', encodeURIComponent(deliveryId)))
  const status = member(text, 'status')
  const processed = member(text, 'processed')
  return {
    status: typeof status === 'string' ? status : undefined,
    processed: typeof processed === 'number' ? processed : undefined,
  }
}

/** A state is short. */
const mostStateBytes = 65_536

/** The text at a URL, which leads nowhere else; nothing if it is too long. */
async function getText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
    if (!response.ok || response.body === null) return ''
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response.body) {
      length += chunk.length
      // Leaving the loop ends the connection.
      if (length > mostStateBytes) return ''
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } catch {
    // A state URL that does not respond leaves the case not observable, and the report says so.
    return ''
  }
}

/** A member of a JSON text; `undefined` for whatever else a receiver may send. */
function member(json: string, name: string): unknown {
  const value = tryParseJson(json)?.value
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
