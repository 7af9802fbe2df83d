import { limits, webhookRetryDelaysSeconds } from '../../contract/index.js'
import { isAccepted, type Post, type PostConnections, type PostResult, post } from '../../webhooks/index.js'
import { type Engine, secretsOf, switchesOf } from '../engine/engine.js'
import { keepEventOutcome } from '../engine/event-outcome.js'
import { attemptHeaders, droppedAttempts, isDuplicated } from '../engine/sending-faults.js'
import type { WebhookAttempt } from '../store/attempts.js'
import type { Endpoint } from '../store/endpoints.js'
import type { RecordedEvent } from '../store/events.js'
import type { Webhook } from '../store/webhooks.js'

/** A failure this soon (in real time) after its turn counts as one at its turn, so that the schedule does not drift. */
const PUNCTUAL_REAL_MS = 2_000

/**
 * Makes the next attempt of a webhook and stores its result, in one transaction with the event's own outcome. A success that
 * is repeated on purpose is two attempts.
 */
export async function makeAttempt(
  engine: Engine,
  connections: PostConnections,
  webhook: Webhook,
  event: RecordedEvent,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<void> {
  const sentAtMs = Math.max(engine.clock.nowMs(), webhook.dueAtMs)
  const isDropped = webhook.attempts < droppedAttempts(event.hooks)
  const send = () => postEvent(engine, connections, event, endpoint, signal)
  const posted: PostResult = isDropped
    ? { answered: false, failure: 'aborted', message: 'dropped on purpose (drop_first)', durationMs: 0 }
    : await send()
  const repeatedAtMs = Math.max(engine.clock.nowMs(), sentAtMs)
  const repeated = isDuplicated(event.hooks) && isAccepted(posted) ? await send() : undefined
  if (signal.aborted) return
  engine.store.write(() => {
    // Removed with its receiver meanwhile.
    if (!engine.store.webhooks.isOf(webhook.webhookId, event.eventId, endpoint.endpointId)) return
    keep(engine, webhook, event, endpoint.endpointId, sentAtMs, posted)
    if (repeated !== undefined) keepRepetition(engine, webhook, event, endpoint.endpointId, repeatedAtMs, repeated)
  })
}

/** Posts an event to a receiver, signed now. */
export async function postEvent(
  engine: Engine,
  connections: PostConnections,
  event: RecordedEvent,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<PostResult> {
  const secrets = endpoint.secrets ?? secretsOf(engine.store, endpoint.accountId)
  const body = Buffer.from(event.body)
  const signed = attemptHeaders({ eventId: event.eventId, body, hooks: event.hooks }, secrets, engine.realNowMs())
  const webhook: Post = {
    url: endpoint.url,
    headers: { ...signed, 'content-type': 'application/json', 'user-agent': 'dlv-sandbox' },
    body,
    timeoutMs: limits.webhookResponseTimeoutSeconds * 1_000,
    responseMaxBytes: 0,
    connections,
    signal,
  }
  return engine.sendWebhook?.(webhook, engine.clock.nowMs()) ?? post(webhook)
}

/** The stored part of an attempt's outcome. */
export function keptOutcome(posted: PostResult): Pick<WebhookAttempt, 'statusCode' | 'error' | 'durationMs'> {
  return {
    statusCode: posted.answered ? posted.status : undefined,
    error: posted.answered ? undefined : posted.message,
    durationMs: posted.durationMs,
  }
}

function keep(
  engine: Engine,
  webhook: Webhook,
  event: RecordedEvent,
  endpointId: string,
  sentAtMs: number,
  posted: PostResult,
): void {
  const { store } = engine
  const attempt = webhook.attempts + 1
  const delaySeconds = webhookRetryDelaysSeconds[attempt]
  const hasSucceeded = isAccepted(posted)
  const outcome = hasSucceeded ? 'delivered' : delaySeconds === undefined ? 'failed' : 'retrying'
  store.attempts.record({
    eventId: event.eventId,
    endpointId,
    attempt,
    scheduledAtMs: webhook.dueAtMs,
    sentAtMs,
    ...keptOutcome(posted),
    outcome,
  })
  if (outcome === 'retrying') {
    const nowMs = engine.clock.nowMs()
    const isPunctual = nowMs - webhook.dueAtMs <= PUNCTUAL_REAL_MS * Math.max(1, engine.clock.scale)
    const failedAtMs = isPunctual ? webhook.dueAtMs : nowMs
    store.webhooks.retry(webhook.webhookId, attempt, failedAtMs + (delaySeconds ?? 0) * 1_000)
  } else {
    store.webhooks.settle(webhook.webhookId, attempt, outcome)
    countFailures(engine, endpointId, outcome === 'failed')
  }
  keepEventOutcome(engine.store, event.seq, sentAtMs)
}

/** The attempt after one that was accepted: whatever its result, the event stays delivered. */
function keepRepetition(
  { store }: Engine,
  webhook: Webhook,
  event: RecordedEvent,
  endpointId: string,
  sentAtMs: number,
  posted: PostResult,
): void {
  const attempt = webhook.attempts + 2
  store.attempts.record({
    eventId: event.eventId,
    endpointId,
    attempt,
    scheduledAtMs: sentAtMs,
    sentAtMs,
    ...keptOutcome(posted),
    outcome: isAccepted(posted) ? 'delivered' : 'failed',
  })
  store.webhooks.settle(webhook.webhookId, attempt, 'delivered')
  keepEventOutcome(store, event.seq, sentAtMs)
}

/** Counts events that a receiver has failed for good, one after the other, and disables it if the switch says so. */
function countFailures(engine: Engine, endpointId: string, hasFailed: boolean): void {
  const endpoint = engine.store.endpoints.get(endpointId)
  if (endpoint === undefined) return
  const consecutiveFailures = hasFailed ? endpoint.consecutiveFailures + 1 : 0
  if (consecutiveFailures === endpoint.consecutiveFailures) return
  const limit = switchesOf(engine.store).disableEndpointAfter
  const disabled = endpoint.disabled || (limit > 0 && consecutiveFailures >= limit)
  engine.store.endpoints.save({ ...endpoint, consecutiveFailures, disabled })
}
