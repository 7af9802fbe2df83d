import type { Delivery, DeliveryListItem, DeliveryPage, KnownDeliveryStatus } from '../../deliveries.js'
import type { QuoteResponse } from '../../quotes.js'
import type { SimulateResponse } from '../../simulation.js'
import { order, update } from './orders.js'

/** One delivery at several moments of its life, and a second one, as responses hold them. */

export const deliveryId = 'del_01KJQN5E8M3T7V9X2Z4B6D8F0H'
const otherId = 'del_01KJQK2A4C6E8G0J2M4P6R8T0V'
const url = `https://track.example.com/${deliveryId}`
const { address, contactName, contactPhone, instructions, installation, unit } = order.dropoff

export const accepted: Delivery = {
  deliveryId,
  clientOrderReference: order.clientOrderReference,
  status: 'accepted',
  pickup: { storeReference: 'STORE-001', businessName: 'Market Street Electronics' },
  dropoff: { address, contactName, contactPhone, instructions, installation, unit },
  pricing: {
    currency: 'USD',
    deliveryFeeCents: 1465,
    tipAmountCents: 500,
    cancellationFeeCents: 0,
    totalPriceCents: 1965,
  },
  proofOfDelivery: [],
  resolvedVerification: {
    dropoff: { identity: { level: 'required', minimumAge: 18 }, signature: { level: 'preferred' } },
    derived: [{ mechanism: 'signature', level: 'preferred', source: 'destination_policy' }],
    suppressed: [{ mechanism: 'photo', reason: 'photography_prohibited', substitutedBy: 'signature' }],
  },
  trackingUrl: url,
  createdAt: '2026-03-02T15:00:00.000Z',
  updatedAt: '2026-03-02T15:00:00.000Z',
}

export const updated: Delivery = {
  ...accepted,
  dropoff: { ...accepted.dropoff, instructions: update.dropoff?.instructions ?? null },
  pricing: { ...accepted.pricing, tipAmountCents: 700, totalPriceCents: 2165 },
  updatedAt: '2026-03-02T15:02:10.000Z',
}

export const cancelled: Delivery = {
  ...accepted,
  status: 'cancelled',
  statusReasonCode: 'cancelled_by_merchant',
  statusReason: 'The merchant cancelled the delivery.',
  pricing: { ...accepted.pricing, totalPriceCents: 0 },
  updatedAt: '2026-03-02T15:01:30.000Z',
}

const way: [status: KnownDeliveryStatus, time: string][] = [
  ['accepted', '15:00:00'],
  ['driver_assigned', '15:04:20'],
  ['driver_enroute_to_pickup', '15:05:00'],
  ['driver_at_pickup', '15:11:40'],
  ['pickup_complete', '15:14:05'],
  ['driver_enroute_to_dropoff', '15:14:30'],
  ['driver_at_dropoff', '15:38:50'],
  ['delivered', '15:41:15'],
]

export const delivered: Delivery = {
  ...accepted,
  status: 'delivered',
  statusHistory: way.map(([status, time]) => ({ status, occurredAt: `2026-03-02T${time}.000Z` })),
  driver: {
    id: 'drv_04',
    name: 'Luis A.',
    phoneNumber: '+15205550134',
    vehicleDescription: 'Red Nissan Rogue',
    location: { latitude: 35.139, longitude: -79.006, updatedAt: '2026-03-02T15:38:50.000Z' },
  },
  proofOfDelivery: [
    { type: 'signature', stage: 'dropoff', url: `${url}/signature.svg`, capturedAt: '2026-03-02T15:41:00.000Z' },
  ],
  updatedAt: '2026-03-02T15:41:15.000Z',
}

const listed: DeliveryListItem[] = [
  {
    deliveryId,
    clientOrderReference: order.clientOrderReference,
    status: 'delivered',
    createdAt: '2026-03-02T15:00:00.000Z',
    updatedAt: '2026-03-02T15:41:15.000Z',
  },
  {
    deliveryId: otherId,
    clientOrderReference: 'WEB-100482',
    status: 'failed',
    createdAt: '2026-03-02T14:12:00.000Z',
    updatedAt: '2026-03-02T15:20:00.000Z',
  },
]

export const page: DeliveryPage = { deliveries: listed, nextCursor: null }

export const quotes: QuoteResponse = {
  clientOrderReference: order.clientOrderReference,
  quotes: [
    {
      quoteId: 'qot_01KJQN5C2S4V6X8Z0B2D4F6H8K',
      carrierId: 'car_std',
      carrierName: 'Standard Network',
      currency: 'USD',
      totalPriceCents: 1465,
      pickupEta: '2026-03-02T15:08:45.000Z',
      dropoffEta: '2026-03-02T15:42:55.000Z',
    },
  ],
  expiresAt: '2026-03-02T15:15:00.000Z',
}

export const simulated: SimulateResponse = {
  deliveryId,
  livemode: false,
  status: 'delivered',
  emittedEvents: [
    'delivery.driver_assigned',
    'delivery.driver_enroute_to_pickup',
    'delivery.driver_at_pickup',
    'delivery.pickup_complete',
    'delivery.driver_enroute_to_dropoff',
    'delivery.driver_at_dropoff',
    'delivery.delivered',
  ],
}
