import { z } from 'zod'
import { UsageError } from '../../contract/index.js'
import { isLoopback, webAddress } from '../../shared/web-address.js'
import { newSecret, parseSecret } from '../../webhooks/index.js'
import { Refusal } from '../core/refusal.js'
import { timestamp } from '../core/trip-times.js'
import { removeEndpoint } from '../engine/commit.js'
import { type Engine, keepSecrets, secretsOf } from '../engine/engine.js'
import { schemaRefusal } from '../http/json-body.js'
import { type Endpoint, endpointKinds, type WebhookAttempt } from '../store/attempts.js'
import type { Store } from '../store/store.js'
import { resendEvent } from '../worker/attempts.js'
import { accountChoice, accountLimit } from './accounts.js'
import { ControlAnswer, type ControlCall, type ControlContext, type ControlRoutes } from './control-route.js'

const Registration = z.strictObject({
  url: z.string().max(2_048),
  kind: z.enum(endpointKinds).default('all'),
  secrets: z.array(z.string()).min(1).max(8).optional(),
  allowWeakSecrets: z.boolean().optional(),
})

const MAX_ATTEMPTS_SHOWN = 1_000

/** Receivers of webhooks, what was sent to them, and the secrets that it is signed with. */
export function receiverRoutes({ engine }: ControlContext): ControlRoutes {
  const { store } = engine
  const AccountChoice = z.strictObject(accountChoice(store))
  const changeSecrets = async (call: ControlCall, change: (secrets: string[]) => string[]) => {
    const { accountId } = (await call.body(AccountChoice)).account
    return store.write(() => secretsView(accountId, keepSecrets(store, accountId, change(secretsOf(store, accountId)))))
  }
  const withReceivers = (attempts: readonly WebhookAttempt[]) => {
    const urls = new Map(store.endpoints.list().map(({ endpointId, url }) => [endpointId, url]))
    return attempts.map((attempt) => ({ ...attemptView(attempt), url: urls.get(attempt.endpointId) ?? null }))
  }
  return {
    'GET /endpoints': (call) => {
      const only = accountLimit(store, call)
      const endpoints = store.endpoints.list().filter(({ accountId }) => only === undefined || accountId === only)
      return { endpoints: endpoints.map(endpointView) }
    },
    async 'POST /endpoints'(call) {
      const {
        account,
        allowWeakSecrets: allowWeak,
        ...receiver
      } = await call.body(Registration.extend(accountChoice(store)))
      const { accountId } = account
      refuseAddress(receiver.url, engine.allowsHttpReceivers)
      refuseSecrets(receiver.secrets ?? [], allowWeak)
      const endpoint = store.write(() => register(engine, { ...receiver, accountId }))
      const secrets = receiver.secrets ?? secretsOf(store, accountId)
      return new ControlAnswer(201, { ...endpointView(endpoint), secrets })
    },
    'DELETE /endpoints': () =>
      store.write(() => {
        const removed = store.endpoints.list().map(({ endpointId }) => endpointId)
        for (const endpointId of removed) removeEndpoint(store, endpointId)
        return { removed }
      }),
    'DELETE /endpoints/{endpointId}'(call) {
      return { removed: [removedEndpoint(store, call.parameters.endpointId ?? '', accountLimit(store, call))] }
    },
    'GET /attempts': (call) => {
      const eventId = call.query.get('eventId') ?? undefined
      const attempts = store.attempts.list(eventId, MAX_ATTEMPTS_SHOWN)
      // Attempts are kept for longer than their event.
      if (eventId !== undefined && attempts.length === 0) eventOf(store, eventId)
      return { attempts: withReceivers(attempts) }
    },
    async 'POST /events/{eventId}/resend'(call) {
      const event = eventNamed(store, call)
      const attempts = await resendEvent(engine, event)
      return { eventId: event.eventId, attempts: withReceivers(attempts) }
    },
    'GET /secrets'(call) {
      const { accountId } = call.queryAs(AccountChoice).account
      return secretsView(accountId, secretsOf(store, accountId))
    },
    'POST /secrets/rotate': (call) => changeSecrets(call, (secrets) => [newSecret(), ...secrets]),
    'POST /secrets/drop': (call) => changeSecrets(call, (secrets) => secrets.slice(0, 1)),
  }
}

/** Removes an endpoint. @throws Refusal if there is none of this id, or it is another account's */
function removedEndpoint(store: Store, endpointId: string, account: string | undefined): string {
  const isForeign = account !== undefined && store.endpoints.get(endpointId)?.accountId !== account
  if (!isForeign && store.write(() => removeEndpoint(store, endpointId))) return endpointId
  throw new Refusal('NOT_FOUND', `No endpoint "${endpointId}" exists.`, { details: { endpointId } })
}

/** The event of a call's path. @throws Refusal if no event has the id, or it is not of the account that the call names */
export function eventNamed(store: Store, call: ControlCall) {
  return eventOf(store, call.parameters.eventId ?? '', accountLimit(store, call))
}

function eventOf(store: Store, eventId: string, account?: string) {
  const event = store.events.get(eventId)
  if (event === undefined || (account !== undefined && event.accountId !== account))
    throw new Refusal('NOT_FOUND', `No event "${eventId}" exists.`, { details: { eventId } })
  return event
}

function secretsView(accountId: string, secrets: readonly string[]) {
  return { account: accountId, secret: secrets[0], secrets }
}

/** Registers a receiver; one that the account has registered before is enabled again. */
function register(
  engine: Engine,
  receiver: Pick<Endpoint, 'accountId' | 'url' | 'kind'> & Partial<Endpoint>,
): Endpoint {
  const { endpoints } = engine.store
  const { accountId, url, kind, secrets } = receiver
  const isSame = (other: Endpoint) => other.accountId === accountId && other.url === url && other.kind === kind
  const known = endpoints.list().find(isSame)
  const nowMs = engine.clock.nowMs()
  const endpoint: Endpoint = {
    endpointId: known?.endpointId ?? engine.identifiers.next('we', nowMs),
    accountId,
    url,
    kind,
    secrets,
    disabled: false,
    consecutiveFailures: 0,
    createdAtMs: known?.createdAtMs ?? nowMs,
  }
  endpoints.save(endpoint)
  return endpoint
}

/**
 * The contract knows only https; a receiver under development listens on loopback without it, and one in a container on a
 * private network.
 */
function refuseAddress(url: string, allowsHttp: boolean): void {
  const parsed = webAddress(url)
  if (parsed === undefined) throw refuse('url', 'must be an http or https address without an @ in its path')
  if (parsed.username !== '' || parsed.password !== '') throw refuse('url', 'must not hold a name or a password')
  const isNear = (host: string) => isLoopback(host) || (allowsHttp && isPrivateHost(host))
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isNear(parsed.hostname)))
    throw refuse(
      'url',
      `must be https; http is only for loopback addresses${allowsHttp ? ' and private networks' : ''}`,
    )
}

const refuse = (field: string, message: string) => schemaRefusal([{ field, code: 'INVALID_VALUE', message }])

function refuseSecrets(secrets: readonly string[], allowWeak: boolean | undefined): void {
  for (const [index, secret] of secrets.entries()) {
    try {
      parseSecret(secret, { allowWeak })
    } catch (error) {
      if (error instanceof UsageError) throw refuse(`secrets[${index}]`, error.message)
      throw error
    }
  }
}

/** An address of a private IPv4 network, or a name without a dot, as containers call each other. */
function isPrivateHost(host: string): boolean {
  return (
    /^(?:10\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.)[\d.]+$/.test(host) ||
    /^[a-z\d](?:[a-z\d_-]*[a-z\d])?$/i.test(host)
  )
}

export function endpointView(endpoint: Endpoint) {
  const { endpointId, accountId, url, kind, disabled, consecutiveFailures } = endpoint
  const createdAt = timestamp(endpoint.createdAtMs)
  return {
    id: endpointId,
    account: accountId,
    url,
    kind,
    disabled,
    consecutiveFailures,
    ownSecrets: endpoint.secrets !== undefined,
    createdAt,
  }
}

export function attemptView(attempt: WebhookAttempt) {
  const { eventId, endpointId, statusCode = null, error = null, durationMs, outcome } = attempt
  return {
    eventId,
    attempt: attempt.attempt,
    scheduledAt: timestamp(attempt.scheduledAtMs),
    sentAt: timestamp(attempt.sentAtMs),
    statusCode,
    error,
    durationMs,
    outcome,
    endpointId,
  }
}
