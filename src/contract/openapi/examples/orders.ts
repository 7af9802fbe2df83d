import type { CancelRequest } from '../../deliveries.js'
import type { DriverProfile, Team } from '../../drivers.js'
import type { Installation, InstallationListItem, Serviceability, ServiceabilityRequest } from '../../installations.js'
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
const dropoffBase = { code: 'FTBRAGG', gate: 'Longstreet Road ACP' }

export const order: DeliveryCreate = {
  clientOrderReference: 'WEB-100517',
  pickup,
  dropoff: {
    address,
    contactName: 'SPC Jordan Reyes',
    contactPhone: '+19105550162',
    instructions: 'Call from the CQ desk on arrival.',
    installation: dropoffBase,
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
  dropoff: { address, installation: dropoffBase },
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

/** Drivers, teams and installations, as responses hold them. */

export const driver: DriverProfile = {
  id: 'drv_01',
  name: 'Maya R.',
  phoneNumber: '+19105550131',
  onDuty: true,
  status: 'active',
  teams: ['team_north', 'team_base'],
  vehicleDescription: 'White Ford Transit',
}

export const team: Team = {
  id: 'team_base',
  name: 'Base access',
  workerCount: 6,
  hubDestinationId: 'dst_hub_3',
}

export const listedInstallation: InstallationListItem = {
  code: 'FTBRAGG',
  name: 'Fort Bragg',
  branch: 'army',
  state: 'NC',
  acceptingDeliveries: true,
  accessLevel: 'id_required',
  photographyPermitted: false,
  supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
}

export const installation: Installation = {
  ...listedInstallation,
  fpconLevel: 'normal',
  imagingRestrictions: 'no_recording_devices',
  permittedProofTypes: ['signature', 'pin_code', 'barcode'],
  prohibitedCargo: ['controlled_cargo'],
  gates: [
    {
      name: 'Longstreet Road ACP',
      commercialVehiclesPermitted: true,
      hours: '24/7',
      timezone: 'America/New_York',
    },
    {
      name: 'Knox Street Truck Plaza',
      commercialVehiclesPermitted: true,
      hours: 'Mon-Fri 05:00-21:00; Sat-Sun 05:00-13:00',
      timezone: 'America/New_York',
    },
  ],
  policyUpdatedAt: '2026-02-27T09:30:00.000Z',
}

export const serviceability: Serviceability = {
  serviceable: true,
  installation: { code: 'FTBRAGG', name: 'Fort Bragg', accessLevel: 'id_required', fpconLevel: 'normal' },
  recommendedGate: 'Longstreet Road ACP',
  credentialedDriversAvailable: true,
  permittedProofTypes: ['signature', 'pin_code', 'barcode'],
  suppressedProofTypes: ['photo'],
  supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
  evaluatedAt: '2026-03-02T15:00:00.000Z',
}
