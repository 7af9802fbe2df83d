import { type ProofOfDelivery, postalCodeOf } from '../contract/index.js'
import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import type { OrderWindow } from './promise.js'

/**
 * The part of an event that a report needs, small enough to keep ten thousand deliveries of them. Times are milliseconds since
 * the epoch, money is cents. What an event does not say is absent.
 */
export interface EventFact {
  eventId: string
  eventType: string
  occurredAtMs: number
  deliveryId?: string
  clientOrderReference?: string
  storeReference?: string
  installationCode?: string
  postalCode?: string
  state?: string
  driverId?: string
  statusReasonCode?: string
  /** The estimated arrival at the dropoff that `delivery.eta_updated` brought. */
  etaDropoffMs?: number
  /** The order's window, if the service echoes it. */
  windowStartMs?: number
  windowEndMs?: number
  currency?: string
  totalPriceCents?: number
  tipAmountCents?: number
  cancellationFeeCents?: number
  /** Types of the proofs so far. */
  proofs?: string[]
  /** Types of the proofs that the delivery must have. */
  requiredProofs?: string[]
  attempts?: number
  lastDeliveryStatus?: string
  /** When a receiver got the webhook: known to a journal only. */
  receivedAtMs?: number
}

/** An event as `GET /events` lists it, or as a journal keeps it. */
export interface ReportableEvent {
  eventId: string
  eventType: string
  occurredAt: string
  deliveryId?: string | null | undefined
  deliveryAttempts?: number | null | undefined
  lastDeliveryStatus?: string | null | undefined
  /** The body of the webhook. */
  data?: unknown
}

/** The `type` of the proof that a verification mechanism leaves; an identity check leaves none. */
const proofTypeOf: Readonly<Record<string, ProofOfDelivery['type']>> = {
  photo: 'photo',
  signature: 'signature',
  pinCode: 'pincode',
  barcode: 'barcode',
}

/** Reads an event; `undefined` if its `occurredAt` is not a time. Fields of an unexpected type are left out. */
export function eventFact(event: ReportableEvent, receivedAtMs?: number): EventFact | undefined {
  const occurredAtMs = Date.parse(event.occurredAt)
  if (Number.isNaN(occurredAtMs)) return undefined
  const data = isRecord(event.data) ? event.data : {}
  const delivery = recordAt(data, 'delivery')
  const dropoff = recordAt(delivery, 'dropoff')
  const pricing = recordAt(delivery, 'pricing')
  const address = dropoff.address
  const fact: EventFact = { eventId: event.eventId, eventType: event.eventType, occurredAtMs }
  put(fact, 'deliveryId', event.deliveryId ?? textAt(delivery, 'deliveryId'))
  put(fact, 'clientOrderReference', textAt(delivery, 'clientOrderReference'))
  put(fact, 'storeReference', textAt(recordAt(delivery, 'pickup'), 'storeReference'))
  put(fact, 'installationCode', textAt(recordAt(dropoff, 'installation'), 'code'))
  put(
    fact,
    'postalCode',
    typeof address === 'string' ? postalCodeOf(address) : textAt(recordAt(dropoff, 'address'), 'postalCode'),
  )
  put(fact, 'state', typeof address === 'string' ? stateIn(address) : textAt(recordAt(dropoff, 'address'), 'state'))
  put(fact, 'driverId', textAt(recordAt(delivery, 'driver'), 'id'))
  put(fact, 'statusReasonCode', textAt(delivery, 'statusReasonCode'))
  if (event.eventType === 'delivery.eta_updated') put(fact, 'etaDropoffMs', timeAt(recordAt(data, 'eta'), 'dropoff'))
  const window = windowOf(delivery)
  put(fact, 'windowStartMs', window.startMs)
  put(fact, 'windowEndMs', window.endMs)
  put(fact, 'currency', textAt(pricing, 'currency'))
  put(fact, 'totalPriceCents', numberAt(pricing, 'totalPriceCents'))
  put(fact, 'tipAmountCents', numberAt(pricing, 'tipAmountCents'))
  put(fact, 'cancellationFeeCents', numberAt(pricing, 'cancellationFeeCents'))
  const proofs = Array.isArray(delivery.proofOfDelivery) ? delivery.proofOfDelivery : []
  if (proofs.length > 0) fact.proofs = proofs.flatMap((proof) => (isRecord(proof) ? [String(proof.type)] : []))
  const required = requiredProofs(recordAt(recordAt(delivery, 'resolvedVerification'), 'dropoff'))
  if (required.length > 0) fact.requiredProofs = required
  put(fact, 'attempts', event.deliveryAttempts ?? undefined)
  put(fact, 'lastDeliveryStatus', event.lastDeliveryStatus ?? undefined)
  put(fact, 'receivedAtMs', receivedAtMs)
  return fact
}

function requiredProofs(mechanisms: Record<string, unknown>): string[] {
  return Object.entries(mechanisms).flatMap(([mechanism, check]) => {
    const type = proofTypeOf[mechanism]
    return type !== undefined && isRecord(check) && check.level === 'required' ? [type] : []
  })
}

function windowOf(delivery: Record<string, unknown>): OrderWindow {
  const windows = recordAt(delivery, 'timeWindows')
  if (windows.deliveryMode !== 'scheduled') return {}
  const dropoff = recordAt(windows, 'dropoff')
  return {
    startMs: timeAt(dropoff, 'start') ?? timeAt(recordAt(windows, 'pickup'), 'start'),
    endMs: timeAt(dropoff, 'end'),
  }
}

/** The state of an address in one line: the two capitals in front of the postal code at its end. */
function stateIn(address: string): string | undefined {
  return /\b([A-Z]{2})[ ,]+\d{5}(?:-?\d{4})?\s*(?:,?\s*USA?)?$/.exec(address.trim())?.[1]
}

function put<Name extends keyof EventFact>(fact: EventFact, name: Name, value: EventFact[Name] | undefined): void {
  if (value !== undefined) fact[name] = value
}

function numberAt(value: Record<string, unknown>, name: string): number | undefined {
  const member = value[name]
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined
}
