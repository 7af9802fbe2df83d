import type { Client, RawRequest } from '../../client/index.js'
import { checkEvent, checkResponse, type Findings } from '../../drift/index.js'
import { dayMs } from '../../shared/durations.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { templateOrder } from '../deliveries/template-order.js'

/** The number of deliveries, drivers and installations to read in detail. */
const sampled = 3

/** Sends requests and compares every response with the contract, whatever its status. */
class Probe {
  constructor(
    private readonly client: Client,
    private readonly findings: Findings,
  ) {}

  /** The JSON of a successful response; `undefined` otherwise. */
  async send(request: RawRequest): Promise<unknown> {
    const reply = await this.client.raw(request)
    const { method, path } = request
    const found = checkResponse({ method, path, status: reply.status, headers: reply.headers, body: reply.body })
    if (found !== undefined) this.findings.add(found)
    return reply.status < 300 ? tryParseJson(reply.body)?.value : undefined
  }

  get(path: string, query?: Record<string, unknown>): Promise<unknown> {
    return this.send({ method: 'GET', path, query })
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body), headers })
  }

  event(data: unknown): void {
    this.findings.add(checkEvent(data))
  }
}

/** Reads everything that can be read: every GET of the contract, and the check of a stop, which changes nothing. */
export async function probeReads(client: Client, findings: Findings, nowMs: number): Promise<void> {
  const probe = new Probe(client, findings)
  const since = new Date(nowMs - 7 * dayMs).toISOString()
  await probe.get('/health')
  await probe.get('/capabilities')
  await probe.get('/teams')
  await probeDrivers(probe)
  for (const one of await listOf(probe.get('/installations', { limit: 100 }), 'installations'))
    await probe.get(`/installations/${idOf(one, 'code')}`)
  for (const one of await listOf(probe.get('/deliveries', { from: since, limit: 100 }), 'deliveries')) {
    await probe.get(`/deliveries/${idOf(one, 'deliveryId')}`)
    await probe.get('/deliveries', { clientOrderReference: textOf(one, 'clientOrderReference') })
  }
  const events = await probe.get('/events', { since, limit: 100 })
  for (const event of isRecord(events) && Array.isArray(events.events) ? events.events : []) probe.event(event.data)
  await probe.post('/serviceability', { dropoff: { address: templateOrder.dropoff.address } })
}

/** Moves two deliveries of a sandbox through their lifecycle: one is delivered, one is cancelled. */
export async function probeLives(client: Client, findings: Findings, name: string): Promise<void> {
  const probe = new Probe(client, findings)
  const { clientOrderReference: _, ...order } = templateOrder
  const create = async (reference: string) => {
    const created = await probe.post(
      '/deliveries',
      { ...order, clientOrderReference: reference },
      { 'Idempotency-Key': reference },
    )
    return `/deliveries/${idOf(created, 'deliveryId')}`
  }
  await probe.post('/quotes', { pickup: order.pickup, dropoff: order.dropoff, package: order.package })
  const delivered = await create(`${name}-1`)
  await probe.send({ method: 'PATCH', path: delivered, body: JSON.stringify({ tipAmountCents: 500 }) })
  await probe.post(`${delivered}/simulate`, { advanceTo: 'driver_at_dropoff' })
  await probe.get(delivered)
  // A marketplace account sees only the drivers of active deliveries.
  await probeDrivers(probe)
  await probe.post(`${delivered}/simulate`, { advanceTo: 'delivered' })
  await probe.get(delivered)
  const cancelled = await create(`${name}-2`)
  await probe.post(`${cancelled}/cancel`, { reason: 'customer_cancelled' }, { 'Idempotency-Key': `${name}-cancel` })
  const deliveryId = delivered.split('/').at(-1)
  const events = await probe.get('/events', { deliveryId, limit: 100 })
  for (const event of isRecord(events) && Array.isArray(events.events) ? events.events : []) probe.event(event.data)
}

async function probeDrivers(probe: Probe): Promise<void> {
  for (const driver of await listOf(probe.get('/drivers'))) await probe.get(`/drivers/${idOf(driver, 'id')}`)
}

async function listOf(answer: Promise<unknown>, member?: string): Promise<unknown[]> {
  const value = await answer
  const list = member === undefined ? value : isRecord(value) ? value[member] : undefined
  return Array.isArray(list) ? list.slice(0, sampled) : []
}

function idOf(value: unknown, name: string): string {
  return encodeURIComponent(textOf(value, name))
}

/** A member as text that every address can carry, whatever the service has put there. */
function textOf(value: unknown, name: string): string {
  return isRecord(value) ? String(value[name]).toWellFormed() : 'unknown'
}
