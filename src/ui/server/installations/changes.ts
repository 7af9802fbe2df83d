import { newestFirst } from '../../../client/internal.js'
import {
  ApiError,
  type Delivery,
  type EventRecord,
  type Installation,
  installationEventTypes,
} from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { policyChanges } from '../../../render/event-detail.js'
import { recordAt } from '../../../shared/json.js'
import { accessOrderOf } from '../../../trade/obstacles.js'
import { changeIn, changeThatStands, installationIn, touchedBy } from '../../../trade/policy-changes.js'
import type { PolicyChange, TouchedOrder } from '../../wire/installations.js'
import type { OrderUnderWay } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import { insideOf } from '../deliveries/detail.js'
import type { RouteCall } from '../route.js'

const eventType = [...installationEventTypes]
/** The newest changes that are shown. */
const mostChanges = 50

/** The changes of policies that the service still tells of, newest first, each with the orders that it touches. */
export async function readChanges(call: RouteCall): Promise<{ changes: PolicyChange[] }> {
  const { backend, query } = call
  const only = query.get('code') ?? ''
  const nowMs = await serviceNowMs(backend)
  const since = new Date(oldestSinceMs(nowMs)).toISOString()
  const events: EventRecord[] = []
  const wanted = { wanted: mostChanges, nowMs: async () => nowMs }
  for await (const event of newestFirst(backend.client, { since, eventType }, wanted)) {
    const code = installationIn(event.data)
    if (code === undefined || (only !== '' && code !== only)) continue
    events.push(event)
    if (events.length === mostChanges) break
  }
  const codes = new Set(events.flatMap((event) => installationIn(event.data) ?? []))
  if (codes.size === 0) return { changes: [] }
  const [orders, installations] = await Promise.all([
    backend.underWayTo(codes).then((found) => completed(call, found)),
    Promise.all([...codes].map(async (code) => [code, await installationOf(call, code)] as const)),
  ])
  const policies = new Map(installations)
  return {
    changes: events.map((event, index) => changeOf(event, { policies, orders, nowMs, later: events.slice(0, index) })),
  }
}

/** In a sandbox with what it keeps of the orders: one that was not sent from here has a window, too. Costs nothing. */
async function completed(call: RouteCall, found: readonly OrderUnderWay[]): Promise<readonly OrderUnderWay[]> {
  if (call.backend.control === undefined) return found
  const all = found.map(async (one): Promise<OrderUnderWay[]> => {
    const { deliveryId, installation, etaMs } = one.order
    // The archive may still have orders from before a reset.
    const inside = await insideOf(call, deliveryId).catch(() => undefined)
    if (inside === undefined) return []
    const expected = recordAt(recordAt(inside, 'autopilot'), 'eta').dropoffMs
    const known = { ...inside, etaMs: etaMs ?? (typeof expected === 'number' ? expected : undefined) }
    return [{ ...one, order: accessOrderOf(inside as unknown as Delivery, installation, known) }]
  })
  return (await Promise.all(all)).flat()
}

/** The policy as it is now; what the event says of it stands in for that of an installation that is gone. */
async function installationOf({ backend }: RouteCall, installationCode: string): Promise<Installation | undefined> {
  try {
    return await backend.client.getInstallation({ installationCode })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

interface ChangeContext {
  policies: ReadonlyMap<string, Installation | undefined>
  orders: readonly OrderUnderWay[]
  /** The newer events. */
  later: readonly EventRecord[]
  nowMs: number
}

function changeOf(
  { data, eventId, occurredAt }: EventRecord,
  { policies, orders, later, nowMs }: ChangeContext,
): PolicyChange {
  const code = installationIn(data) ?? ''
  const installation: Installation = policies.get(code) ?? { ...recordAt(data, 'installation'), code }
  const there = orders.filter(({ order }) => order.installation === code)
  const change = changeThatStands(
    changeIn(data),
    later.filter((event) => installationIn(event.data) === code).map((event) => changeIn(event.data)),
  )
  const touched = there.flatMap((one): TouchedOrder[] => {
    const found = touchedBy({ ...change, installation }, one.order, nowMs)
    return found === undefined ? [] : [{ ...found, ...shownOrder(one) }]
  })
  return {
    eventId,
    at: occurredAt,
    code,
    name: installation.name ?? '',
    changed: policyChanges(data),
    underWay: there.length,
    touched: touched.sort((one, other) => rank(one) - rank(other) || dueMs(one) - dueMs(other)),
  }
}

const rank = ({ obstacles }: TouchedOrder) => (obstacles.some(({ blocks }) => blocks) ? 0 : 1)
const dueMs = ({ window, eta }: TouchedOrder) => Date.parse(window?.start ?? eta ?? '9999-12-31')

function shownOrder({
  order,
  reference,
  feeCents,
  currency,
}: OrderUnderWay): Omit<TouchedOrder, 'obstacles' | 'remedies'> {
  const { deliveryId, status, window, etaMs } = order
  const iso = (atMs: number | undefined) => (atMs === undefined ? null : new Date(atMs).toISOString())
  const [start, end] = [iso(window?.startMs), iso(window?.endMs)]
  return {
    deliveryId,
    reference,
    status,
    window: start === null && end === null ? null : { start, end },
    eta: iso(etaMs),
    feeCents,
    currency,
  }
}
