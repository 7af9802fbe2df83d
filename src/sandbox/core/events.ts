import type { KnownDeliveryStatus } from '../../contract/index.js'
import type { Account, DeliveryRow, DriverRow, EventDraft, InstallationRow, World } from '../model.js'
import { deliveryView } from './delivery-view.js'
import { driverProfile } from './fleet.js'
import { withFuture } from './hash.js'
import { installationDetail } from './installations.js'
import { timestamp } from './trip-times.js'
import { contentFaultsOf, sendingFaultsOf, withContentFaults } from './webhook-faults.js'

/** The events of the contract as they are recorded and sent: whole bodies, `eventId` first. */

interface DeliveryEventExtra {
  previousStatus?: string
  eta?: { pickup: string; dropoff: string }
}

/** An event of a delivery with the snapshot of it as it stands. */
export function deliveryEvent(
  world: World,
  row: DeliveryRow,
  eventType: string,
  occurredAtMs: number,
  extra: DeliveryEventExtra = {},
): EventDraft {
  const eventId = world.newId('evt')
  const body = withFuture(world, 'event', {
    eventId,
    eventType,
    occurredAt: timestamp(occurredAtMs),
    ...(extra.previousStatus === undefined ? {} : { previousStatus: extra.previousStatus }),
    livemode: row.livemode,
    ...(extra.eta === undefined ? {} : { eta: extra.eta }),
    delivery: deliveryView(world, row, { history: false }),
  })
  return {
    eventId,
    eventType,
    occurredAtMs,
    audience: 'deliveries',
    accountId: row.accountId,
    livemode: row.livemode,
    deliveryId: row.deliveryId,
    body: withContentFaults(contentFaultsOf(row.hooks), body),
    hooks: sendingFaultsOf(row.hooks),
  }
}

/** The type of the event that says a delivery has reached a status. */
export function statusEventType(status: KnownDeliveryStatus): `delivery.${KnownDeliveryStatus}` {
  return `delivery.${status}`
}

/** An event of the fleet. A change of duty carries only the driver's id, name and duty. */
export function driverEvent(
  world: World,
  driver: DriverRow,
  eventType: 'driver.created' | 'driver.updated' | 'driver.deleted' | 'driver.duty_changed',
): EventDraft {
  const { id, name, onDuty } = driver
  const shown = eventType === 'driver.duty_changed' ? { id, name, onDuty } : driverProfile(world, driver)
  return accountEvent(world, world.account, eventType, 'drivers', { driver: shown })
}

/** The event of a changed access policy, for one of the accounts that deliver there. */
export function installationEvent(
  world: World,
  account: Account,
  installation: InstallationRow,
  change: { changed: readonly string[]; affectedDeliveryCount: number },
): EventDraft {
  return accountEvent(world, account, 'installation.access_policy_changed', 'deliveries', {
    ...change,
    installation: installationDetail(world, installation),
  })
}

function accountEvent(
  world: World,
  account: Account,
  eventType: string,
  audience: EventDraft['audience'],
  members: Record<string, unknown>,
): EventDraft {
  const eventId = world.newId('evt')
  const { accountId, livemode } = account
  const occurredAt = timestamp(world.nowMs)
  return {
    eventId,
    eventType,
    occurredAtMs: world.nowMs,
    audience,
    accountId,
    livemode,
    deliveryId: null,
    body: withFuture(world, 'event', { eventId, eventType, occurredAt, livemode, ...members }),
    hooks: [],
  }
}
