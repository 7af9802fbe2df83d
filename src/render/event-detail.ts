import { spanText } from '../shared/durations.js'
import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import { plainText, plainValue } from './plain-text.js'
import type { Style } from './style.js'
import { clockText, moneyText } from './words.js'

/** The dropoff ETA that an event of this delivery brought before, in milliseconds since the epoch. */
export interface BeforeEvent {
  etaMs?: number | undefined
}

type Clock = Pick<Style, 'nowMs' | 'timeZone'>

/** The subject of an event: the order's own reference, else the id of its delivery, driver or installation. */
export function eventSubject(body: unknown, deliveryId?: string | null): string {
  const delivery = recordAt(body, 'delivery')
  const named =
    lineAt(delivery, 'clientOrderReference') ||
    lineAt(delivery, 'deliveryId') ||
    lineAt(recordAt(body, 'driver'), 'id') ||
    lineAt(recordAt(body, 'installation'), 'code')
  return named || plainValue(deliveryId)
}

/** The detail of an event besides its type: a driver, an ETA and its change, a reason, a fee, a proof. */
export function eventDetail(eventType: string, body: unknown, style: Clock, before: BeforeEvent = {}): string {
  const delivery = recordAt(body, 'delivery')
  switch (eventType) {
    case 'delivery.scheduled':
    case 'delivery.accepted':
      return listed(lineAt(recordAt(delivery, 'pickup'), 'storeReference'), priceOf(delivery))
    case 'delivery.driver_assigned':
      return driverText(recordAt(delivery, 'driver'))
    case 'delivery.driver_enroute_to_pickup':
    case 'delivery.driver_at_pickup':
    case 'delivery.pickup_complete':
      return placeOf(recordAt(delivery, 'pickup'))
    case 'delivery.driver_enroute_to_dropoff':
    case 'delivery.driver_at_dropoff':
      return gateOf(delivery)
    case 'delivery.dispatch_failed':
    case 'delivery.failed':
    case 'delivery.expired':
    case 'delivery.return_in_progress':
      return reasonOf(delivery)
    case 'delivery.cancelled':
      return listed(reasonOf(delivery), feeOf(delivery))
    case 'delivery.delivered':
    case 'delivery.proof_of_delivery_added':
      return proofsOf(delivery)
    case 'delivery.eta_updated':
      return etaText(body, style, before)
    case 'delivery.driver_location_updated':
      return positionOf(recordAt(recordAt(delivery, 'driver'), 'location'))
    case 'driver.created':
    case 'driver.updated':
    case 'driver.deleted':
      return listed(driverText(recordAt(body, 'driver')), lineAt(recordAt(body, 'driver'), 'status'))
    case 'driver.duty_changed':
      return listed(lineAt(recordAt(body, 'driver'), 'name'), dutyText(recordAt(body, 'driver').onDuty))
    case 'installation.access_policy_changed':
      return policyText(body)
    default:
      return ''
  }
}

/** The dropoff ETA that an event brings, in milliseconds since the epoch; `undefined` if it brings none. */
export function etaOf(body: unknown): number | undefined {
  return timeAt(recordAt(body, 'eta'), 'dropoff')
}

function etaText(body: unknown, style: Clock, { etaMs: beforeMs }: BeforeEvent): string {
  const etaMs = etaOf(body)
  if (etaMs === undefined) return ''
  const change = beforeMs === undefined ? 0 : etaMs - beforeMs
  const moved = Math.abs(change) < 1_000 ? '' : ` (${change > 0 ? '+' : '-'}${spanText(change)})`
  return `ETA ${clockText(etaMs, style)}${moved}`
}

function driverText(driver: Record<string, unknown>): string {
  return listed(lineAt(driver, 'name'), lineAt(driver, 'vehicleDescription'))
}

function placeOf(pickup: Record<string, unknown>): string {
  return lineAt(pickup, 'businessName') || lineAt(pickup, 'storeReference')
}

function gateOf(delivery: Record<string, unknown>): string {
  const installation = recordAt(recordAt(delivery, 'dropoff'), 'installation')
  return listed(lineAt(installation, 'gate'), lineAt(installation, 'code'))
}

function reasonOf(delivery: Record<string, unknown>): string {
  return lineAt(delivery, 'statusReasonCode') || lineAt(delivery, 'statusReason')
}

function priceOf(delivery: Record<string, unknown>): string {
  const { totalPriceCents, currency } = recordAt(delivery, 'pricing')
  return typeof totalPriceCents === 'number' ? moneyText(totalPriceCents, currencyOf(currency)) : ''
}

function feeOf(delivery: Record<string, unknown>): string {
  const { cancellationFeeCents, currency } = recordAt(delivery, 'pricing')
  if (typeof cancellationFeeCents !== 'number') return ''
  return cancellationFeeCents === 0 ? 'no fee' : `fee ${moneyText(cancellationFeeCents, currencyOf(currency))}`
}

function currencyOf(currency: unknown): string | undefined {
  return typeof currency === 'string' ? currency : undefined
}

function proofsOf(delivery: Record<string, unknown>): string {
  const { proofOfDelivery } = delivery
  if (!Array.isArray(proofOfDelivery)) return ''
  return listed(...new Set(proofOfDelivery.map((proof) => lineAt(proof, 'type'))))
}

function positionOf({ latitude, longitude }: Record<string, unknown>): string {
  return typeof latitude === 'number' && typeof longitude === 'number' ? `${latitude}, ${longitude}` : ''
}

function dutyText(onDuty: unknown): string {
  return typeof onDuty === 'boolean' ? (onDuty ? 'on duty' : 'off duty') : ''
}

function policyText(body: unknown): string {
  const { affectedDeliveryCount } = isRecord(body) ? body : {}
  const count = typeof affectedDeliveryCount === 'number' ? affectedDeliveryCount : undefined
  const affects = count === undefined ? '' : `${count} ${count === 1 ? 'delivery' : 'deliveries'} affected`
  return listed(affects, ...policyChanges(body))
}

/** The changed fields of a policy, with what they are now where that is a word or a list: `fpconLevel bravo`. */
export function policyChanges(body: unknown): string[] {
  const { changed, installation } = isRecord(body) ? body : {}
  const now = isRecord(installation) ? installation : {}
  return (Array.isArray(changed) ? changed : []).map((name) => {
    const value = typeof name === 'string' && Object.hasOwn(now, name) ? now[name] : undefined
    const parts = Array.isArray(value) ? value : [value]
    const text = parts.some((part) => typeof part === 'object') ? '' : parts.map(plainValue).join('/')
    return text === '' ? plainValue(name) : `${plainValue(name)} ${text}`
  })
}

function listed(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ')
}

/** A text of the service as one safe line; empty if there is none. */
function lineAt(value: unknown, name: string): string {
  return plainText(textAt(value, name) ?? '')
}
