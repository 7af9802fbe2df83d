import type {
  Capability,
  DeliveryCreate,
  DeliveryStatus,
  InputOf,
  KnownDeliveryStatus,
  KnownStatusReasonCode,
  OperationName,
  Operations,
  PathParameter,
  ProofOfDelivery,
  ResolvedVerification,
} from '../contract/index.js'
import type { GateTimes } from '../trade/gate-hours.js'
import type { Switches } from './switches.js'

/**
 * The shapes that the sandbox's core and shell meet in. The core is pure: it reads a `World`, and answers with a
 * `Decision` or throws a `Refusal`. The shell loads, calls, and commits everything of a decision in one transaction.
 * Times are milliseconds since the epoch on the virtual clock.
 */

export interface Account {
  accountId: string
  apiKey: string
  accountType: 'marketplace' | 'owned_fleet'
  livemode: boolean
  capabilities: Record<Capability, boolean>
  maxRequestsPerSecond: number
}

/** How deliveries move without simulations: `manual` means not at all. */
export const paces = ['manual', 'instant', 'fast', 'robo', 'real'] as const
export type Pace = (typeof paces)[number]

export interface HistoryRow {
  /** One of the contract's, or a word of the future that a magic value asked for. */
  status: DeliveryStatus
  atMs: number
  statusReasonCode?: KnownStatusReasonCode
  statusReason?: string
}

/** State that the autopilot and re-dispatch need between steps. */
interface AutopilotState {
  /** The driver before the present one: a re-dispatch looks for another. */
  previousDriverId?: string
  /** When the last search for a driver failed. */
  retriedAtMs?: number
  /** The estimated times of arrival that were last sent. */
  eta?: { pickupMs: number; dropoffMs: number }
  /** The detour of its scriptedOutcome lies behind it. */
  isDetourDone?: boolean
}

/** A delivery as it is stored: the current order, and its state. */
export interface DeliveryRow {
  deliveryId: string
  accountId: string
  livemode: boolean
  clientOrderReference: string
  status: KnownDeliveryStatus
  /** Shown instead of `status`: a word that no version of the contract knows. */
  shownStatus?: string
  statusReason?: string
  statusReasonCode?: KnownStatusReasonCode
  history: HistoryRow[]
  /** The create request with every update merged in. */
  order: DeliveryCreate
  deliveryFeeCents: number
  cancellationFeeCents?: number
  /** The canceller's reason; recorded for reporting and never returned. */
  cancellation?: { reason?: string; reasonNotes?: string }
  quote?: { quoteId: string; carrierId: string; expiresAtMs: number }
  resolvedVerification: ResolvedVerification
  driverId?: string
  location?: { latitude: number; longitude: number; updatedAtMs: number }
  proofs: ProofOfDelivery[]
  /** The outcome that a magic value chose: a reason code, a detour's name, or none for `delivered`. */
  scriptedOutcome?: string
  pace: Pace
  /** The seed of this delivery's random choices; its id if absent. */
  variety?: string
  /** The factor by which the parts of its trip take longer than usual; 1 if absent. */
  delayFactor?: number
  /** Webhook faults asked for by this order (`metadata.sandbox_hooks`). */
  hooks: string[]
  /** The autopilot's state between steps; only the core reads it. */
  autopilot?: AutopilotState
  /** The time of the next automatic step; absent if there is none. */
  nextDueAtMs?: number
  createdAtMs: number
  updatedAtMs: number
}

export interface QuoteRow {
  quoteId: string
  accountId: string
  storeReference: string
  postalCode: string
  carrierId: string
  deliveryFeeCents: number
  createdAtMs: number
  expiresAtMs: number
}

/** Opening hours of a gate: ISO weekdays 1 to 7 and local times, `24:00` for the end of a day. */
export interface GateRow extends GateTimes {
  name: string
  commercialVehiclesPermitted: boolean
  hours: string
}

/** An installation with its policy as it stands; changed through the control API, seeded from the data file. */
export interface InstallationRow {
  code: string
  name: string
  branch: string
  state: string
  city: string
  postalCode: string
  latitude: number
  longitude: number
  timezone: string
  acceptingDeliveries: boolean
  accessLevel: 'id_required' | 'escort_required' | 'restricted'
  fpconLevel: string
  photographyPermitted: boolean
  imagingRestrictions?: string
  supportedDeliveryPoints: string[]
  permittedProofTypes: string[]
  prohibitedCargo: string[]
  gates: GateRow[]
  policyUpdatedAtMs: number
}

export interface DriverRow {
  id: string
  name: string
  phoneNumber: string
  vehicleDescription: string
  onDuty: boolean
  status: 'active' | 'inactive'
  teams: string[]
  /** Installation codes that the driver holds a credential for, with the day it ends. */
  credentials: { installationCode: string; expiresAtMs: number }[]
}

/** Everything that the core may know; answered synchronously, inside the transaction of the request. */
export interface World {
  nowMs: number
  account: Account
  /** All accounts of the sandbox. */
  accounts: readonly Account[]
  switches: Switches
  /** Number of drivers that can still be assigned; `undefined` for no limit. */
  capacity: number | undefined
  /** The address of tracking pages and proof images, with no trailing slash. */
  publicUrl: string
  delivery(deliveryId: string): DeliveryRow | undefined
  /** The newest delivery of the account with this reference. */
  deliveryByReference(clientOrderReference: string): DeliveryRow | undefined
  /** Deliveries of any account that are not in a terminal status and name this installation. */
  openDeliveriesAt(installationCode: string): DeliveryRow[]
  /** Whether the account has, or has had, a delivery to this installation. */
  deliversTo(accountId: string, installationCode: string): boolean
  quote(quoteId: string): QuoteRow | undefined
  installation(code: string): InstallationRow | undefined
  installations(): InstallationRow[]
  driver(driverId: string): DriverRow | undefined
  drivers(): DriverRow[]
  /** Deliveries of the account that are under way with a driver, for what a marketplace account may see. */
  activeDriverIds(): Set<string>
  /** A new identifier that sorts by time, such as `del_01…`. */
  newId(prefix: 'del' | 'qot' | 'evt' | 'drv'): string
}

/** An event that is to be recorded and sent. `body` is the whole webhook body, `eventId` first. */
export interface EventDraft {
  eventId: string
  eventType: string
  occurredAtMs: number
  /** Which kind of receiver it is for. */
  audience: 'deliveries' | 'drivers'
  accountId: string
  livemode: boolean
  deliveryId: string | null
  body: Record<string, unknown>
  /** Faults to apply when it is sent: only those of sending, since the body already has what changes it. */
  hooks: string[]
}

/**
 * The result of a handler, committed as a whole or not at all: the response, the rows to write, the events to record.
 */
export interface Decision {
  status: 200 | 201
  body: unknown
  deliveries?: DeliveryRow[]
  quotes?: QuoteRow[]
  installations?: InstallationRow[]
  drivers?: DriverRow[]
  removedDriverIds?: string[]
  events?: EventDraft[]
  /** The capacity that is left after an assignment. */
  capacity?: number
}

/** Operations whose answers are decided by the core; the lists over stored rows are the store's own work. */
export type CoreOperation = Exclude<OperationName, 'listDeliveries' | 'listEvents' | 'getHealth'>

type ParametersOf<Name extends OperationName> = Operations[Name] extends { path: infer Path extends string }
  ? { [Parameter in PathParameter<Path>]: string }
  : never

/**
 * A parsed `X-Sandbox-Force`. The shell plays errors and transport faults, before or after the core; outcomes and
 * reasons for no quote are passed to the core.
 */
export interface Force {
  kind: 'error' | 'noQuoteReason' | 'outcome' | 'fault'
  token: string
  /** Applies only to this many requests with the same method, path and key. */
  times?: number
  retryAfterSeconds?: number
  delayMs?: number
  status?: number
}

/** The input of a handler: path parameters by name, and `query` and `body` as parsed by their schemas. */
export type HandlerInput<Name extends OperationName> = Omit<InputOf<Name>, 'idempotencyKey'> & {
  /** The body as it was sent, before its schema dropped what it does not know. */
  rawBody?: unknown
  /** An outcome or a reason for no quote that the request's header forces. */
  force?: Force
}

export interface Handler<Name extends OperationName> {
  /**
   * Refusals that come before a write's idempotency and, for `simulate`, before its body: a missing capability, an unknown
   * id. A read has none: what it decides refuses for itself.
   */
  admit?(world: World, parameters: ParametersOf<Name>): void
  decide(world: World, input: HandlerInput<Name>): Decision
}

export type Handlers = { [Name in CoreOperation]: Handler<Name> }
