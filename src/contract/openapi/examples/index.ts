import { marketplaceCapabilities } from '../../capabilities.js'
import { limits } from '../../limits.js'
import type { OperationName } from '../../operations.js'
import type { Capabilities, Health } from '../../platform.js'
import { headers } from '../../wire-text.js'
import * as deliveries from './deliveries.js'
import * as events from './events.js'
import * as orders from './orders.js'
import * as places from './orders.js'

export { errorExample } from './events.js'

/** The body of a request; absent for operations without one. */
export const requestExamples: Readonly<Partial<Record<OperationName, object>>> = {
  createQuote: orders.quoteRequest,
  createDelivery: orders.order,
  updateDelivery: orders.update,
  cancelDelivery: orders.cancellation,
  simulateDelivery: orders.simulation,
  checkServiceability: orders.stop,
}

const capabilities: Capabilities = {
  accountType: 'marketplace',
  capabilities: { ...marketplaceCapabilities, maxRequestsPerSecond: limits.defaultRequestsPerSecond },
}

const health: Health = { status: 'healthy', checkedAt: '2026-03-02T15:00:00.000Z' }
const degraded: Health = { status: 'degraded', checkedAt: '2026-03-02T15:00:00.000Z' }

/** The body of a success, whatever its status, except of health. */
const responseExamples: Readonly<Record<OperationName, object>> = {
  getCapabilities: capabilities,
  getHealth: health,
  createQuote: deliveries.quotes,
  createDelivery: deliveries.accepted,
  getDelivery: deliveries.delivered,
  listDeliveries: deliveries.page,
  updateDelivery: deliveries.updated,
  cancelDelivery: deliveries.cancelled,
  simulateDelivery: deliveries.simulated,
  listDrivers: [places.driver],
  getDriver: places.driver,
  listTeams: [places.team],
  listInstallations: { installations: [places.listedInstallation], nextCursor: null },
  getInstallation: places.installation,
  checkServiceability: places.serviceability,
  listEvents: events.events,
}

export function responseExample(operation: string, status: string): object {
  return status === '503' ? degraded : responseExamples[operation as OperationName]
}

/** The body of a webhook by the name of its entry. */
export const webhookExamples = {
  deliveryEvent: events.deliveryEvent,
  driverEvent: events.driverEvent,
  installationEvent: events.installationEvent,
}

/** Parameters by name, or by operation and name. Cursors have no example, because one is valid only for its list. */
const parameterExamples: Readonly<Record<string, unknown>> = {
  deliveryId: deliveries.deliveryId,
  driverId: places.driver.id,
  installationCode: places.installation.code,
  clientOrderReference: orders.order.clientOrderReference,
  from: '2026-03-02T00:00:00Z',
  to: '2026-03-03T00:00:00Z',
  'listDeliveries.status': 'delivered',
  since: '2026-03-02T00:00:00Z',
  until: '2026-03-03T00:00:00Z',
  delivered: false,
  eventType: ['delivery.delivered', 'delivery.failed'],
  limit: 20,
  teamId: places.team.id,
  onDuty: true,
  state: 'NC',
  branch: 'army',
  acceptingDeliveries: true,
  'webhook-id': events.deliveryEvent.eventId,
  'webhook-timestamp': '1772463780',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
}

/** The example of a parameter as a member of its object; nothing where there is none. */
export function parameterExample(operation: string, name: string): { example?: unknown } {
  const verb = operation.replace(/[A-Z].*/, '')
  const example =
    name === headers.idempotencyKey
      ? `${verb}-${orders.order.clientOrderReference}`
      : (parameterExamples[`${operation}.${name}`] ?? parameterExamples[name])
  return example === undefined ? {} : { example }
}
