import { createHash } from 'node:crypto'
import { ApiError, operationDescriptors } from '../../../contract/index.js'
import { findGaps, pullEvents } from '../../../listener/index.js'
import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { eventPages, type ListedEvent } from '../../../webhooks/index.js'
import type { Done } from '../../wire/deliveries.js'
import { hasWords } from '../../wire/search.js'
import type {
  DueWebhook,
  GapList,
  ReceiverSummary,
  ReceiverTest,
  SecretSummary,
  SentEventSummary,
  WebhookOverview,
} from '../../wire/webhooks.js'
import type { Backend, Control } from '../backend.js'
import { sendAgain } from '../events/send-again.js'
import { parameter, Refused, type Route, type RouteCall, textOf } from '../route.js'
import { receiverTest, startReceiverTest } from '../webhooks/receiver-tests.js'

const shownEvents = 100
const shownAttempts = 100
const shownDue = 100
/** So many events are sent at once by "all that match". */
const sentAtOnce = 4
const longestGapList = 500

export const webhookRoutes: readonly Route[] = [
  { method: 'GET', path: '/webhooks', handle: overview },
  { method: 'GET', path: '/webhooks/gaps', handle: gaps },
  { method: 'POST', path: '/webhooks/fetch', handle: fetchMissing },
  { method: 'POST', path: '/webhooks/resend', handle: sendAllThatMatch },
  { method: 'POST', path: '/webhooks/rotate', handle: rotate },
  { method: 'POST', path: '/webhooks/receivers', handle: addReceiver },
  { method: 'POST', path: '/webhooks/receivers/:endpointId/remove', handle: removeReceiver },
  { method: 'POST', path: '/webhooks/tests', handle: startTest },
  { method: 'GET', path: '/webhooks/tests/:testId', handle: testState },
]

async function overview({ backend, query }: RouteCall): Promise<WebhookOverview> {
  const { control, listener, readOnly } = backend
  const [events, receivers, attempts, due, secrets] = await Promise.all([
    matchingEvents(backend, query.get('q') ?? ''),
    receiversOf(backend),
    control?.('GET', `/changes?limit=${shownAttempts}`),
    control?.('GET', `/schedule?limit=${shownDue}`),
    secretsOf(backend),
  ])
  return {
    receivers,
    events: events.slice(0, shownEvents),
    matching: events.length,
    attempts: attemptsIn(attempts).reverse(),
    due: isRecord(due) ? (due.webhooks as DueWebhook[]) : [],
    secrets,
    canSend: control !== undefined && !readOnly,
    canFetch: listener !== undefined && !readOnly,
  }
}

function attemptsIn(changes: unknown): WebhookOverview['attempts'] {
  return isRecord(changes) && Array.isArray(changes.attempts) ? (changes.attempts as WebhookOverview['attempts']) : []
}

const accountQuery = ({ account }: Backend) => (account === undefined ? '' : `?${new URLSearchParams({ account })}`)

async function receiversOf(backend: Backend): Promise<ReceiverSummary[]> {
  const answer = await backend.control?.('GET', '/endpoints')
  const endpoints = isRecord(answer) && Array.isArray(answer.endpoints) ? answer.endpoints.filter(isRecord) : []
  return endpoints.map(({ id, url, kind, disabled, consecutiveFailures }) => ({
    id: String(id),
    url: String(url),
    kind: String(kind),
    disabled: disabled === true,
    consecutiveFailures: Number(consecutiveFailures),
    isListener: url === backend.listener?.url,
  }))
}

/** The events that were sent and match a search, newest first. */
async function matchingEvents(backend: Backend, search: string): Promise<SentEventSummary[]> {
  const sent =
    backend.control === undefined ? await listedAsSent(backend) : await sentBySandbox(backend, backend.control)
  return sent.filter(({ eventId, eventType, deliveryId, reference, lastDeliveryStatus }) =>
    hasWords([eventId, eventType, deliveryId, reference, lastDeliveryStatus].join(' '), search),
  )
}

async function sentBySandbox(backend: Backend, control: Control): Promise<SentEventSummary[]> {
  const answer = await control('GET', `/sent-events${accountQuery(backend)}`)
  const events = isRecord(answer) && Array.isArray(answer.events) ? answer.events.filter(isRecord) : []
  return events.map(
    ({ clientOrderReference, ...event }) => ({ ...event, reference: clientOrderReference ?? null }) as SentEventSummary,
  )
}

/** So many pages of an account's events are read. */
const readPages = 10

async function listedAsSent({ client, nowMs }: Backend): Promise<SentEventSummary[]> {
  const since = new Date((client.serviceNowMs() ?? nowMs()) - dayMs).toISOString()
  const found: SentEventSummary[] = []
  let pages = 0
  for await (const page of client.pages('listEvents', { since, limit: 100 })) {
    for (const event of page.events) {
      const delivery = isRecord(event.data) && isRecord(event.data.delivery) ? event.data.delivery : {}
      const { eventId, eventType, occurredAt, deliveryAttempts, lastDeliveryStatus, lastAttemptAt, deliveryId } = event
      if ((deliveryAttempts ?? 0) === 0) continue
      found.push({
        eventId,
        eventType,
        occurredAt,
        deliveryId: deliveryId ?? null,
        reference: typeof delivery.clientOrderReference === 'string' ? delivery.clientOrderReference : null,
        lastDeliveryStatus: lastDeliveryStatus ?? 'delivered',
        deliveryAttempts: deliveryAttempts ?? 0,
        lastAttemptAt: lastAttemptAt ?? null,
      })
    }
    if (++pages >= readPages) break
  }
  return found.reverse()
}

async function secretsOf(backend: Backend): Promise<SecretSummary[]> {
  const { secrets, listener, control } = backend
  const answer = await control?.('GET', `/secrets${accountQuery(backend)}`)
  const active = isRecord(answer) && Array.isArray(answer.secrets) ? answer.secrets.map(String) : undefined
  const counts = new Map(listener?.countBySecret().map(({ name, verified }) => [name, verified]))
  const own = secrets.map(({ name, secret }) => ({
    name,
    fingerprint: fingerprintOf(secret),
    verified: listener === undefined ? null : (counts.get(name) ?? 0),
    isActive: active === undefined ? null : active.includes(secret),
  }))
  const known = new Set(secrets.map(({ secret }) => secret))
  const others = (active ?? [])
    .filter((secret) => !known.has(secret))
    .map((secret, index) => ({
      name: `sandbox ${index + 1}`,
      fingerprint: fingerprintOf(secret),
      verified: null,
      isActive: true,
    }))
  return [...others, ...own]
}

/** Enough to tell two secrets apart, and no help to guess one. */
function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8)
}

async function gaps({ backend }: RouteCall): Promise<GapList> {
  const { journal } = backend
  if (journal === undefined) throw new Refused(409, 'NO_JOURNAL', 'There is no journal to compare the events with.')
  const since = new Date((await serviceMs(backend)) - dayMs).toISOString()
  const missing: GapList['gaps'] = []
  for await (const gap of findGaps(journal, listedEvents(backend, since))) {
    const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus } = gap
    missing.push({ eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus })
    if (missing.length >= longestGapList) return { gaps: missing, since, isCut: true }
  }
  return { gaps: missing, since, isCut: false }
}

async function serviceMs({ control, client, nowMs }: Backend): Promise<number> {
  const clock = await control?.('GET', '/clock')
  return isRecord(clock) ? Date.parse(String(clock.now)) : (client.serviceNowMs() ?? nowMs())
}

async function* listedEvents({ client }: Backend, since: string): AsyncGenerator<ListedEvent> {
  for await (const { events } of eventPages((query) => eventPage(client, { since, ...query }))) yield* events
}

async function eventPage(client: Backend['client'], query: Record<string, string | number>): Promise<Uint8Array> {
  const { method, path } = operationDescriptors.listEvents
  const { status, body } = await client.raw({ method, path, query: { limit: 100, ...query } })
  if (status < 300) return body
  throw new Refused(502, 'NO_EVENTS', `The service answered ${status} when it was asked for its events.`)
}

/** Fetches what the journal lacks from the service's list, as `webhooks listen --since` does. */
async function fetchMissing(call: RouteCall): Promise<Done> {
  const { backend } = call
  const { listener, secrets, client } = backend
  const [secret] = secrets
  if (listener === undefined || secret === undefined)
    throw new Refused(409, 'NO_LISTENER', 'No listener runs in this process.', 'Start dlv webhooks listen --ui.')
  const before = (await gaps(call)).gaps.length
  const failures: unknown[] = []
  await pullEvents({
    listener,
    secret,
    once: true,
    sinceMs: (await serviceMs(backend)) - dayMs,
    signal: AbortSignal.timeout(60_000),
    listEvents: (query) => eventPage(client, query),
    serviceNow: () => serviceMs(backend),
    onError: (error) => failures.push(error),
  })
  const [failure] = failures
  if (failure !== undefined) throw failure
  const left = (await gaps(call)).gaps.length
  return {
    message:
      left === 0
        ? `Fetched ${before} missing ${before === 1 ? 'event' : 'events'}.`
        : `Fetched ${before - left}; ${left} are still missing.`,
  }
}

/** Sends each event that matches and was sent before exactly once more, the oldest first. */
async function sendAllThatMatch({ backend, body }: RouteCall): Promise<Done> {
  const { control } = backend
  if (control === undefined)
    throw new Refused(409, 'NO_SANDBOX', 'Only a sandbox can be asked to send events again.', 'Use dlv events replay.')
  const search = typeof body.search === 'string' ? body.search : ''
  const waiting = (await matchingEvents(backend, search)).reverse()
  if (waiting.length === 0) throw new Refused(422, 'NOTHING_MATCHES', 'No event that was sent matches.')
  const count = waiting.length
  let delivered = 0
  const failures: string[] = []
  const worker = async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const failure = await failureOfSending(control, event.eventId)
      if (failure === undefined) delivered++
      else failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: sentAtOnce }, worker))
  const what = `${count} ${count === 1 ? 'event' : 'events'}`
  if (failures.length > 0)
    throw new Refused(
      422,
      'NOT_DELIVERED',
      `Sent ${what} again: ${delivered} delivered, ${failures.length} not (${[...new Set(failures)].slice(0, 3).join('; ')}).`,
    )
  return { message: `Sent ${what} again: all delivered.` }
}

async function failureOfSending(control: Control, eventId: string): Promise<string | undefined> {
  try {
    return (await sendAgain(control, eventId)).failed[0]
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

async function rotate({ backend }: RouteCall): Promise<Done> {
  const control = controlOf(backend)
  const { account } = backend
  const answer = await control('POST', '/secrets/rotate', account === undefined ? {} : { account })
  const count = isRecord(answer) && Array.isArray(answer.secrets) ? answer.secrets.length : 2
  return {
    message: `A new secret signs, and so do the ${count - 1} before it until dlv sandbox rotate-secret --drop-old.`,
  }
}

function controlOf({ control }: Backend): Control {
  if (control !== undefined) return control
  throw new Refused(409, 'NO_SANDBOX', 'This is possible only with a sandbox on this machine.')
}

async function addReceiver(call: RouteCall): Promise<Done> {
  const { backend, body } = call
  const url = textOf(call, 'url')
  const kind = typeof body.kind === 'string' && body.kind !== '' ? { kind: body.kind } : {}
  const account = backend.account === undefined ? {} : { account: backend.account }
  await controlOf(backend)('POST', '/endpoints', { url, ...kind, ...account })
  return { message: `Webhooks are sent to ${url} from now on.` }
}

async function removeReceiver(call: RouteCall): Promise<Done> {
  await controlOf(call.backend)('DELETE', `/endpoints/${encodeURIComponent(parameter(call, 'endpointId'))}`)
  return { message: 'The receiver was removed; webhooks that it had not taken are given up.' }
}

function startTest(call: RouteCall): ReceiverTest {
  const url = textOf(call, 'url')
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Refused(
      422,
      'VALIDATION_ERROR',
      `Receiver must be a URL such as http://localhost:3000/hooks, not "${url.slice(0, 120)}".`,
    )
  const [secret] = call.backend.secrets
  if (secret === undefined) throw new Refused(422, 'NO_SECRET', 'There is no secret to sign with.')
  return startReceiverTest(url, secret.secret)
}

function testState(call: RouteCall): ReceiverTest {
  const test = receiverTest(parameter(call, 'testId'))
  if (test === undefined) throw new Refused(404, 'NOT_FOUND', 'This examination is no longer remembered.')
  return test
}
