import type { Descriptions } from './fields.js'

/** Descriptions of events. */
export const events: Descriptions = {
  DeliveryEvent: {
    self: 'Something happened to a delivery. Its snapshot counts more than what events before it said.',
    eventType: 'What happened to the delivery, such as `delivery.delivered`.',
    eta: 'Estimated times of arrival. Null or absent unless they changed.',
    'eta.pickup': 'When the driver is expected at the store, RFC 3339 in UTC. Null if that is not known.',
    'eta.dropoff': 'When the driver is expected at the dropoff, RFC 3339 in UTC. Null if that is not known.',
  },
  DriverEvent: {
    self: 'Something happened to a driver of an owned fleet.',
    driver: 'The driver; an event about duty may only have `id`, `name` and `onDuty`.',
    eventType: 'What happened to the driver, such as `driver.duty_changed`.',
  },
  EventPage: { self: 'A page of events, oldest first.', events: 'The events of this page.' },
  EventRecord: {
    self: 'A past event, with the state of its webhook.',
    data: 'The body of the webhook, as it was sent.',
    deliveryId: 'The id of the delivery that it is about. Null for other events.',
    deliveryAttempts: 'How often its webhook was sent so far. Null if that is not known.',
    lastAttemptAt: 'When its webhook was last sent, RFC 3339 in UTC. Null before the first attempt.',
    lastDeliveryStatus:
      'How sending its webhook went: `pending` is still retried, `failed` was given up. Null if that is not known.',
  },
  EventType: { self: 'What happened: a known type, or one that a newer service has added.' },
  InstallationEvent: {
    self: 'The access policy of an installation changed that the account delivers to.',
    affectedDeliveryCount: 'How many of your active deliveries go there.',
    changed: 'The names of the fields that changed, such as `fpconLevel`.',
    eventType: '`installation.access_policy_changed`.',
    installation: 'The installation with its new policy.',
  },
}
