import { findGaps, pullEvents } from '../../../listener/index.js'
import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { webAddress } from '../../../shared/web-address.js'
import { type ConformanceReport, testReceiver } from '../../../webhooks/index.js'
import { fingerprintOf } from '../../../webhooks/internal.js'
import type { Done } from '../../wire/deliveries.js'
import type { GapList, ReceiverTest, SecretSummary, WebhookOverview } from '../../wire/webhooks.js'
import { accountQuery, type Backend } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import { dayOfEvents, eventPage } from '../events/day-of-events.js'
import { bodyText, controlOf, parameter, Refused, type Route, type RouteCall } from '../route.js'
import { matchingEvents, sendAllThatMatch } from '../webhooks/send-again.js'

/** The most events, attempts and retries that are listed. */
const shownRows = 100
const most = { limit: String(shownRows) }

export const webhookRoutes: readonly Route[] = [
  { method: 'GET', path: '/webhooks', handle: overview },
  { method: 'GET', path: '/webhooks/gaps', handle: ({ backend }) => gapsOf(backend) },
  { method: 'POST', path: '/webhooks/fetch', handle: ({ backend }) => fetchMissing(backend) },
  {
    method: 'POST',
    path: '/webhooks/resend',
    handle: ({ backend, body }) => sendAllThatMatch(backend, typeof body.search === 'string' ? body.search : ''),
  },
  { method: 'POST', path: '/webhooks/rotate', handle: rotate },
  { method: 'POST', path: '/webhooks/receivers', handle: addReceiver },
  { method: 'POST', path: '/webhooks/receivers/:endpointId/remove', handle: removeReceiver },
  { method: 'POST', path: '/webhooks/tests', handle: startTest },
  { method: 'GET', path: '/webhooks/tests/:testId', handle: testState },
]

async function overview({ backend, query }: RouteCall): Promise<WebhookOverview> {
  const { control, listener, readOnly } = backend
  const [{ events, reach }, endpoints, changes, schedule, secrets] = await Promise.all([
    matchingEvents(backend, query.get('q') ?? ''),
    control?.('GET', `/endpoints${accountQuery(backend)}`) as
      | Promise<{ endpoints: WebhookOverview['receivers'] }>
      | undefined,
    control?.('GET', `/changes${accountQuery(backend, most)}`) as
      | Promise<Pick<WebhookOverview, 'attempts'>>
      | undefined,
    control?.('GET', `/schedule${accountQuery(backend, most)}`) as
      | Promise<{ webhooks: WebhookOverview['due'] }>
      | undefined,
    secretsOf(backend),
  ])
  return {
    receivers: endpoints?.endpoints ?? [],
    events: events.slice(0, shownRows),
    matching: events.length,
    reach,
    attempts: changes?.attempts.reverse() ?? [],
    due: schedule?.webhooks ?? [],
    secrets,
    canSend: control !== undefined && !readOnly,
    canFetch: listener !== undefined && !readOnly,
  }
}

async function rotate({ backend }: RouteCall): Promise<Done> {
  const control = controlOf(backend)
  const { account } = backend
  const answer = await control('POST', '/secrets/rotate', account === undefined ? {} : { account })
  const count = isRecord(answer) && Array.isArray(answer.secrets) ? answer.secrets.length : 2
  const end = `${backend.command} sandbox rotate-secret --drop-old`
  return { message: `A new secret signs, and so do the ${count - 1} before it until ${end}.` }
}

async function addReceiver(call: RouteCall): Promise<Done> {
  const { backend, body } = call
  const url = bodyText(call, 'url')
  const kind = typeof body.kind === 'string' && body.kind !== '' ? { kind: body.kind } : {}
  const account = backend.account === undefined ? {} : { account: backend.account }
  await controlOf(backend)('POST', '/endpoints', { url, ...kind, ...account })
  return { message: `Webhooks are sent to ${url} from now on.` }
}

async function removeReceiver(call: RouteCall): Promise<Done> {
  const { backend } = call
  const path = `/endpoints/${encodeURIComponent(parameter(call, 'endpointId'))}${accountQuery(backend)}`
  await controlOf(backend)('DELETE', path)
  return { message: 'The receiver was removed; webhooks that it had not taken are given up.' }
}

function startTest(call: RouteCall): ReceiverTest {
  const url = bodyText(call, 'url')
  if (webAddress(url) === undefined)
    throw new Refused(422, 'VALIDATION_ERROR', `Receiver must be a URL such as http://localhost:3000/hooks.`)
  const [secret] = call.backend.secrets
  if (secret === undefined) throw new Refused(422, 'NO_SECRET', 'There is no secret to sign with.')
  return startReceiverTest(url, secret.secret)
}

function testState(call: RouteCall): ReceiverTest {
  const test = receiverTest(parameter(call, 'testId'))
  if (test === undefined) throw new Refused(404, 'NOT_FOUND', 'This examination is no longer remembered.')
  return test
}

const longestList = 500

/** The events of the last day that the service has and the journal lacks. */
async function gapsOf(backend: Backend, most = longestList): Promise<GapList> {
  const { journal } = backend
  if (journal === undefined) throw new Refused(409, 'NO_JOURNAL', 'There is no journal to compare the events with.')
  const since = new Date((await serviceNowMs(backend)) - dayMs).toISOString()
  const missing: GapList['gaps'] = []
  for await (const gap of findGaps(journal, await dayOfEvents(backend).all())) {
    const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus } = gap
    missing.push({ eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus })
    if (missing.length >= most) return { gaps: missing, since, isCut: true }
  }
  return { gaps: missing, since, isCut: false }
}

/** Fetches what the journal lacks from the service's list, as `webhooks listen --since` does. */
async function fetchMissing(backend: Backend): Promise<Done> {
  const { listener, secrets, client, mark } = backend
  const [secret] = secrets
  if (listener === undefined || secret === undefined)
    throw new Refused(409, 'NO_LISTENER', 'No listener runs in this process.', 'Start dlv webhooks listen --ui.')
  const before = (await gapsOf(backend, Number.POSITIVE_INFINITY)).gaps.length
  const failures: unknown[] = []
  await pullEvents({
    listener,
    secret: () => (mark === undefined ? secret : { ...secret, account: mark }),
    once: true,
    sinceMs: (await serviceNowMs(backend)) - dayMs,
    signal: AbortSignal.timeout(60_000),
    listEvents: (query) => eventPage(client, query),
    serviceNow: () => serviceNowMs(backend),
    onError: (error) => failures.push(error),
  })
  const [failure] = failures
  if (failure !== undefined) throw failure
  const left = (await gapsOf(backend, Number.POSITIVE_INFINITY)).gaps.length
  return {
    message:
      left === 0
        ? `Fetched ${before} missing ${before === 1 ? 'event' : 'events'}.`
        : `Fetched ${before - left}; ${left} are still missing.`,
  }
}

/** Maximum number of tests in memory. */
const remembered = 20

const tests = new Map<string, ReceiverTest>()

/** Starts to examine a receiver; its state is read while it runs. */
function startReceiverTest(url: string, secret: string): ReceiverTest {
  const test: ReceiverTest = {
    testId: crypto.randomUUID(),
    url,
    isOver: false,
    cases: [],
    passed: null,
    brokenRules: [],
    failure: null,
  }
  tests.set(test.testId, test)
  const [oldest] = tests.keys()
  if (tests.size > remembered && oldest !== undefined) tests.delete(oldest)
  testReceiver({ url, secret, onCase: (result) => test.cases.push(result) })
    .then((report) => finish(test, report))
    .catch((error: unknown) => {
      test.failure = error instanceof Error ? error.message : String(error)
    })
    .finally(() => {
      test.isOver = true
    })
  return test
}

function finish(test: ReceiverTest, { passed, brokenRules, cases }: ConformanceReport): void {
  test.cases = cases
  test.passed = passed
  test.brokenRules = brokenRules.map(({ title, advice }) => ({ title, advice }))
}

function receiverTest(testId: string): ReceiverTest | undefined {
  return tests.get(testId)
}

/** The secrets that are known here and those that the sandbox signs with, by name; never their values. */
async function secretsOf(backend: Backend): Promise<SecretSummary[]> {
  const { secrets, listener, control, mark } = backend
  const answer = await control?.('GET', `/secrets${accountQuery(backend)}`)
  const active = isRecord(answer) && Array.isArray(answer.secrets) ? answer.secrets.map(String) : undefined
  const counts = new Map(
    listener
      ?.countBySecret()
      .filter(({ account }) => account === undefined || account === mark)
      .map(({ name, verified }) => [name, verified]),
  )
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
