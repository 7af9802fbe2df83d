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

const state = 'The US state or territory, two letters. Null if it is not known.'

/** Descriptions of installations and serviceability. */
export const installations: Descriptions = {
  Gate: {
    self: 'A gate of an installation.',
    name: 'The name of the gate.',
    commercialVehiclesPermitted: 'Whether delivery vehicles may enter by it. Null if that is not known.',
  },
  Installation: {
    self: 'A military installation with its access policy. Do not cache it: the policy can change at any time.',
    state,
    gates: 'Its gates. Null if they are not known.',
    imagingRestrictions: 'What is prohibited besides photography. Null if there is nothing.',
    permittedProofTypes: 'How a handover can be proved there. Null if that is not known.',
    policyUpdatedAt: 'When the access policy last changed, RFC 3339 in UTC. Null if that is not known.',
    prohibitedCargo:
      'What packages there must not contain, by the words of `package.contains`. Null if that is not known.',
  },
  InstallationListItem: { self: 'An installation in a list; `getInstallation` has its access policy.', state },
  InstallationPage: { self: 'A page of installations.', installations: 'The installations of this page.' },
  Serviceability: {
    self: 'Whether a stop can be served at this moment. Do not cache it across a scheduled window.',
    serviceable: 'Whether it can be served. `false` is a result, not an error.',
    reasonCode: 'Why it cannot be served, such as `gate_closed`. Null or absent if it can.',
    reason: 'Why it cannot be served, in words. Null or absent if it can.',
    'installation.code': 'The code of the installation, such as `FTBRAGG`.',
    recommendedGate: 'The gate to enter by. Null if none is recommended.',
    credentialedDriversAvailable:
      'Whether a driver with a credential for the installation is available. Null if that does not matter.',
    permittedProofTypes: 'How a handover can be proved there. Null if nothing limits it.',
    suppressedProofTypes: 'How a handover cannot be proved there. Null if nothing limits it.',
    retryAfter: 'When to check again, RFC 3339 in UTC. Null or absent unless the obstacle is temporary.',
    evaluatedAt: 'When this was evaluated, RFC 3339 in UTC. Null if that is not known.',
  },
  ServiceabilityRequest: {
    self: 'The stop to check.',
    dropoff: 'Where the delivery would go: an address, an installation, or both.',
    'dropoff.installation': 'The military installation to deliver to.',
    'dropoff.unit': 'Where on the installation the recipient is.',
    deliverAt: 'When it would be delivered, RFC 3339 with `Z` or an offset. Default now.',
    package: 'What would be delivered.',
  },
}
