import type { CancelRequest } from '../../deliveries.js'
import type { ServiceabilityRequest } from '../../installations.js'
import type { DeliveryCreate, DeliveryUpdate, QuoteCreate } from '../../orders.js'
import type { SimulateRequest } from '../../simulation.js'

/**
 * The bodies of requests. They hold at any time: no quote that expires, no window that passes. All people, phones and
 * orders are made up.
 */

const pickup = { storeReference: 'STORE-001' }
const address = {
  line1: 'Building 4-2274, Ardennes Street',
  city: 'Fort Bragg',
  state: 'NC',
  postalCode: '28310',
}
const installation = { code: 'FTBRAGG', gate: 'Longstreet Road ACP' }

export const order: DeliveryCreate = {
  clientOrderReference: 'WEB-100517',
  pickup,
  dropoff: {
    address,
    contactName: 'SPC Jordan Reyes',
    contactPhone: '+19105550162',
    instructions: 'Call from the CQ desk on arrival.',
    installation,
    unit: { buildingNumber: '4-2274', room: '214', unitDesignation: 'B Co, 2-504 PIR', deliveryPoint: 'cq_desk' },
  },
  timeWindows: { deliveryMode: 'asap' },
  package: { description: 'Replacement laptop', itemsCount: 1, valueCents: 119_900, weightGrams: 2300 },
  verification: {
    dropoff: {
      photo: { level: 'preferred', substituteWhenProhibited: 'signature' },
      identity: { level: 'required', minimumAge: 18 },
    },
  },
  handling: { handoff: 'cq_desk', undeliverableAction: 'return_to_pickup' },
  tipAmountCents: 500,
}

export const quoteRequest: QuoteCreate = {
  clientOrderReference: order.clientOrderReference,
  pickup,
  dropoff: { address, installation },
  package: { weightGrams: 2300 },
}

export const update: DeliveryUpdate = {
  dropoff: { instructions: 'Ask for the duty sergeant at the CQ desk.' },
  tipAmountCents: 700,
}

export const cancellation: CancelRequest = {
  reason: 'customer_cancelled',
  reasonNotes: 'The recipient is on a field exercise until Monday.',
}

export const simulation: SimulateRequest = { advanceTo: 'delivered' }

export const stop: ServiceabilityRequest = {
  dropoff: { installation: { code: 'FTBRAGG' }, unit: { deliveryPoint: 'cq_desk' } },
  package: { contains: ['perishable_cold_chain'] },
}
