import type { z } from 'zod'
import {
  type DeliveryCreate,
  DeliveryEvent,
  type DeliveryUpdate,
  DriverEvent,
  findDrift,
  InstallationEvent,
  type KnownDeliveryStatus,
  operationRows,
  type SimulateRequest,
  type SimulateResponse,
  statusEventTypes,
} from '../../../src/contract/index.js'
import { accounts } from '../../../src/sandbox/core/accounts.js'
import { advance } from '../../../src/sandbox/core/autopilot.js'
import { seedDrivers, seedInstallations } from '../../../src/sandbox/core/fixtures.js'
import { handlers } from '../../../src/sandbox/core/handlers.js'
import type {
  Account,
  CoreOperation,
  Decision,
  DeliveryRow,
  DriverRow,
  EventDraft,
  Force,
  HandlerInput,
  InstallationRow,
  QuoteRow,
  World,
} from '../../../src/sandbox/model.js'
import { defaultSwitches, type Switches } from '../../../src/sandbox/switches.js'

/** A Monday at 10:00 in North Carolina, where the first store and its installation are: everything is open. */
export const mondayMorningMs = Date.parse('2026-03-02T15:00:00.000Z')

/**
 * The smallest shell that a core can live in: maps instead of a store. It commits what the core decides, and keeps
 * every event in the order in which it was decided.
 */
export class TestShell implements World {
  nowMs = mondayMorningMs
  account: Account
  accounts = accounts
  switches: Switches
  capacity: number | undefined = undefined
  publicUrl = 'http://sandbox.test'
  readonly events: EventDraft[] = []
  readonly deliveries = new Map<string, DeliveryRow>()
  readonly quotes = new Map<string, QuoteRow>()
  readonly installationRows: Map<string, InstallationRow>
  readonly driverRows: Map<string, DriverRow>
  #ids = 0

  constructor(options: { apiKey?: string; switches?: Partial<Switches>; nowMs?: number } = {}) {
    this.account = accountOf(options.apiKey ?? 'dlvk_sbx_marketplace')
    this.switches = { ...defaultSwitches, ...options.switches }
    this.nowMs = options.nowMs ?? mondayMorningMs
    this.installationRows = new Map(seedInstallations(this.nowMs).map((row) => [row.code, row]))
    this.driverRows = new Map(seedDrivers(this.nowMs).map((row) => [row.id, row]))
  }

  delivery(deliveryId: string) {
    return this.deliveries.get(deliveryId)
  }
  deliveryByReference(reference: string) {
    return [...this.deliveries.values()].findLast(
      (row) => row.accountId === this.account.accountId && row.clientOrderReference === reference,
    )
  }
  openDeliveriesAt(code: string) {
    return [...this.deliveries.values()].filter((row) => row.order.dropoff.installation?.code === code)
  }
  deliversTo(accountId: string, code: string) {
    const at = [...this.deliveries.values()].filter((row) => row.order.dropoff.installation?.code === code)
    return at.some((row) => row.accountId === accountId)
  }
  quote(quoteId: string) {
    return this.quotes.get(quoteId)
  }
  installation(code: string) {
    return this.installationRows.get(code)
  }
  installations() {
    return [...this.installationRows.values()]
  }
  driver(driverId: string) {
    return this.driverRows.get(driverId)
  }
  drivers() {
    return [...this.driverRows.values()]
  }
  activeDriverIds() {
    return new Set([...this.deliveries.values()].flatMap((row) => row.driverId ?? []))
  }
  newId(prefix: string) {
    this.#ids += 1
    return `${prefix}_${String(this.#ids).padStart(6, '0')}`
  }

  /** Calls an operation as the shell does, and commits what it decides. Throws the core's refusals. */
  call<Name extends CoreOperation>(name: Name, input: HandlerInput<Name>): Decision {
    const handler = handlers[name] as {
      admit?(world: World, parameters: unknown): void
      decide(world: World, input: unknown): Decision
    }
    handler.admit?.(this, input)
    const decision = handler.decide(this, input)
    if (this.switches.future === 'off') demandContract(name, decision)
    return this.commit(decision)
  }

  /** Simulates, and answers what the service does. */
  simulate(deliveryId: string, body: SimulateRequest): SimulateResponse {
    return this.call('simulateDelivery', { deliveryId, body }).body as SimulateResponse
  }

  update(deliveryId: string, body: DeliveryUpdate): DeliveryRow {
    this.call('updateDelivery', { deliveryId, body })
    return this.stored(deliveryId)
  }

  cancel(deliveryId: string): DeliveryRow {
    this.call('cancelDelivery', { deliveryId })
    return this.stored(deliveryId)
  }

  /** Creates a delivery; what is given is laid over a good order. */
  create(changes: Partial<DeliveryCreate> = {}, force?: Force): DeliveryRow {
    const decision = this.call('createDelivery', {
      body: testOrder(changes),
      ...(force === undefined ? {} : { force }),
    })
    const [row] = decision.deliveries ?? []
    if (row === undefined) throw new Error('nothing was created')
    return row
  }

  /** The row as it stands. */
  stored(deliveryId: string): DeliveryRow {
    const row = this.deliveries.get(deliveryId)
    if (row === undefined) throw new Error(`no delivery ${deliveryId}`)
    return row
  }

  /** A delivery that has been brought to a status, as far as the state machine lets it. */
  createAt(status: KnownDeliveryStatus, changes: Partial<DeliveryCreate> = {}): DeliveryRow {
    const begin = ['scheduled', 'dispatch_failed'].includes(status) ? status : 'accepted'
    const metadata = { ...changes.metadata, sandbox_create: begin }
    const { deliveryId } = this.create({ ...changes, metadata })
    if (status !== begin) this.call('simulateDelivery', { deliveryId, body: { advanceTo: status } })
    return this.stored(deliveryId)
  }

  commit(decision: Decision): Decision {
    for (const row of decision.deliveries ?? []) this.deliveries.set(row.deliveryId, row)
    for (const row of decision.quotes ?? []) this.quotes.set(row.quoteId, row)
    for (const row of decision.installations ?? []) this.installationRows.set(row.code, row)
    for (const row of decision.drivers ?? []) this.driverRows.set(row.id, row)
    for (const id of decision.removedDriverIds ?? []) this.driverRows.delete(id)
    if (decision.capacity !== undefined) this.capacity = decision.capacity
    this.events.push(...(decision.events ?? []))
    return decision
  }

  /** Lets time pass: what falls due in between happens in order, each at its moment. */
  advanceTo(untilMs: number): void {
    for (let steps = 0; steps < 100_000; steps++) {
      const due = [...this.deliveries.values()]
        .filter((row) => row.nextDueAtMs !== undefined && row.nextDueAtMs <= untilMs)
        .sort((a, b) => (a.nextDueAtMs ?? 0) - (b.nextDueAtMs ?? 0))[0]
      if (due === undefined) break
      this.nowMs = Math.max(this.nowMs, due.nextDueAtMs ?? 0)
      this.commit(advance(this, due))
    }
    this.nowMs = untilMs
  }

  /** The types of a delivery's events that tell of a status, in order. */
  statusEventTypes(deliveryId: string): string[] {
    const known: readonly string[] = statusEventTypes
    return this.eventTypes(deliveryId).filter((type) => known.includes(type))
  }

  /** The types of a delivery's events, in order. */
  eventTypes(deliveryId: string): string[] {
    return this.events.filter((event) => event.deliveryId === deliveryId).map((event) => event.eventType)
  }
}

let references = 0

/** A good order from the first store to a flat nearby. */
export function testOrder(changes: Partial<DeliveryCreate> = {}): DeliveryCreate {
  references += 1
  const { dropoff, ...others } = changes
  return {
    clientOrderReference: `order-${references}`,
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      address: { line1: '200 Hay St', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
      contactName: 'Sam Doe',
      contactPhone: '+19105550142',
      ...dropoff,
    },
    ...others,
  }
}

/** A dropoff at an installation, at its own ZIP code. */
export function dropoffAt(code: string, changes: Partial<DeliveryCreate['dropoff']> = {}): DeliveryCreate['dropoff'] {
  return {
    address: '4 Reilly Rd, Fort Bragg, NC 28310',
    contactName: 'Sam Doe',
    contactPhone: '+19105550142',
    installation: { code },
    ...changes,
  }
}

export function accountOf(apiKey: string): Account {
  const account = accounts.find((one) => one.apiKey === apiKey)
  if (account === undefined) throw new Error(`no account ${apiKey}`)
  return account
}

/** Throws unless the answer and every event are what the contract says, with nothing that it does not know. */
function demandContract(name: CoreOperation, { status, body, events = [] }: Decision): void {
  const schema = operationRows[name].responses[status]
  if (schema === undefined) throw new Error(`${name} has no answer ${status}`)
  demand(name, schema, body)
  for (const event of events) {
    const isAskedFor = event.body.sandboxExtra !== undefined || event.body.sandboxPadding !== undefined
    if (isAskedFor || /teleported|driver_paused/.test(event.eventType)) continue
    demand(event.eventType, eventSchemaOf(event.eventType), event.body)
  }
}

function eventSchemaOf(eventType: string) {
  if (eventType.startsWith('driver.')) return DriverEvent
  return eventType.startsWith('installation.') ? InstallationEvent : DeliveryEvent
}

/** Words outside the contract that magic values ask for. */
const askedForWords: ReadonlySet<unknown> = new Set(['outside_service_area', 'MARKET_PAUSED', 'driver_paused'])

function demand(what: string, schema: z.ZodType, body: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(body))
  schema.parse(sent)
  const drift = findDrift(schema, sent).filter(({ value }) => !askedForWords.has(value))
  if (drift.length > 0) throw new Error(`${what} is not what the contract says: ${JSON.stringify(drift)}`)
}

/** What a call is refused with: `409 DUPLICATE_ORDER`; `undefined` where it is not. */
export function refusalOf(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'status' in error) return `${error.status} ${error.code}`
    throw error
  }
}
