/** The contract of the Delivery Service: operations, schemas, statuses, events, errors and limits. */

export * from './capabilities.js'
export * from './deliveries.js'
export * from './destinations.js'
export * from './drift.js'
export * from './drivers.js'
export * from './error-codes.js'
export * from './errors.js'
export * from './event-guards.js'
export * from './event-types.js'
export * from './events.js'
export * from './fields.js'
export * from './installations.js'
export * from './lifecycle.js'
export * from './limits.js'
export * from './operation.js'
export * from './operations.generated.js'
export * from './operations.js'
export * from './orders.js'
export * from './platform.js'
export * from './primitives.js'
export * from './query.js'
export * from './quotes.js'
export * from './response-fields.js'
export {
  ApiError,
  apiErrorOf,
  ConnectionError,
  type ConnectionFailure,
  ContractError,
  DlvError,
  OutcomeError,
  QuoteRefusedError,
  type RefusedField,
  SignatureError,
  UsageError,
  withHint,
} from './service-errors.js'
export * from './shape.js'
export * from './simulation.js'
export * from './status-words.js'
export * from './stops.js'
export type {
  DispatchUpdate,
  DropoffUpdate,
  DropoffVerificationUpdate,
  HandlingUpdate,
  InstallationStopUpdate,
  PackageUpdate,
  PickupUpdate,
  StructuredAddressUpdate,
  Time,
  TimeWindowsUpdate,
  TimeWindowUpdate,
  UnitStopUpdate,
  UnknownEvent,
  UnknownEventType,
  VerificationUpdate,
} from './types.generated.js'
export * from './values/amounts.js'
export * from './values/request-values.js'
export * from './values/sheet-values.js'
export * from './values/texts.js'
export * from './wire-text.js'
