import type { Descriptions } from './fields.js'

const photo = 'A photo of the handover. Some installations prohibit photography.'
const destination = {
  installation: 'The military installation that the address is on. Absent elsewhere.',
  unit: 'Where on the installation the recipient is. Absent elsewhere.',
}
const orderFields = {
  dispatch: 'How a driver of an owned fleet is chosen.',
  handling: 'How it is handed over, and what to do if nobody takes it.',
  metadata: 'Anything of your own; it is not shown to the driver.',
}

/** Descriptions of requests: orders, updates, quotes, cancellations, simulations. */
export const orders: Descriptions = {
  CancelRequest: {
    self: 'Why a delivery is cancelled. It is recorded and not shown to the driver.',
    reason: 'A short reason, such as `customer_cancelled`; at most 64 characters.',
    reasonNotes: 'More about the reason, at most 500 characters.',
  },
  DeliveryCreate: {
    self: 'An order: what to deliver, from where, to whom and when.',
    ...orderFields,
  },
  DeliveryUpdate: {
    self: 'What to change of a delivery: what is absent stays, and null clears an optional value.',
  },
  DispatchInput: {
    self: 'How a driver of an owned fleet is chosen.',
    mode: 'Whether a team takes it from its queue, or a driver is assigned. Needs the capability `ownedFleetDispatch`.',
    teamReference: 'The id of the team that takes it.',
  },
  DispatchUpdate: { self: 'What to change of how a driver is chosen.' },
  DropoffInput: { self: 'Where an order goes, and to whom.', ...destination },
  DropoffUpdate: { self: 'What to change of the dropoff.' },
  DropoffVerification: {
    self: 'How the handover is verified at the dropoff. Rules of cargo and destination may add to it.',
    photo,
    'photo.substituteWhenProhibited': 'What to do instead where photography is prohibited.',
    signature: 'A signature of the recipient.',
    'signature.collectSignerName': 'Whether to ask for the name of the person who signs.',
    pinCode: 'A code that the recipient tells the driver.',
    'pinCode.source': 'Where the code comes from.',
    barcode: 'Barcodes that the driver scans.',
    'barcode.values': 'The barcodes to be scanned, at most 1,000.',
  },
  DropoffVerificationUpdate: { self: 'What to change of how the handover is verified at the dropoff.' },
  HandlingInput: {
    self: 'How an order is handed over, and what to do if nobody takes it.',
    handoff: 'Who takes it, such as `hand_to_recipient` or `cq_desk`.',
    undeliverableAction: 'What to do if it cannot be delivered.',
    fallbackHandoff: 'Who takes it instead, with `fallback_handoff`.',
  },
  HandlingUpdate: { self: 'What to change of how an order is handed over.' },
  InstallationStop: {
    self: 'The military installation that an address is on.',
    code: 'The code of the installation, such as `FTBRAGG`.',
    gate: 'The gate to enter by. Absent leaves the choice to the service.',
  },
  InstallationStopUpdate: { self: 'What to change of the military installation that the address is on.' },
  PackageInput: {
    self: 'What is delivered.',
    description: 'What is in it, in words.',
    items: 'Its items, at most 1,000. Needs the capability `itemLevelPackage`.',
    itemsCount: 'How many items it has.',
    valueCents: 'What it is worth, in cents.',
    weightGrams: 'Its weight in grams.',
  },
  PackageUpdate: { self: 'What to change of what is delivered.' },
  PickupInput: { self: 'The store that an order is picked up at.' },
  PickupUpdate: { self: 'What to change of the store that an order is picked up at.' },
  QuoteCreate: {
    self: 'What a price is asked for: an order of which only the store and the address are required.',
    clientOrderReference: 'Your own reference of the order, 1 to 128 characters.',
    ...orderFields,
  },
  QuoteDropoffInput: { self: 'Where a delivery would go; of the contact nothing is required.', ...destination },
  SimulateRequest: {
    self: 'What a delivery of the sandbox should become.',
    advanceTo: 'The status to move to; every status on the way is passed.',
    statusReasonCode: 'Why, for a status that needs a reason.',
    emitIntermediateEvents: '`false` emits only the event of the last status. Default `true`.',
  },
  StructuredAddress: { self: 'A US address by its parts.' },
  StructuredAddressUpdate: { self: 'What to change of a US address.' },
  TimeWindow: { self: 'A span of time. An end that is absent is open.' },
  TimeWindowUpdate: { self: 'What to change of a span of time.' },
  TimeWindows: {
    self: 'When to pick up and to deliver.',
    deliveryMode: 'Whether to deliver as soon as possible or in the windows.',
    dropoff: 'When to deliver.',
    pickup: 'When to pick up.',
  },
  TimeWindowsUpdate: { self: 'What to change of when to pick up and to deliver.' },
  UnitStop: {
    self: 'Where on an installation the recipient is.',
    deliveryPoint: 'Where it is handed over, such as `cq_desk`.',
  },
  UnitStopUpdate: { self: 'What to change of where on an installation the recipient is.' },
  VerificationInput: {
    self: 'How the handover is verified.',
    dropoff: 'How the handover is verified at the dropoff.',
  },
  VerificationUpdate: { self: 'What to change of how the handover is verified.' },
}
