import type { DriverRow, Handler, World } from '../model.js'
import { driverProfile, teamViews } from './fleet.js'
import { Refusal, refuseMagicId } from './refusal.js'

/** The whole fleet for an account that owns one; for others the drivers who are under way for it. */
export const listDrivers: Handler<'listDrivers'> = {
  decide(world, { query = {} }) {
    const { teamId, onDuty } = query
    const found = visibleDrivers(world).filter((driver) => {
      if (teamId !== undefined && !driver.teams.includes(teamId)) return false
      return onDuty === undefined || driver.onDuty === onDuty
    })
    return { status: 200, body: found.map((driver) => driverProfile(world, driver)) }
  },
}

/** One driver that the account's list shows; every other is unknown to it. */
export const getDriver: Handler<'getDriver'> = {
  decide(world, { driverId }) {
    return { status: 200, body: driverProfile(world, findDriver(world, driverId)) }
  },
}

/** The dispatch teams; none for an account without a fleet. */
export const listTeams: Handler<'listTeams'> = {
  decide(world) {
    return { status: 200, body: world.account.capabilities.ownedFleetDispatch ? teamViews(world.drivers()) : [] }
  },
}

function visibleDrivers(world: World): DriverRow[] {
  if (world.account.capabilities.ownedFleetDispatch) return world.drivers()
  const active = world.activeDriverIds()
  return world.drivers().filter((driver) => active.has(driver.id))
}

function findDriver(world: World, driverId: string): DriverRow {
  refuseMagicId(driverId, 'driver')
  const driver = visibleDrivers(world).find((candidate) => candidate.id === driverId)
  if (driver === undefined)
    throw new Refusal('DRIVER_NOT_FOUND', `No driver "${driverId}" exists.`, { details: { driverId } })
  return driver
}
