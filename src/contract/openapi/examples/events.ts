import type { DeliveryEvent, DriverEvent, EventPage, InstallationEvent } from '../../events.js'
import { deliveryId, updated } from './deliveries.js'
import { driver, installation } from './places.js'

/** An event of each kind, and a page of past ones. */

export const deliveryEvent: DeliveryEvent = {
  eventId: 'evt_01KJQN5F1A3C5E7G9J1M3P5R7T',
  eventType: 'delivery.cancelled',
  occurredAt: '2026-03-02T15:03:00.000Z',
  livemode: false,
  previousStatus: 'accepted',
  delivery: {
    ...updated,
    status: 'cancelled',
    statusReasonCode: 'cancelled_by_merchant',
    statusReason: 'The merchant cancelled the delivery.',
    updatedAt: '2026-03-02T15:03:00.000Z',
  },
}

export const driverEvent: DriverEvent = {
  eventId: 'evt_01KJQN6H2B4D6F8H0K2N4Q6S8V',
  eventType: 'driver.duty_changed',
  occurredAt: '2026-03-02T16:00:00.000Z',
  livemode: false,
  driver: { id: driver.id, name: driver.name, onDuty: false },
}

export const installationEvent: InstallationEvent = {
  eventId: 'evt_01KJQN7J3C5E7G9J1M3P5R7T9W',
  eventType: 'installation.access_policy_changed',
  occurredAt: '2026-03-02T17:00:00.000Z',
  livemode: false,
  changed: ['fpconLevel', 'accessLevel'],
  affectedDeliveryCount: 3,
  installation: {
    ...installation,
    accessLevel: 'escort_required',
    fpconLevel: 'bravo',
    policyUpdatedAt: '2026-03-02T17:00:00.000Z',
  },
}

export const events: EventPage = {
  events: [
    {
      eventId: deliveryEvent.eventId,
      eventType: deliveryEvent.eventType,
      occurredAt: deliveryEvent.occurredAt,
      livemode: false,
      deliveryId,
      deliveryAttempts: 1,
      lastDeliveryStatus: 'delivered',
      lastAttemptAt: '2026-03-02T15:03:00.250Z',
      data: deliveryEvent,
    },
  ],
  nextCursor: null,
}
