import { isRecord } from '../../../shared/json.js'
import { webAddress } from '../../../shared/web-address.js'
import type { Done } from '../../wire/deliveries.js'
import type { ReceiverTest, WebhookOverview } from '../../wire/webhooks.js'
import { controlOf, parameter, Refused, type Route, type RouteCall, textOf } from '../route.js'
import { fetchMissing, gapsOf } from '../webhooks/gaps.js'
import { receiverTest, startReceiverTest } from '../webhooks/receiver-tests.js'
import { secretsOf } from '../webhooks/secrets.js'
import { sendAllThatMatch } from '../webhooks/send-again.js'
import { matchingEvents } from '../webhooks/sent-events.js'

/** The most events, attempts and retries that are listed. */
const shownRows = 100

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
  const [events, endpoints, changes, schedule, secrets] = await Promise.all([
    matchingEvents(backend, query.get('q') ?? ''),
    control?.('GET', '/endpoints') as Promise<{ endpoints: WebhookOverview['receivers'] }> | undefined,
    control?.('GET', `/changes?limit=${shownRows}`) as Promise<Pick<WebhookOverview, 'attempts'>> | undefined,
    control?.('GET', `/schedule?limit=${shownRows}`) as Promise<{ webhooks: WebhookOverview['due'] }> | undefined,
    secretsOf(backend),
  ])
  return {
    receivers: endpoints?.endpoints ?? [],
    events: events.slice(0, shownRows),
    matching: events.length,
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
