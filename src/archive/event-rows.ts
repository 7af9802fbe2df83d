import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import { foldedText } from '../shared/texts.js'
import { type EventFact, eventFact } from '../trade/event-fact.js'
import { isStatusEvent, type Step, stepsTold } from '../trade/known-delivery.js'
import type { ListedEvent } from '../webhooks/index.js'

/** An event as `GET /events` lists it, or as a journal keeps it. */
export interface IncomingEvent
  extends Omit<ListedEvent, 'record' | 'data' | 'lastAttemptAt' | 'problem'>,
    Partial<Pick<ListedEvent, 'record' | 'lastAttemptAt' | 'problem'>> {
  /** The body as a value. */
  data: unknown
  /** When a listener received its webhook, in milliseconds since the epoch. */
  receivedAtMs?: number | undefined
}

/** A value of a column. Times are RFC 3339 in UTC with milliseconds, so that their texts compare as the times do. */
export type Value = string | number | null

/** Columns of `deliveries` that each snapshot may have; one that it lacks keeps the value of the snapshot before. */
export const snapshotColumns = [
  'client_order_reference',
  'store_reference',
  'postal_code',
  'state',
  'installation_code',
  'gate',
  'driver_id',
  'currency',
  'delivery_fee_cents',
  'tip_amount_cents',
  'cancellation_fee_cents',
  'total_price_cents',
  'created_at',
  'updated_at',
  'newest_eta',
  'window_start',
  'window_end',
  'proofs',
  'required_proofs',
  'livemode',
] as const
export type SnapshotColumn = (typeof snapshotColumns)[number]

/** A delivery as one event or response shows it. */
export interface Snapshot {
  deliveryId: string
  /** The time of the event, or of the newest change that a response shows. */
  at: string
  /** Absent in an event without a status. */
  status?: string | undefined
  reason: string | null
  values: Partial<Record<SnapshotColumn, Value>>
  /** Whether it shows a whole dropoff that is on no installation. */
  leftBase: boolean
  steps: Step[]
  positionAt?: string | undefined
}

/** The person at a dropoff. */
export type Person = Readonly<Record<'contact_name' | 'contact_phone' | 'address' | 'instructions', string | null>>

/** The rows that one event makes, besides its own: a person and a driver's person go to the second file. */
export interface EventRows {
  event: Readonly<Record<string, Value>> & { event_id: string; occurred_at: string; delivery_id: string | null }
  snapshot?: Snapshot | undefined
  location?: Readonly<Record<'measured_at' | 'driver_id' | 'latitude' | 'longitude', Value>> | undefined
  proofs?: readonly Readonly<Record<'type' | 'stage' | 'captured_at', Value>>[] | undefined
  person?: Person | undefined
  driver?: { driverId: string; vehicle: Value; name: Value; phone: Value } | undefined
  change?: Readonly<Record<'installation_code' | 'effective_at' | 'summary', Value>> | undefined
}

/** Reads an event into rows; a text says why it cannot be read. Fields of an unexpected type are left out. */
export function eventRows(event: IncomingEvent): EventRows | string {
  const { eventId, data, receivedAtMs, deliveryAttempts, lastDeliveryStatus, lastAttemptAt } = event
  if (event.body === undefined || !isRecord(data)) return event.problem ?? 'has no body'
  const eventType = event.eventType ?? textAt(data, 'eventType')
  const occurredAt = event.occurredAt ?? textAt(data, 'occurredAt')
  if (eventType === undefined) return 'has no eventType'
  const fact = eventFact({ ...event, eventType, occurredAt: occurredAt ?? '', data })
  if (fact === undefined) return 'has no occurredAt that is a time'
  const at = isoText(occurredAt) ?? isoOf(fact.occurredAtMs)
  const livemode = flag(data.livemode)
  const row = {
    event_id: eventId,
    event_type: eventType,
    occurred_at: at,
    received_at: iso(receivedAtMs),
    delivery_id: fact.deliveryId ?? null,
    previous_status: textAt(data, 'previousStatus') ?? null,
    delivery_attempts: deliveryAttempts,
    last_delivery_status: lastDeliveryStatus,
    last_attempt_at: isoText(lastAttemptAt),
    livemode,
  }
  if (fact.deliveryId !== undefined && eventType.startsWith('delivery.'))
    return { event: row, ...deliveryRows(fact, at, recordAt(data, 'delivery'), livemode) }
  const driver = driverOf(data)
  const isChange = eventType.startsWith('installation.')
  return { event: row, driver, change: isChange ? changeOf(data) : undefined }
}

/** The rows of a delivery as `GET /deliveries/{deliveryId}` gives it; `undefined` if it has no id or no time. */
export function deliveryRowsOf(delivery: Record<string, unknown>): Omit<EventRows, 'event'> | undefined {
  const occurredAt = textAt(delivery, 'updatedAt') ?? textAt(delivery, 'createdAt') ?? ''
  const fact = eventFact({ eventId: '', eventType: '', occurredAt, data: { delivery } })
  if (fact?.deliveryId === undefined) return undefined
  return deliveryRows(fact, isoOf(fact.occurredAtMs), delivery, flag(delivery.livemode))
}

const statusPrefix = 'delivery.'

function deliveryRows(
  fact: EventFact,
  at: string,
  delivery: Record<string, unknown>,
  livemode: Value,
): Omit<EventRows, 'event'> {
  const dropoff = recordAt(delivery, 'dropoff')
  const pricing = recordAt(delivery, 'pricing')
  const told = fact.eventType.slice(statusPrefix.length)
  const shown = textAt(delivery, 'status')
  const isStatus = isStatusEvent(fact.eventType, shown)
  const reason = fact.statusReasonCode ?? null
  const location = recordAt(recordAt(delivery, 'driver'), 'location')
  const measuredAt = isoText(textAt(location, 'updatedAt'))
  const proofs = Array.isArray(delivery.proofOfDelivery) ? delivery.proofOfDelivery.filter(isRecord) : []
  const values: Snapshot['values'] = {
    client_order_reference: fact.clientOrderReference,
    store_reference: fact.storeReference,
    postal_code: fact.postalCode,
    state: fact.state,
    installation_code: fact.installationCode,
    gate: textAt(recordAt(dropoff, 'installation'), 'gate'),
    driver_id: fact.driverId,
    currency: fact.currency,
    delivery_fee_cents: cents(pricing.deliveryFeeCents),
    tip_amount_cents: cents(pricing.tipAmountCents),
    cancellation_fee_cents: cents(pricing.cancellationFeeCents),
    total_price_cents: cents(pricing.totalPriceCents),
    created_at: isoText(textAt(delivery, 'createdAt')),
    updated_at: isoText(textAt(delivery, 'updatedAt')),
    newest_eta: iso(fact.etaDropoffMs),
    window_start: iso(fact.windowStartMs),
    window_end: iso(fact.windowEndMs),
    proofs: fact.proofs === undefined ? undefined : JSON.stringify(fact.proofs),
    required_proofs: fact.requiredProofs === undefined ? undefined : JSON.stringify(fact.requiredProofs),
    livemode,
  }
  return {
    snapshot: {
      deliveryId: fact.deliveryId ?? '',
      at,
      status: shown ?? (isStatus ? told : undefined),
      reason,
      values,
      leftBase: saysNoInstallation(dropoff),
      steps: stepsTold(delivery, { eventType: fact.eventType, at, reason }, (time) => isoText(time) ?? ''),
      positionAt: measuredAt ?? undefined,
    },
    location:
      measuredAt === null || typeof location.latitude !== 'number' || typeof location.longitude !== 'number'
        ? undefined
        : {
            measured_at: measuredAt,
            driver_id: fact.driverId ?? null,
            latitude: location.latitude,
            longitude: location.longitude,
          },
    proofs: proofs.map((proof) => ({
      type: textAt(proof, 'type') ?? 'unknown',
      stage: textAt(proof, 'stage') ?? null,
      captured_at: isoText(textAt(proof, 'capturedAt')),
    })),
    person: personOf(dropoff),
    driver: driverOf(delivery),
  }
}

/** Whether a whole dropoff is on no installation, by its own word; one without an address is only a part. */
function saysNoInstallation(dropoff: Record<string, unknown>): boolean {
  if (dropoff.address === undefined || dropoff.address === null) return false
  return textAt(dropoff.installation, 'code') === undefined
}

function personOf(dropoff: Record<string, unknown>): Person {
  const address = isRecord(dropoff.address)
    ? ['line1', 'line2', 'city', 'state', 'postalCode']
        .flatMap((part) => textAt(dropoff.address, part) ?? [])
        .join(', ')
    : (textAt(dropoff, 'address') ?? '')
  return {
    contact_name: textAt(dropoff, 'contactName') ?? null,
    contact_phone: textAt(dropoff, 'contactPhone') ?? null,
    address: address === '' ? null : address,
    instructions: textAt(dropoff, 'instructions') ?? null,
  }
}

/** The texts that a search compares, each on a line: the phone number also by its digits, the address also without commas. */
export function searchText({ contact_name: name, contact_phone: phone, address }: Person): string {
  const texts = [name, phone, phone?.replace(/\D/g, ''), address?.replaceAll(', ', ' '), address]
  return texts.map((text) => foldedText(text ?? '')).join('\n')
}

function driverOf(value: Record<string, unknown>): EventRows['driver'] {
  const driver = recordAt(value, 'driver')
  const driverId = textAt(driver, 'id')
  if (driverId === undefined) return undefined
  const vehicle = textAt(driver, 'vehicleDescription') ?? null
  return { driverId, vehicle, name: textAt(driver, 'name') ?? null, phone: textAt(driver, 'phoneNumber') ?? null }
}

function changeOf(data: Record<string, unknown>): NonNullable<EventRows['change']> {
  const changed = Array.isArray(data.changed) ? data.changed.filter((name) => typeof name === 'string') : []
  return {
    installation_code: textAt(recordAt(data, 'installation'), 'code') ?? null,
    effective_at: iso(timeAt(data, 'effectiveAt') ?? timeAt(recordAt(data, 'installation'), 'effectiveAt')),
    summary: changed.length === 0 ? null : changed.join(', '),
  }
}

function cents(value: unknown): Value | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

function flag(value: unknown): Value {
  return typeof value === 'boolean' ? Number(value) : null
}

/** A time as the tables hold it, from a text, which mostly is one already; `null` for what is not a time. */
function isoText(text: string | null | undefined): string | null {
  const atMs = Date.parse(text ?? '')
  if (Number.isNaN(atMs) || text == null) return null
  return text.length === 24 && text.charCodeAt(19) === 0x2e && text.endsWith('Z') ? text : isoOf(atMs)
}

/** A time as the tables hold it; `null` for one that is not known. */
export function iso(atMs: number | undefined): string | null {
  return atMs === undefined || Number.isNaN(atMs) ? null : isoOf(atMs)
}

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** The hour of a time of the tables, such as `2026-11-23T16`. */
export function hourOf(at: string): string {
  return at.slice(0, 13)
}

/** The JSON of events as the second file keeps it: deflated, each by itself, with texts that most events have in common. */

/** Every version has to read what an earlier one wrote: this stays as it is. */
export const dictionary = Buffer.from(
  [
    '"timeWindows":{"deliveryMode":"scheduled","pickup":{"start":"","end":""}},"installation":{"code":"","gate":""}',
    ',"statusReasonCode":"recipient_unavailable","previousStatus":"pickup_complete","eta":{"dropoff":"2026-10-27T08:43:15.141Z"},',
    '"statusHistory":[{"status":"scheduled","occurredAt":"2026-10-27T07:58:15.141Z"},{"status":"accepted","occurredAt":"2026-10-27T07:58:15.141Z"},',
    '{"status":"driver_assigned","occurredAt":"2026-10-27T07:58:17.646Z"},{"status":"driver_enroute_to_pickup","occurredAt":"2026-10-27T07:58:20.152Z"},',
    '{"status":"driver_at_pickup","occurredAt":"2026-10-27T07:58:22.657Z"},{"status":"pickup_complete","occurredAt":"2026-10-27T07:58:25.163Z"},',
    '{"status":"driver_enroute_to_dropoff","occurredAt":"2026-10-27T07:58:27.669Z"},{"status":"driver_at_dropoff","occurredAt":"2026-10-27T07:58:30.174Z"},',
    '{"status":"delivered","occurredAt":"2026-10-27T07:58:32.680Z"}],',
    '{"eventId":"evt_0","eventType":"delivery.driver_location_updated","occurredAt":"2026-10-28T23:51:16.347Z","livemode":false,',
    '"delivery":{"deliveryId":"del_0","clientOrderReference":"ORDER-","status":"driver_enroute_to_dropoff",',
    '"pickup":{"storeReference":"STORE-0","businessName":"Market"},"dropoff":{"address":{"line1":" Street","line2":"Apt ","city":"","state":"NC","postalCode":"28"},',
    '"contactName":"","contactPhone":"+19105550","instructions":"Side door. Please ring twice."},',
    '"pricing":{"currency":"USD","deliveryFeeCents":8,"tipAmountCents":0,"cancellationFeeCents":8,"totalPriceCents":1},',
    '"driver":{"id":"drv_0","name":"","phoneNumber":"+17605550","vehicleDescription":"Yellow ","location":{"latitude":3,"longitude":-7,"updatedAt":"2026-10-28T23:51:16.347Z"}},',
    '"proofOfDelivery":[{"type":"photo","stage":"dropoff","url":"https://","capturedAt":"2026-10-28T23:51:16.347Z"}],',
    '"resolvedVerification":{"dropoff":{"photo":{"level":"preferred","substituteWhenProhibited":"signature"},"identity":{"level":"required","minimumAge":21}},',
    '"derived":[{"mechanism":"identity","level":"required","minimumAge":21,"source":"package.contains"}],"suppressed":[]},',
    '"trackingUrl":"https://track/del_0","createdAt":"2026-10-28T23:27:19.065Z","updatedAt":"2026-10-28T23:51:16.347Z"}}',
  ].join(''),
)

/** An event has one to four kilobytes: a larger window, or a better level, would cost more than it saves. */
const compression = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 1_024, dictionary }

/** The bytes of a body as they are kept. */
export function deflated(body: Uint8Array): Uint8Array {
  return process.getBuiltinModule('node:zlib').deflateSync(body, compression)
}

/** The bytes of a body. @throws RangeError if they are more than `maxBytes` */
export function inflated(body: Uint8Array, maxBytes?: number): Uint8Array {
  const options = maxBytes === undefined ? { dictionary } : { dictionary, maxOutputLength: maxBytes }
  return process.getBuiltinModule('node:zlib').inflateSync(body, options)
}
