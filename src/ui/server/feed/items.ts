import type { ListenerRecord } from '../../../listener/index.js'
import { isRecord, textAt, tryParseJson } from '../../../shared/json.js'
import { toneOf } from '../../../trade/statuses.js'
import { webhookTone } from '../../../trade/webhook-status.js'
import type { LiveItem, Outcome } from '../../wire/live.js'
import type { DeliveryIndex } from './delivery-index.js'

/** A line before the feed has given it an id. */
export type NewItem = Omit<LiveItem, 'id' | 'placeMs'> & { placeMs?: number }

/** An event as the service records it. */
export function eventItem(event: unknown, deliveries: DeliveryIndex): NewItem | undefined {
  if (!isRecord(event)) return undefined
  const { eventId, eventType, occurredAt } = event
  if (typeof eventId !== 'string' || typeof eventType !== 'string') return undefined
  const delivery = deliveries.note(event.delivery, { eta: event.eta, eventType, occurredAt })
  return {
    kind: 'event',
    at: typeof occurredAt === 'string' ? occurredAt : '',
    title: eventType,
    // The present status is another one if later events are known.
    status: textAt(event.delivery, 'status') ?? '',
    outcome: outcomeOfType(eventType),
    eventId,
    deliveryId: delivery?.deliveryId,
    reference: delivery?.reference,
    detail: textAt(event.delivery, 'statusReasonCode') || undefined,
    delivery,
  }
}

function outcomeOfType(eventType: string): Outcome {
  const tone = toneOf(eventType.slice(eventType.indexOf('.') + 1))
  return tone === 'active' ? 'neutral' : tone
}

/** One try of the service to send a webhook, as the sandbox tells of it. */
export interface SandboxAttempt {
  attemptId: number
  eventId: string
  eventType: string | null
  deliveryId: string | null
  attempt: number
  sentAt: string
  statusCode: number | null
  error: string | null
  durationMs: number
  outcome: string
  url: string | null
}

export function attemptItem(attempt: SandboxAttempt, deliveries: DeliveryIndex): NewItem {
  const { deliveryId, statusCode, error, outcome, url } = attempt
  const detail = [url, error].filter((part) => part !== null).join(': ')
  return {
    kind: 'attempt',
    at: attempt.sentAt,
    title: attempt.eventType ?? attempt.eventId,
    status: statusCode === null ? outcome : String(statusCode),
    outcome: webhookTone(outcome),
    eventId: attempt.eventId,
    attempt: attempt.attempt,
    durationMs: attempt.durationMs,
    ...about(deliveryId, deliveries),
    detail: detail || undefined,
  }
}

function about(deliveryId: string | null, deliveries: DeliveryIndex) {
  return { deliveryId: deliveryId ?? undefined, reference: deliveries.get(deliveryId ?? '')?.reference }
}

/** A request to the service, as the sandbox logs it. */
export interface SandboxRequest {
  number: number
  at: string
  /** `at` by the sandbox's clock. */
  serviceAt: string
  method: string
  path: string
  status: number
  errorCode?: string
  durationMs: number
  requestId?: string
  requestHeaders: Record<string, string>
  responseBody: string
  /** The account of its key; absent for a key that is none's. */
  account?: string
}

/** `undefined` for what the page itself reads, by its user agent. */
export function requestItem(request: SandboxRequest, ownAgent: string, deliveries: DeliveryIndex): NewItem | undefined {
  const { method, path, status, errorCode, requestId } = request
  if (method === 'GET' && request.requestHeaders['user-agent'] === ownAgent) return undefined
  const deliveryId =
    /\/deliveries\/(del_\w+)/.exec(path)?.[1] ?? /"deliveryId":\s*"(del_\w+)"/.exec(request.responseBody)?.[1]
  const isOne = deliveryId !== undefined && /^\/delivery\/v1\/deliveries(?:\/|$)/.test(path)
  return {
    kind: 'request',
    at: request.serviceAt,
    placeMs: Date.parse(request.at),
    title: `${method} ${path.replace(/^\/delivery\/v1/, '')}`,
    status: String(status),
    outcome: status < 400 ? 'good' : 'bad',
    durationMs: request.durationMs,
    deliveryId: isOne ? deliveryId : undefined,
    reference: isOne ? (deliveries.get(deliveryId)?.reference ?? referenceIn(request)) : undefined,
    requestId,
    detail: errorCode,
  }
}

/** A request that creates an order is seen before any event that tells of it. */
function referenceIn({ responseBody }: SandboxRequest): string | undefined {
  const text = /"clientOrderReference":\s*("(?:[^"\\]|\\.)*")/.exec(responseBody)?.[1]
  const value = text === undefined ? undefined : tryParseJson(text)?.value
  return typeof value === 'string' ? value : undefined
}

/** A listener's record as a line of the feed. */
export function listenerItem(record: ListenerRecord, deliveries: DeliveryIndex, nowMs: number): NewItem | undefined {
  if (record.type === 'event') {
    const { eventId, eventType, deliveryId, duplicate, conflict } = record
    return {
      kind: 'webhook',
      at: record.receivedAt,
      title: eventType ?? 'signed JSON',
      status: conflict ? 'conflict' : duplicate ? 'duplicate' : 'verified',
      outcome: conflict ? 'bad' : 'good',
      eventId,
      ...about(deliveryId, deliveries),
      detail: [`secret ${record.secret}`, ...record.warnings].join('; '),
    }
  }
  const at = new Date(nowMs).toISOString()
  if (record.type === 'rejected') {
    const { reason, status, message, hint, webhookId } = record
    return {
      kind: 'rejected',
      at,
      title: reason,
      status: String(status),
      outcome: 'bad',
      eventId: webhookId,
      detail: hint === undefined ? message : `${message}. ${hint}`,
    }
  }
  if (record.type === 'forwarded') {
    const { eventId, eventType, deliveryId, url, status, delivered, error, attempt, durationMs, retryInMs, givenUp } =
      record
    return {
      kind: 'forward',
      at,
      title: eventType ?? eventId,
      status: status === null ? 'no response' : String(status),
      outcome: webhookTone(delivered ? 'delivered' : retryInMs === undefined ? 'failed' : 'retrying'),
      eventId,
      attempt,
      durationMs,
      ...about(deliveryId, deliveries),
      detail: `${error === undefined ? url : `${url}: ${error}`}${givenUp ? `; given up after ${attempt} attempts` : ''}`,
    }
  }
  return undefined
}
