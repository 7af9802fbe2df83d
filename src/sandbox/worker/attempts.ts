import { limits, webhookRetryDelaysSeconds } from '../../contract/index.js'
import {
  isAccepted,
  type Post,
  type PostConnections,
  type PostResult,
  post,
  postConnections,
} from '../../webhooks/index.js'
import { Refusal } from '../core/refusal.js'
import { droppedAttempts, isDuplicated } from '../core/webhook-faults.js'
import { keepEventOutcome, takes } from '../engine/commit.js'
import { type Engine, secretsOf, switchesOf } from '../engine/engine.js'
import type { Endpoint, WebhookAttempt } from '../store/attempts.js'
import type { RecordedEvent } from '../store/events.js'
import type { Webhook } from '../store/webhooks.js'
import { attemptHeaders } from './attempt-headers.js'

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
async function postEvent(
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
function keptOutcome(posted: PostResult): Pick<WebhookAttempt, 'statusCode' | 'error' | 'durationMs'> {
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

/**
 * One more attempt at every receiver of an event, now and signed now, beside the schedule of retries: a success ends
 * that schedule, a failure leaves it as it is. Faults that the event asked for are not played again.
 */
export async function resendEvent(engine: Engine, event: RecordedEvent): Promise<WebhookAttempt[]> {
  const audience = event.eventType.startsWith('driver.') ? 'drivers' : 'deliveries'
  const receivers = engine.store.endpoints
    .list()
    .filter((endpoint) => takes(endpoint, { accountId: event.accountId, audience }))
  if (receivers.length === 0) {
    throw new Refusal('VALIDATION_ERROR', 'No receiver is registered for this event.', { status: 422 })
  }
  const connections = postConnections(1)
  try {
    return await Promise.all(receivers.map((endpoint) => resendTo(engine, connections, event, endpoint)))
  } finally {
    connections.close()
  }
}

async function resendTo(
  engine: Engine,
  connections: PostConnections,
  event: RecordedEvent,
  endpoint: Endpoint,
): Promise<WebhookAttempt> {
  const { store } = engine
  const sentAtMs = engine.clock.nowMs()
  const signal = new AbortController().signal
  const posted = await postEvent(engine, connections, { ...event, hooks: [] }, endpoint, signal)
  return store.write(() => {
    const { eventId } = event
    const { endpointId } = endpoint
    const seq = store.events.get(eventId)?.seq
    if (seq === undefined) throw new Refusal('NOT_FOUND', 'The event was forgotten while it was sent.')
    const known = store.webhooks.ofEvent(seq).find((webhook) => webhook.endpointId === endpointId)
    const webhookId = known?.webhookId ?? store.webhooks.enqueueSettled(seq, endpointId)
    const attempts = (known?.attempts ?? 0) + 1
    const hasSucceeded = isAccepted(posted)
    const outcome = hasSucceeded ? 'delivered' : known?.outcome === null ? 'retrying' : 'failed'
    const attempt: WebhookAttempt = {
      eventId,
      endpointId,
      attempt: attempts,
      scheduledAtMs: sentAtMs,
      sentAtMs,
      ...keptOutcome(posted),
      outcome,
    }
    store.attempts.record(attempt)
    if (hasSucceeded) store.webhooks.settle(webhookId, attempts, 'delivered')
    else if (outcome === 'failed' && known?.outcome !== 'delivered')
      store.webhooks.settle(webhookId, attempts, 'failed')
    keepEventOutcome(store, seq, sentAtMs)
    return attempt
  })
}
