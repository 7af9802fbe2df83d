import { z } from 'zod'
import { Delivery, DeliveryStatus } from './deliveries.js'
import { DriverProfile } from './drivers.js'
import { deliveryEventTypes, driverEventTypes, eventTypes, installationEventTypes } from './event-types.js'
import { Installation } from './installations.js'
import { operation } from './operation.js'
import { openEnum, openObject, Page, pageQuery, Timestamp, TimestampInput } from './primitives.js'
import type * as wire from './types.generated.js'

/** The type of an event: a known one, or one that a newer service has added. */
export const EventType = openEnum(eventTypes)

/** The fields that all events share. */
const envelope = {
  eventId: z.string().min(1),
  eventType: EventType,
  occurredAt: Timestamp,
  livemode: z.boolean().nullish(),
}

/** Estimated times of arrival. The contract does not define the payload of `delivery.eta_updated`. */
const Eta = openObject({ pickup: Timestamp.nullish(), dropoff: Timestamp.nullish() })

/** Something happened to a delivery. */
export const DeliveryEvent = openObject({
  ...envelope,
  eventType: openEnum(deliveryEventTypes),
  previousStatus: DeliveryStatus.nullish(),
  delivery: Delivery,
  eta: Eta.nullish(),
})
export type DeliveryEvent = wire.DeliveryEvent

/** Something happened to a driver of an owned fleet. */
export const DriverEvent = openObject({
  ...envelope,
  eventType: openEnum(driverEventTypes),
  driver: DriverProfile,
})
export type DriverEvent = wire.DriverEvent

/** A flat payload: the names of the changed fields, the number of affected deliveries, and the installation. */
export const InstallationEvent = openObject({
  ...envelope,
  eventType: openEnum(installationEventTypes),
  changed: z.array(z.string()),
  affectedDeliveryCount: z.number().int().nonnegative(),
  installation: Installation,
})
export type InstallationEvent = wire.InstallationEvent

/** An event as a receiver reads it: the envelope is always there, the rest depends on `eventType`. */
export const WebhookEvent = openObject({
  ...envelope,
  previousStatus: DeliveryStatus.nullish(),
  eta: Eta.nullish(),
  delivery: Delivery.nullish(),
  driver: DriverProfile.nullish(),
  installation: Installation.nullish(),
})
export type WebhookEvent = wire.WebhookEvent

/** `delivered` is not in the contract's list, but its `delivered` filter needs a value for success. */
export const lastDeliveryStatuses = ['pending', 'failed', 'no_endpoint_configured', 'delivered'] as const

/** A past event with the state of its webhook. `data` is the body that was sent. */
export const EventRecord = openObject({
  eventId: z.string().min(1),
  eventType: EventType,
  occurredAt: Timestamp,
  livemode: z.boolean().nullish(),
  deliveryId: z.string().nullish(),
  deliveryAttempts: z.number().int().nullish(),
  lastDeliveryStatus: openEnum(lastDeliveryStatuses).nullish(),
  lastAttemptAt: Timestamp.nullish(),
  data: z.unknown(),
})
export type EventRecord = wire.EventRecord

/** A page of `GET /events`. */
export const EventPage = Page('events', EventRecord)
export type EventPage = wire.EventPage

/** The query parameters of `GET /events`. */
export const EventListQuery = z.object({
  since: TimestampInput.optional(),
  until: TimestampInput.optional(),
  delivered: z.boolean().optional(),
  deliveryId: z.string().min(1).optional(),
  eventType: z.array(z.string().min(1)).optional(),
  ...pageQuery,
})

/** The operations on past events. */
export const eventOperations = {
  listEvents: operation({
    method: 'GET',
    path: '/events',
    summary: 'List past events',
    description: 'Returns events, oldest first. `since` defaults to 24 hours ago and can be at most 30 days ago.',
    tag: 'Events',
    query: EventListQuery,
    responses: { 200: EventPage },
    errors: ['VALIDATION_ERROR'],
    pageOf: 'events',
  }),
}
