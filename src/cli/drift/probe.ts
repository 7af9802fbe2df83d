import { type Client, findByReference, type RawReply, type RawRequest } from '../../client/index.js'
import { DlvError } from '../../contract/index.js'
import { dayMs } from '../../shared/durations.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { templateOrder } from '../orders/template-order.js'
import { answerText, errorCodeOf } from '../session/account-kind.js'
import { checkEvent, checkResponse } from './check.js'
import type { Findings } from './finding.js'

/** The number of deliveries, drivers and installations to read in detail. */
const sampled = 3

/** An answer that only a live account gives. */
export class LiveAccountError extends Error {}

/** Deliveries that the probe may have left under way: ids by reference, `undefined` for an answer that was lost. */
export type Created = Map<string, string | undefined>

/** Sends requests and compares every response with the contract, whatever its status. */
class Probe {
  constructor(
    protected readonly client: Client,
    private readonly findings: Findings,
  ) {}

  /** The JSON of a successful response; `undefined` otherwise. */
  async send(request: RawRequest): Promise<unknown> {
    const reply = await this.reply(request)
    return reply.status < 300 ? tryParseJson(reply.body)?.value : undefined
  }

  /** The response, compared with the contract. */
  protected async reply(request: RawRequest): Promise<RawReply> {
    // The limit of /health is another one: it is not waited for.
    const isHealth = request.path === '/health'
    const reply = await this.client.raw(request, isHealth ? { retries: { maxRetries: 0 } } : {})
    const { method, path } = request
    const found = checkResponse({ method, path, status: reply.status, headers: reply.headers, body: reply.body })
    if (found !== undefined) this.findings.add(found)
    return reply
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

/** Sends what only a test account may get, and stops at the first sign that the account is live. */
class TestProbe extends Probe {
  protected override async reply(request: RawRequest): Promise<RawReply> {
    const reply = await super.reply(request)
    this.judge(request, reply)
    return reply
  }

  private judge({ method, path }: RawRequest, reply: RawReply): void {
    const value = tryParseJson(reply.body)?.value
    if (isLive(value)) throw new LiveAccountError(`${method} ${path} answered livemode: true`)
    if (reply.status === 403 && method !== 'GET' && errorCodeOf(reply) !== 'QUOTES_NOT_SUPPORTED')
      throw new LiveAccountError(`${method} ${path} answered ${answerText(reply)}`)
  }

  /** Creates a delivery and records it at once, before the answer is judged. Returns its path. */
  async create(order: { clientOrderReference: string }, created: Created): Promise<string> {
    const { clientOrderReference: reference } = order
    const headers = { 'Idempotency-Key': reference }
    const request = { method: 'POST', path: '/deliveries', body: JSON.stringify(order), headers }
    created.set(reference, undefined)
    const reply = await super.reply(request)
    const value = tryParseJson(reply.body)?.value
    if (reply.status < 300) created.set(reference, memberText(value, 'deliveryId'))
    else if (reply.status < 500) created.delete(reference)
    this.judge(request, reply)
    if (reply.status < 300) return `/deliveries/${idOf(value, 'deliveryId')}`
    throw new NotTried(`POST /deliveries answered ${answerText(reply)}`)
  }

  /** A write on which the rest depends. */
  async write(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const reply = await this.reply({ method, path, body: JSON.stringify(body), headers })
    if (reply.status < 300) return tryParseJson(reply.body)?.value
    throw new NotTried(`${method} ${path.replace(/del[^/]+/, '{id}')} answered ${answerText(reply)}`)
  }
}

/** Why a part of the contract could not be tried. */
class NotTried extends Error {}

function isLive(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { events, data } = value
  return value.livemode === true || isLive(data) || (Array.isArray(events) && events.some(isLive))
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
    await probe.get('/deliveries', { clientOrderReference: memberText(one, 'clientOrderReference') })
  }
  const events = await probe.get('/events', { since, limit: 100 })
  for (const event of isRecord(events) && Array.isArray(events.events) ? events.events : []) probe.event(event.data)
  await probe.post('/serviceability', { dropoff: { address: templateOrder.dropoff.address } })
}

/** The store and the address that a probe's deliveries use. */
export interface Route {
  store: string
  address: unknown
}

/** The route of a recent delivery of the account, from this store if one is given. */
export async function usedRoute(client: Client, nowMs: number, given: string | undefined): Promise<Route | undefined> {
  const value = async (path: string, query: Record<string, unknown> = {}) => {
    const { status, body } = await client.raw({ method: 'GET', path, query })
    return status < 300 ? tryParseJson(body)?.value : undefined
  }
  const from = new Date(nowMs - 30 * dayMs).toISOString()
  for (const one of await listOf(value('/deliveries', { from, limit: sampled }), 'deliveries')) {
    const delivery = await value(`/deliveries/${idOf(one, 'deliveryId')}`)
    if (!isRecord(delivery) || !isRecord(delivery.pickup) || !isRecord(delivery.dropoff)) continue
    const { storeReference: store } = delivery.pickup
    const { address } = delivery.dropoff
    if (typeof store === 'string' && store !== '' && (given ?? store) === store && address) return { store, address }
  }
  return given === undefined ? undefined : { store: given, address: templateOrder.dropoff.address }
}

/**
 * Moves two deliveries of a test account through their lifecycle: one is delivered, one is cancelled. Returns the parts
 * that could not be tried, each with the reason.
 *
 * @throws LiveAccountError if the account turns out to be live; `created` then has what may be under way
 */
export async function probeLives(
  client: Client,
  findings: Findings,
  { name, route, created }: { name: string; route: Route; created: Created },
): Promise<string[]> {
  const probe = new TestProbe(client, findings)
  const { clientOrderReference: _, ...template } = templateOrder
  const dropoff = { ...template.dropoff, address: route.address }
  const order = { ...template, pickup: { storeReference: route.store }, dropoff }
  const create = (reference: string) => probe.create({ ...order, clientOrderReference: reference }, created)
  // An event of a live account ends the probe before anything is created.
  await probe.get('/events', { limit: sampled })
  const notTried: string[] = []
  const attempt = async (part: string, steps: () => Promise<void>) => {
    try {
      await steps()
    } catch (error) {
      if (!(error instanceof NotTried)) throw error
      notTried.push(`${part}: ${error.message}`)
    }
  }
  const { pickup, package: cargo } = order
  await attempt('quotes', async () => {
    await probe.write('POST', '/quotes', { pickup, dropoff, package: cargo })
  })
  await attempt('the life of a delivery', async () => {
    const delivered = await create(`${name}-1`)
    await probe.send({ method: 'PATCH', path: delivered, body: JSON.stringify({ tipAmountCents: 500 }) })
    await probe.write('POST', `${delivered}/simulate`, { advanceTo: 'driver_at_dropoff' })
    await probe.get(delivered)
    // A marketplace account sees only the drivers of active deliveries.
    await probeDrivers(probe)
    await probe.write('POST', `${delivered}/simulate`, { advanceTo: 'delivered' })
    await probe.get(delivered)
    created.delete(`${name}-1`)
    const events = await probe.get('/events', { deliveryId: delivered.split('/').at(-1), limit: 100 })
    for (const event of isRecord(events) && Array.isArray(events.events) ? events.events : []) probe.event(event.data)
  })
  await attempt('cancellation', async () => {
    const path = await create(`${name}-2`)
    await probe.write('POST', `${path}/cancel`, { reason: 'customer_cancelled' }, { 'Idempotency-Key': `${name}-c` })
    created.delete(`${name}-2`)
  })
  return notTried
}

/** Cancels what the probe created and did not bring to its end; a line about each. */
export async function cancelCreated(client: Client, created: Created): Promise<string[]> {
  const lines: string[] = []
  for (const [reference, known] of created) {
    try {
      const deliveryId = known ?? (await findByReference(client, reference))?.deliveryId
      if (deliveryId === undefined) continue
      const path = `/deliveries/${encodeURIComponent(deliveryId)}/cancel`
      const headers = { 'Idempotency-Key': `${reference}-c` }
      const { status } = await client.raw({ method: 'POST', path, body: '{}', headers })
      const end = status < 300 ? 'was created and cancelled' : `was created and NOT cancelled (HTTP ${status})`
      lines.push(`${reference} (${deliveryId}) ${end}.`)
    } catch (error) {
      if (!(error instanceof DlvError)) throw error
      lines.push(`${reference} may be under way: ${error.message}`)
    }
  }
  return lines
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
  return encodeURIComponent(memberText(value, name))
}

/** A member as text that every address can carry, whatever the service has put there. */
function memberText(value: unknown, name: string): string {
  return isRecord(value) ? String(value[name]).toWellFormed() : 'unknown'
}
