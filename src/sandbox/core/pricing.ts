import {
  type DeliveryCreate,
  type DropoffVerification,
  type KnownDeliveryStatus,
  milestoneIndex,
  type VerificationMechanism,
} from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import { minuteOfDay } from '../../trade/zoned-time.js'
import type { InstallationRow, QuoteRow, World } from '../model.js'
import type { OrderLike } from './checks/requirements.js'
import { dropoffZip, locateStop, namedInstallation, roadKm } from './geo/places.js'
import { type Store, storeByReference } from './geo/stores.js'
import { hashBetween } from './hash.js'
import { earliestStartMs } from './trip-times.js'

/**
 * A level of service that a quote can be for. The contract never exposes who drives, so these are levels and not
 * companies.
 */
export interface Carrier {
  carrierId: string
  carrierName: string
  priceFactor: number
  /** The checks at the door that it carries out. */
  mechanisms: readonly VerificationMechanism[]
}

const all = ['photo', 'signature', 'identity', 'pinCode', 'barcode'] as const

export const economy: Carrier = {
  carrierId: 'car_eco',
  carrierName: 'Economy Network',
  priceFactor: 0.93,
  mechanisms: ['photo', 'signature', 'pinCode'],
}
export const standard: Carrier = {
  carrierId: 'car_std',
  carrierName: 'Standard Network',
  priceFactor: 1,
  mechanisms: all,
}
export const priority: Carrier = {
  carrierId: 'car_pri',
  carrierName: 'Priority Network',
  priceFactor: 1.18,
  mechanisms: all,
}
/** The account's own drivers, priced as standard. */
export const ownFleet: Carrier = { carrierId: 'car_own', carrierName: 'Own Fleet', priceFactor: 1, mechanisms: all }

const carriers: readonly Carrier[] = [economy, standard, priority, ownFleet]

export function carrierById(carrierId: string): Carrier | undefined {
  return carriers.find((carrier) => carrier.carrierId === carrierId)
}

/** The input of a price. Equal input gives an equal price. */
export interface PriceInput {
  store: Store
  zip: string
  distanceKm: number
  order: Pick<DeliveryCreate, 'package' | 'verification' | 'timeWindows'>
  installation: Pick<InstallationRow, 'accessLevel'> | undefined
  carrier: Pick<Carrier, 'priceFactor'>
  /** When it is priced: the quarter of an hour shifts it by up to 4 %. */
  pricedAtMs: number
  /** The time of the pickup: nights cost more. */
  pickupAtMs: number
}

/** Maximum distance of a delivery by road. */
export const maximumDistanceKm = 40

/** Maximum weight of a package: 50 lb. */
export const maximumWeightGrams = 22_700

const baseCents = 775
const baseKm = 5
const centsPerKm = 46
const baseWeightGrams = 10_000
const accessCents = { id_required: 350, escort_required: 600, restricted: 900 }
const scheduledDiscountCents = 50
const nightFactor = 1.15

/** The delivery fee in cents, rounded half up once, at the end. */
export function deliveryFeeCents(input: PriceInput): number {
  const { order } = input
  const sum =
    distanceCents(input.distanceKm) +
    weightCents(order.package?.weightGrams ?? 0) +
    (input.installation === undefined ? 0 : accessCents[input.installation.accessLevel]) +
    cargoCents(order.package?.contains ?? []) +
    verificationCents(order.verification?.dropoff) -
    (order.timeWindows?.deliveryMode === 'scheduled' ? scheduledDiscountCents : 0)
  const night = isNight(input.pickupAtMs, input.store.timezone) ? nightFactor : 1
  return Math.floor(sum * night * input.carrier.priceFactor * jitter(input) + 0.5)
}

function distanceCents(km: number): number {
  const startedHundredMetres = Math.ceil(Math.max(0, km - baseKm) * 10 - 1e-9)
  return baseCents + (startedHundredMetres * centsPerKm) / 10
}

function weightCents(grams: number): number {
  return 100 * Math.ceil(Math.max(0, grams - baseWeightGrams) / 5_000)
}

function cargoCents(contains: readonly string[]): number {
  return (contains.includes('perishable_cold_chain') ? 250 : 0) + (contains.includes('alcohol') ? 200 : 0)
}

function verificationCents(verification: DropoffVerification | undefined): number {
  return verification?.barcode?.level === 'required' ? 50 : 0
}

function isNight(atMs: number, timezone: string): boolean {
  const minute = minuteOfDay(atMs, timezone)
  return minute >= 22 * 60 || minute < 6 * 60
}

function jitter({ store, zip, pricedAtMs }: PriceInput): number {
  const quarterHour = Math.floor(pricedAtMs / (15 * minuteMs))
  return hashBetween(0.96, 1.04, store.storeReference, zip, quarterHour)
}

const feeFromAssignmentCents = 300

/**
 * The cancellation fee at this status, in cents: the later in the delivery, the larger its share of the delivery fee.
 */
export function cancellationFeeCents(status: KnownDeliveryStatus, feeCents: number): number {
  if (status === 'reassigning') return feeFromAssignmentCents
  if (status === 'return_in_progress') return feeCents
  const reached = milestoneIndex(status)
  if (reached >= milestoneIndex('pickup_complete')) return feeCents
  if (reached >= milestoneIndex('driver_at_pickup')) return Math.floor(feeCents * 0.5 + 0.5)
  return reached >= milestoneIndex('driver_assigned') ? feeFromAssignmentCents : 0
}

/** The fee of an order with a carrier, in cents, as it would be quoted at `pricedAtMs`. */
export function priceOf(world: World, order: OrderLike, carrier: Carrier, pricedAtMs: number): number {
  const store = storeByReference(order.pickup.storeReference)
  if (store === undefined) throw new Error(`no store ${order.pickup.storeReference}`)
  return deliveryFeeCents({
    store,
    zip: dropoffZip(order.dropoff),
    distanceKm: roadKm(store, locateStop(world, order.dropoff)),
    order,
    installation: namedInstallation(world, order.dropoff),
    carrier,
    pricedAtMs,
    pickupAtMs: earliestStartMs(order) ?? pricedAtMs,
  })
}

/** The fee of a new order: what its quote says, or what the standard carrier takes. */
export function feeOf(world: World, order: DeliveryCreate, quote: QuoteRow | undefined): number {
  return quote?.deliveryFeeCents ?? priceOf(world, order, usualCarrier(world), world.nowMs)
}

/** The carrier of an order without a quote. */
function usualCarrier(world: Pick<World, 'account'>): Carrier {
  return world.account.accountType === 'owned_fleet' ? ownFleet : standard
}

/** The carrier of a quote, for pricing an order again after an update. */
export function quotedCarrier(world: World, quote: { carrierId: string } | undefined): Carrier {
  return (quote === undefined ? undefined : carrierById(quote.carrierId)) ?? usualCarrier(world)
}
