import { deliveryStatuses } from './status-words.js'

export const statusEventTypes = deliveryStatuses.map((status) => `delivery.${status}` as const)
export const informationalEventTypes = [
  'delivery.driver_location_updated',
  'delivery.eta_updated',
  'delivery.proof_of_delivery_added',
] as const
export const deliveryEventTypes = [...statusEventTypes, ...informationalEventTypes] as const
export const driverEventTypes = ['driver.created', 'driver.updated', 'driver.deleted', 'driver.duty_changed'] as const
export const installationEventTypes = ['installation.access_policy_changed'] as const

export type StatusEventType = `delivery.${(typeof deliveryStatuses)[number]}`
export type KnownEventType =
  | StatusEventType
  | (typeof informationalEventTypes)[number]
  | (typeof driverEventTypes)[number]
  | (typeof installationEventTypes)[number]

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
