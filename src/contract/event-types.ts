import { deliveryStatuses } from './status-words.js'

/** One for each delivery status. */
export const statusEventTypes = deliveryStatuses.map((status) => `delivery.${status}` as const)
/** About a delivery whose status stays as it is. */
export const informationalEventTypes = [
  'delivery.driver_location_updated',
  'delivery.eta_updated',
  'delivery.proof_of_delivery_added',
] as const
/** Every type of an event about a delivery. */
export const deliveryEventTypes = [...statusEventTypes, ...informationalEventTypes] as const
/** Every type of an event about a driver. */
export const driverEventTypes = ['driver.created', 'driver.updated', 'driver.deleted', 'driver.duty_changed'] as const
/** Every type of an event about an installation. */
export const installationEventTypes = ['installation.access_policy_changed'] as const

/** The type of an event that tells of a new delivery status. */
export type StatusEventType = `delivery.${(typeof deliveryStatuses)[number]}`
/** An event type that this version knows. */
export type KnownEventType =
  | StatusEventType
  | (typeof informationalEventTypes)[number]
  | (typeof driverEventTypes)[number]
  | (typeof installationEventTypes)[number]

/** Every event type of the contract. */
export const eventTypes: readonly KnownEventType[] = [
  ...deliveryEventTypes,
  ...driverEventTypes,
  ...installationEventTypes,
]

/** The type of an event about a delivery. */
export type DeliveryEventType = StatusEventType | (typeof informationalEventTypes)[number]
/** The type of an event about a driver. */
export type DriverEventType = (typeof driverEventTypes)[number]
/** The type of an event about an installation. */
export type InstallationEventType = (typeof installationEventTypes)[number]
