import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { percentDecoded } from '../shared/byte-codes.js'
import { isDeliveryEvent, verify } from '../webhooks/index.js'
import { readBody } from '../webhooks/internal.js'
import type { Courier } from './courier.js'
import type { Played } from './expectations.js'
import { type Scenario, type ScenarioStep, spanMs } from './scenario.js'

/** Something that happens at a moment of the scenario, in virtual time. */
export interface Moment {
  atMs: number
  act(): Promise<void> | void
}

/** The means by which moments affect the app and the service. */
interface Stage {
  startMs: number
  courier: Courier
  /** Filled with the outages of the scenario. */
  outages: Played['outages']
  rotate(): Promise<void>
  setFaults(rules: readonly unknown[]): Promise<void>
}

/** Everything that happens besides orders: the steps, and the stale webhooks spread over the period. */
export function momentsOf(scenario: Scenario, stage: Stage): Moment[] {
  const { courier, startMs } = stage
  const { twice, late, stale } = scenario.webhooks
  courier.disturbance = { twice, late }
  const count = scenario.expect.includes('staleRefused') ? Math.max(1, stale) : stale
  const durationMs = spanMs(scenario.duration)
  const staleMoments = Array.from({ length: count }, (_, index) => ({
    atMs: startMs + ((index + 0.5) / count) * durationMs,
    act() {
      courier.staleWanted++
    },
  }))
  return [...staleMoments, ...scenario.steps.flatMap((step) => stepMoments(step, stage))]
}

function stepMoments(step: ScenarioStep, stage: Stage): Moment[] {
  const atMs = stage.startMs + spanMs(step.at)
  const { receiverOutage, rotateSecret, storm, faults = [] } = step
  if (receiverOutage !== undefined) return outageMoments(atMs, atMs + spanMs(receiverOutage), stage)
  if (storm !== undefined) return stormMoments(atMs, storm, stage)
  if (rotateSecret) return [{ atMs, act: stage.rotate }]
  return [{ atMs, act: () => stage.setFaults(faults) }]
}

function outageMoments(fromMs: number, toMs: number, { courier, outages }: Stage): Moment[] {
  outages.push({ fromMs, toMs })
  const update = (nowMs: number) => () => {
    courier.isOut = outages.some((outage) => outage.fromMs <= nowMs && nowMs < outage.toMs)
  }
  return [
    { atMs: fromMs, act: update(fromMs) },
    { atMs: toMs, act: update(toMs) },
  ]
}

function stormMoments(atMs: number, storm: NonNullable<ScenarioStep['storm']>, { courier }: Stage): Moment[] {
  const usual = courier.disturbance
  return [
    {
      atMs,
      act() {
        courier.disturbance = { twice: storm.twice, late: storm.late }
        courier.staleWanted += storm.stale
      },
    },
    {
      atMs: atMs + spanMs(storm.for),
      act() {
        courier.disturbance = usual
      },
    },
  ]
}

/** An app that makes no mistake, for a scenario that is played without one. */
interface ReferenceApp {
  url: string
  stateUrl: string
  close(): Promise<void>
}

interface Held {
  status: string
  occurredAt: string
  processed: number
}

const maxBodyBytes = 1_048_576

/** Verifies, dedupes on the event's id and orders by `occurredAt`, in memory, on a free port of this machine. */
export async function referenceApp(secrets: readonly string[]): Promise<ReferenceApp> {
  const seen = new Set<string>()
  const deliveries = new Map<string, Held>()
  const take = (headers: readonly string[], body: Buffer): number => {
    const verdict = verify({ secrets, headers, body })
    if (!verdict.ok) return 401
    const { id, event } = verdict
    if (seen.has(id) || event === undefined || !isDeliveryEvent(event)) return 200
    seen.add(id)
    const { deliveryId, status } = event.delivery
    const held = deliveries.get(deliveryId) ?? { status, occurredAt: event.occurredAt, processed: 0 }
    held.processed++
    if (event.occurredAt >= held.occurredAt) Object.assign(held, { status, occurredAt: event.occurredAt })
    deliveries.set(deliveryId, held)
    return 200
  }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const held = deliveries.get(percentDecoded((request.url ?? '').replace('/state/', '')) ?? '')
      response.writeHead(held === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(held ?? {}))
      return
    }
    const body = await readBody(request, maxBodyBytes)
    response.writeHead(Buffer.isBuffer(body) ? take(request.rawHeaders, body) : 413).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/webhooks`,
    stateUrl: `${origin}/state/{deliveryId}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
