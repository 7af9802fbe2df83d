import { hash } from 'node:crypto'
import { UsageError } from '../contract/index.js'
import { createSandbox, type Sandbox } from '../sandbox/index.js'
import { planTraffic } from '../sandbox/internal.js'
import { hourMs } from '../shared/durations.js'
import { isRecord } from '../shared/json.js'
import { unsafeKeys } from '../shared/unsafe-keys.js'
import { newSecret, postConnections } from '../webhooks/index.js'
import { Courier } from './courier.js'
import { type ExpectationResult, judge, type Played } from './expectations.js'
import { type Moment, momentsOf, referenceApp } from './moments.js'
import { orderCount, type Scenario, spanMs } from './scenario.js'

export interface PlayOptions {
  /** Overrides the scenario's own. */
  seed?: number | undefined
  /** The address to post webhooks to. Default: an app of dlv that makes no mistakes. */
  target?: string | undefined
  /** The app's state URL, with `{deliveryId}`. */
  stateUrl?: string | undefined
  /** Sign what goes to the target. */
  secrets?: readonly string[] | undefined
  signal?: AbortSignal
  onProgress?: (progress: PlayProgress) => void
}

export interface PlayProgress {
  /** Of the scenario's time, from 0 to 1. */
  part: number
  orders: number
  events: number
}

/** The result of a scenario. */
export interface PlayReport {
  scenario: string
  seed: number
  orders: number
  events: number
  expectations: ExpectationResult[]
  tookMs: number
}

/** All attempts of an event take 27 hours and 35 minutes; a delivery that was just created takes some hours more. */
const afterwardsMs = 36 * hourMs
const connections = 16
/** Maximum number of secrets that the service signs with. */
const mostSecrets = 8
/** The address of the app in the service's records. */
const receiverUrl = 'https://app.example.com/webhooks'

/**
 * Plays a scenario: a service of its own in memory, whose clock jumps from one moment to the next, creates the orders and
 * sends the app every webhook, with the disturbances that the scenario has. Afterwards it checks what the app believes.
 *
 * @throws UsageError if the template of the orders or a fault rule does not fit the contract, and the signal's reason once
 *   it aborts
 */
export async function playScenario(scenario: Scenario, options: PlayOptions = {}): Promise<PlayReport> {
  const startedAt = performance.now()
  const { signal = new AbortController().signal, seed = scenario.seed } = options
  const secrets = options.secrets ?? [newSecret()]
  const app = options.target === undefined ? await referenceApp(secrets) : undefined
  const reused = postConnections(connections)
  try {
    const courier = new Courier({
      target: options.target ?? app?.url ?? '',
      secrets,
      connections: reused,
      signal,
      chance: (text) => Number.parseInt(hash('sha256', `${seed} ${text}`, 'hex').slice(0, 8), 16) / 2 ** 32,
    })
    const played = await play(scenario, seed, courier, { ...options, signal })
    const stateUrl = app?.stateUrl ?? options.stateUrl
    return {
      scenario: scenario.name,
      seed,
      orders: played.deliveries.size,
      events: courier.events.size,
      expectations: await judge(scenario, played, stateUrl),
      tookMs: Math.round(performance.now() - startedAt),
    }
  } catch (error) {
    // What fails because the service was closed on the signal is no failure of its own.
    signal.throwIfAborted()
    throw error
  } finally {
    reused.close()
    await app?.close()
  }
}

async function play(
  scenario: Scenario,
  seed: number,
  courier: Courier,
  { signal, onProgress = () => {} }: PlayOptions & { signal: AbortSignal },
): Promise<Played> {
  const startMs = Date.parse(scenario.start)
  const endMs = startMs + spanMs(scenario.duration)
  const sandbox = createSandbox({
    // Stands still between two moments, so that a busy machine does not change what happens.
    clock: { now: () => startMs },
    seed,
    rateLimit: 'off',
    sendWebhook: (webhook, nowMs) => courier.send(webhook, nowMs),
  })
  const stop = () => void sandbox.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const apiKey = scenario.orders.locations ? 'dlvk_sbx_marketplace' : 'dlvk_sbx_nolocations'
    const sign = () =>
      sandbox.steer('POST', '/endpoints', {
        account: apiKey,
        url: receiverUrl,
        secrets: courier.secrets,
        allowWeakSecrets: true,
      })
    await sign()
    const outages: Played['outages'] = []
    const deliveries = new Map<string, string>()
    const traffic = planTraffic({
      startMs,
      endMs,
      count: orderCount(scenario),
      outcomes: scenario.orders.outcomes,
      pace: scenario.orders.pace,
      seed,
    })
    const moments: Moment[] = [
      ...momentsOf(scenario, {
        startMs,
        courier,
        outages,
        async rotate() {
          courier.secrets = [newSecret(), ...courier.secrets].slice(0, mostSecrets)
          await sign()
        },
        setFaults: async (rules) => void (await sandbox.steer('POST', '/faults', { seed, rules })),
      }),
      ...traffic.map(({ atMs, order }) => ({
        atMs,
        async act() {
          const body = withTemplate(order, scenario.orders.template)
          deliveries.set(await createDelivery(sandbox, apiKey, body), '')
        },
      })),
    ].sort((one, other) => one.atMs - other.atMs)
    for (const { atMs, act } of moments) {
      signal.throwIfAborted()
      await advanceTo(sandbox, atMs)
      await act()
      const part = Math.min(1, (atMs - startMs) / (endMs - startMs))
      onProgress({ part, orders: deliveries.size, events: courier.events.size })
    }
    await advanceTo(sandbox, Math.max(endMs, moments.at(-1)?.atMs ?? 0) + afterwardsMs)
    for (const deliveryId of deliveries.keys()) deliveries.set(deliveryId, await statusOf(sandbox, apiKey, deliveryId))
    return { deliveries, events: [...courier.events.values()], stale: courier.stale, outages }
  } finally {
    signal.removeEventListener('abort', stop)
    await sandbox.close()
  }
}

async function advanceTo(sandbox: Sandbox, toMs: number): Promise<void> {
  await sandbox.steer('POST', '/clock', { set: new Date(toMs).toISOString() })
}

/** Creates a delivery and returns its id. */
async function createDelivery(sandbox: Sandbox, apiKey: string, order: Record<string, unknown>): Promise<string> {
  const key = String(order.clientOrderReference)
  const answer = await ask(sandbox, apiKey, '/deliveries', { order, key })
  return String(answer.deliveryId)
}

async function statusOf(sandbox: Sandbox, apiKey: string, deliveryId: string): Promise<string> {
  return String((await ask(sandbox, apiKey, `/deliveries/${deliveryId}`)).status)
}

async function ask(
  sandbox: Sandbox,
  apiKey: string,
  path: string,
  create?: { order: Record<string, unknown>; key: string },
): Promise<Record<string, unknown>> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(create === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': create.key }),
  }
  const init = create === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(create.order) }
  const response = await sandbox.fetch(new Request(`http://127.0.0.1/delivery/v1${path}`, init))
  const value: unknown = await response.json()
  if (response.ok && isRecord(value)) return value
  const { message = `status ${response.status}` } = isRecord(value) && isRecord(value.error) ? value.error : {}
  throw new UsageError(`The service of the scenario refused an order: ${message}`, {
    hint: 'Check orders.template and the fault rules of the scenario.',
  })
}

/** The order with the fields of the template, object by object; its reference stays its own. */
function withTemplate(order: object, template: Record<string, unknown> | undefined): Record<string, unknown> {
  const { clientOrderReference, metadata, ...rest } = order as Record<string, unknown>
  const merged = template === undefined ? rest : merge(rest, template)
  return {
    ...merged,
    clientOrderReference,
    metadata: merge(isRecord(merged.metadata) ? merged.metadata : {}, metadata),
  }
}

function merge(base: Record<string, unknown>, over: unknown): Record<string, unknown> {
  if (!isRecord(over)) return base
  const merged = { ...base }
  for (const [name, value] of Object.entries(over)) {
    if (unsafeKeys.has(name)) continue
    const before = merged[name]
    merged[name] = isRecord(before) && isRecord(value) ? merge(before, value) : value
  }
  return merged
}
