import type { Descriptions } from './fields.js'

/** Descriptions of parameters: queries by operation, paths and headers. */
export const parameters: Descriptions = {
  ListDeliveriesQuery: {
    self: 'Which deliveries to list. One of `from` and `clientOrderReference` is required.',
    clientOrderReference: 'The reference of one order: gives one delivery or none, and ignores the times.',
    from: 'Created at this time or later.',
    to: 'Created before this time. Default now.',
    status: 'Only deliveries with this status.',
  },
  ListDriversQuery: {
    self: 'Which drivers to list.',
    teamId: 'Only drivers of this team.',
    onDuty: 'Only drivers who are at work, or only others.',
  },
  ListEventsQuery: {
    self: 'Which events to list.',
    delivered: '`false` lists only events whose webhook was not delivered.',
    deliveryId: 'Only events of this delivery.',
    eventType: 'Only events of these types.',
    since: 'Happened at this time or later. Default 24 hours ago, at most 30 days ago.',
    until: 'Happened before this time. Default now.',
  },
  ListInstallationsQuery: {
    self: 'Which installations to list.',
    acceptingDeliveries: 'Only installations that take deliveries now, or only others.',
    branch: 'Only installations of this service branch.',
    state: 'Only installations in this US state or territory, two upper-case letters.',
  },
  Path: {
    self: 'What a path names.',
    driverId: 'The id of the driver, as `listDrivers` returns it.',
    installationCode: 'The code of the installation, such as `FTBRAGG`.',
  },
  Header: {
    self: 'What a header says.',
    'createDelivery.idempotencyKey':
      'The same key and body within 24 hours get the first response again, and nothing is dispatched twice: 1 to 128 printable ASCII characters.',
  },
}
