import type { DriverProfile, Team } from '../../contract/index.js'
import type { DriverRow, World } from '../model.js'
import { teams } from './fleet.js'
import { withFuture } from './future.js'

/** A driver as the fleet's operations and events show one: without credentials, which are nobody else's business. */
export function driverProfile(world: Pick<World, 'switches'>, driver: DriverRow): DriverProfile {
  const { id, name, phoneNumber, onDuty, status, teams: teamIds, vehicleDescription } = driver
  return withFuture(world, 'driver', { id, name, phoneNumber, onDuty, status, teams: teamIds, vehicleDescription })
}

/** The teams with the number of drivers in each, as it is now. */
export function teamViews(drivers: readonly DriverRow[]): Team[] {
  return teams.map(({ id, name, hubDestinationId }) => ({
    id,
    name,
    workerCount: drivers.filter((driver) => driver.teams.includes(id)).length,
    hubDestinationId,
  }))
}
