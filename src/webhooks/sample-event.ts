import {
  type DeliveryEvent,
  type DeliveryEventType,
  type DriverEvent,
  type DriverEventType,
  deliveryStatuses,
  eventTypes,
  type InstallationEvent,
  type KnownDeliveryStatus,
  type KnownEventType,
  statusesWithReason,
  UsageError,
  type WebhookEvent,
} from '../contract/index.js'
import { randomId } from '../shared/crypto.js'
import { isRecord, tryParseJson } from '../shared/json.js'

/** An id for an event that is made here. */
export function newEventId(): string {
  return `evt_${randomId().replaceAll('-', '')}`
}

/** The `eventId` of a body; `undefined` if it has none, or is not JSON. */
export function eventIdOf(body: Uint8Array): string | undefined {
  const value = tryParseJson(body)?.value
  return isRecord(value) && typeof value.eventId === 'string' && value.eventId !== '' ? value.eventId : undefined
}

/** Fixed values of a sample event. */
export interface SampleOptions {
  /** Default: a new one. */
  eventId?: string
  /** Default: `del_sample`, so that sample events are about the same delivery. */
  deliveryId?: string
  /** Default: `ORDER-1001`. */
  clientOrderReference?: string
  /** The time of the event. Default: now. */
  occurredAtMs?: number
}

/** The event of a type. */
export type SampleEvent<Type extends KnownEventType> = Type extends DeliveryEventType
  ? DeliveryEvent
  : Type extends DriverEventType
    ? DriverEvent
    : InstallationEvent

/**
 * An event as the service would send it, for one type: a delivery to a barracks, a driver of the fleet, or an
 * installation whose posture has changed. All people, phones and places in it are made up.
 *
 * @throws UsageError if the type is none of the contract's.
 */
export function sampleEvent<Type extends KnownEventType>(eventType: Type, options?: SampleOptions): SampleEvent<Type>
export function sampleEvent(eventType: string, options?: SampleOptions): WebhookEvent
export function sampleEvent(eventType: string, options: SampleOptions = {}): WebhookEvent {
  if (!isKnownEventType(eventType)) {
    throw new UsageError(`there is no event type ${eventType}`, {
      hint: `One of: ${eventTypes.join(', ')}.`,
    })
  }
  return eventOf(eventType, options) as WebhookEvent
}

function eventOf(eventType: KnownEventType, options: SampleOptions): object {
  const occurredAtMs = options.occurredAtMs ?? Date.now()
  const envelope = {
    eventId: options.eventId ?? newEventId(),
    eventType,
    occurredAt: at(occurredAtMs),
    livemode: false,
  }
  if (eventType === 'installation.access_policy_changed') return { ...envelope, ...policyChange(occurredAtMs) }
  if (eventType === 'driver.duty_changed') {
    return { ...envelope, driver: { id: driverProfile.id, name: driverProfile.name, onDuty: false } }
  }
  if (eventType.startsWith('driver.')) {
    const status = eventType === 'driver.deleted' ? 'inactive' : 'active'
    return { ...envelope, driver: { ...driverProfile, status } }
  }
  const status = statusAt(eventType)
  const previousStatus = eventType === `delivery.${status}` ? statusBefore[status] : undefined
  return {
    ...envelope,
    ...(previousStatus === undefined ? {} : { previousStatus }),
    delivery: delivery(status, eventType, occurredAtMs, options),
  }
}

function isKnownEventType(eventType: string): eventType is KnownEventType {
  return (eventTypes as readonly string[]).includes(eventType)
}

/** Informational events happen somewhere on the way; all others name their status. */
function statusAt(eventType: KnownEventType): KnownDeliveryStatus {
  if (eventType === 'delivery.proof_of_delivery_added') return 'driver_at_dropoff'
  return deliveryStatuses.find((status) => eventType === `delivery.${status}`) ?? 'driver_enroute_to_dropoff'
}

/** The usual way into each status; absent for those that a delivery starts in. */
const statusBefore: Partial<Record<KnownDeliveryStatus, KnownDeliveryStatus>> = {
  reassigning: 'driver_assigned',
  driver_assigned: 'accepted',
  driver_enroute_to_pickup: 'driver_assigned',
  driver_at_pickup: 'driver_enroute_to_pickup',
  pickup_complete: 'driver_at_pickup',
  driver_enroute_to_dropoff: 'pickup_complete',
  driver_at_dropoff: 'driver_enroute_to_dropoff',
  delivered: 'driver_at_dropoff',
  failed: 'driver_at_dropoff',
  return_in_progress: 'failed',
  returned: 'return_in_progress',
  cancelled: 'accepted',
  expired: 'accepted',
}

const reasons: Partial<Record<KnownDeliveryStatus, { statusReasonCode: string; statusReason: string }>> = {
  failed: { statusReasonCode: 'gate_closed', statusReason: 'The gate was closed to commercial vehicles.' },
  return_in_progress: { statusReasonCode: 'gate_closed', statusReason: 'The gate was closed to commercial vehicles.' },
  cancelled: { statusReasonCode: 'cancelled_by_merchant', statusReason: 'The merchant cancelled the order.' },
  dispatch_failed: { statusReasonCode: 'no_carrier_available', statusReason: 'No driver could be found.' },
  expired: { statusReasonCode: 'no_carrier_available', statusReason: 'No driver was found in time.' },
}

const withoutDriver: ReadonlySet<string> = new Set<KnownDeliveryStatus>([
  'scheduled',
  'accepted',
  'dispatch_failed',
  'reassigning',
  'cancelled',
  'expired',
])

const driverProfile = {
  id: 'drv_sample_maya',
  name: 'Maya R.',
  phoneNumber: '+19105550134',
  onDuty: true,
  status: 'active',
  teams: ['team_base'],
  vehicleDescription: 'White Ford Transit',
}

function delivery(
  status: KnownDeliveryStatus,
  eventType: KnownEventType,
  occurredAtMs: number,
  options: SampleOptions,
) {
  const deliveryId = options.deliveryId ?? 'del_sample'
  const isProven = status === 'delivered' || eventType === 'delivery.proof_of_delivery_added'
  return {
    deliveryId,
    clientOrderReference: options.clientOrderReference ?? 'ORDER-1001',
    status,
    ...(statusesWithReason.has(status) ? reasons[status] : {}),
    pickup: { storeReference: 'STORE-001', businessName: 'Sandbox Market #01' },
    dropoff: {
      address: { line1: '4 Sample Street', city: 'Fort Bragg', state: 'NC', postalCode: '28310' },
      contactName: 'Sam Example',
      contactPhone: '+19105550199',
      instructions: 'Ring twice.',
    },
    pricing: { currency: 'USD', deliveryFeeCents: 899, tipAmountCents: 300, totalPriceCents: 1199 },
    ...(withoutDriver.has(status) ? {} : { driver: driverOnTheWay(occurredAtMs) }),
    ...(isProven ? { proofOfDelivery: [proof(deliveryId, occurredAtMs)] } : {}),
    resolvedVerification: { derived: [], suppressed: [] },
    trackingUrl: `https://track.example/${deliveryId}`,
    createdAt: at(occurredAtMs - 1_800_000),
    updatedAt: at(occurredAtMs),
  }
}

function driverOnTheWay(occurredAtMs: number) {
  const { id, name, phoneNumber, vehicleDescription } = driverProfile
  const location = { latitude: 35.13914, longitude: -79.00603, updatedAt: at(occurredAtMs) }
  return { id, name, phoneNumber, vehicleDescription, location }
}

function proof(deliveryId: string, occurredAtMs: number) {
  return {
    type: 'signature',
    stage: 'dropoff',
    url: `https://track.example/${deliveryId}/proof/signature.png`,
    capturedAt: at(occurredAtMs),
  }
}

function policyChange(occurredAtMs: number) {
  return {
    changed: ['fpconLevel', 'accessLevel'],
    affectedDeliveryCount: 3,
    installation: {
      code: 'FTBRAGG',
      name: 'Fort Bragg',
      branch: 'army',
      state: 'NC',
      acceptingDeliveries: true,
      accessLevel: 'escort_required',
      fpconLevel: 'bravo',
      photographyPermitted: false,
      supportedDeliveryPoints: ['cq_desk', 'gate_handoff'],
      permittedProofTypes: ['signature', 'pin_code'],
      policyUpdatedAt: at(occurredAtMs),
    },
  }
}

function at(ms: number): string {
  return new Date(ms).toISOString()
}
