import { canonicalJson } from '../../shared/canonical-json.js'
import type { Account, Decision, DriverRow, EventDraft, World } from '../model.js'
import { inNameOf } from './accounts.js'
import { driverEvent } from './events.js'
import { driverProfile } from './fleet.js'
import { Refusal } from './refusal.js'

export type DriverPatch = Partial<Omit<DriverRow, 'id'>>

/**
 * Creates a driver, or changes one that exists, and tells the accounts with a fleet of their own: `driver.created`;
 * `driver.duty_changed` if the duty changed; `driver.updated` if anything else did. Answers the driver.
 */
export function putDriver(world: World, driverId: string, patch: DriverPatch): Decision {
  const before = world.driver(driverId)
  const after: DriverRow = { ...(before ?? newDriver(driverId)), ...patch, id: driverId }
  const events = before === undefined ? tell(world, after, 'driver.created') : eventsOfChange(world, before, after)
  return { status: 200, body: driverProfile(world, after), drivers: [after], events }
}

/** Removes a driver and tells of it by `driver.deleted`. Throws `DRIVER_NOT_FOUND`. */
export function deleteDriver(world: World, driverId: string): Decision {
  const driver = world.driver(driverId)
  if (driver === undefined) throw new Refusal('DRIVER_NOT_FOUND', `No driver "${driverId}" exists.`)
  const events = tell(world, driver, 'driver.deleted')
  return { status: 200, body: driverProfile(world, driver), removedDriverIds: [driverId], events }
}

function eventsOfChange(world: World, before: DriverRow, after: DriverRow): EventDraft[] {
  const { onDuty: wasOnDuty, ...othersBefore } = before
  const { onDuty, ...othersAfter } = after
  const hasDutyChanged = wasOnDuty !== onDuty
  const isUpdated = canonicalJson(othersBefore) !== canonicalJson(othersAfter)
  return [
    ...(isUpdated ? tell(world, after, 'driver.updated') : []),
    ...(hasDutyChanged ? tell(world, after, 'driver.duty_changed') : []),
  ]
}

function tell(world: World, driver: DriverRow, eventType: Parameters<typeof driverEvent>[2]): EventDraft[] {
  return fleetAccounts(world).map((account) => driverEvent(inNameOf(world, account), driver, eventType))
}

/** Driver events belong to accounts with fleet management. */
function fleetAccounts(world: World): Account[] {
  return world.accounts.filter((account) => account.capabilities.ownedFleetDispatch)
}

function newDriver(id: string): DriverRow {
  return {
    id,
    name: `Driver ${id}`,
    phoneNumber: '+12025550130',
    vehicleDescription: 'White van',
    onDuty: true,
    status: 'active',
    teams: [],
    credentials: [],
  }
}
