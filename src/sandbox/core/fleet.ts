import type { DriverProfile, Team } from '../../contract/index.js'
import { dayMs } from '../../shared/durations.js'
import type { DriverRow, World } from '../model.js'
import { hashFraction, withFuture } from './hash.js'

/** The dispatch teams of an owned fleet. How many work in one is counted from the drivers. */
export const teams: readonly { id: string; name: string; hubDestinationId: string }[] = [
  { id: 'team_north', name: 'North', hubDestinationId: 'dst_hub_1' },
  { id: 'team_south', name: 'South', hubDestinationId: 'dst_hub_2' },
  { id: 'team_base', name: 'Base access', hubDestinationId: 'dst_hub_3' },
]

type Profile = [name: string, phoneNumber: string, vehicle: string, teams: string[], state?: 'off_duty' | 'inactive']

const profiles: readonly Profile[] = [
  ['Maya R.', '+19105550131', 'White Ford Transit', ['team_north', 'team_base']],
  ['Jonah K.', '+12545550132', 'Blue Toyota Prius', ['team_north']],
  ['Priya S.', '+17195550133', 'Silver Honda Civic', ['team_base']],
  ['Luis A.', '+15205550134', 'Red Nissan Rogue', ['team_south', 'team_base']],
  ['Grace T.', '+17605550135', 'Green Subaru Outback', ['team_south']],
  ['Omar F.', '+17575550136', 'Black Chevrolet Bolt', ['team_base']],
  ['Leilani P.', '+18085550137', 'White Toyota Tacoma', ['team_south', 'team_base']],
  ['Erik N.', '+19075550138', 'Grey Ford Escape', ['team_north']],
  ['Rosa C.', '+16715550139', 'Yellow Kia Soul', ['team_base']],
  ['Dwayne B.', '+17875550140', 'Blue Hyundai Kona', ['team_south'], 'off_duty'],
  ['Hana W.', '+12535550141', 'Silver Toyota Sienna', ['team_north'], 'off_duty'],
  ['Victor M.', '+12095550142', 'White Dodge Caravan', ['team_north'], 'inactive'],
]

/** An installation that no driver has a credential for. */
const uncredentialedInstallation = 'ZZNODRIVER'

/**
 * The drivers as they are at the beginning. The base access team has a credential for every installation given, each
 * other driver for about a third of them; they run for years, so that a clock set ahead still finds somebody.
 */
export function seedDrivers(nowMs: number, installationCodes: readonly string[]): DriverRow[] {
  const places = installationCodes.filter((code) => code !== uncredentialedInstallation)
  return profiles.map(([name, phoneNumber, vehicleDescription, teamIds, state], index) => {
    const isBaseTeam = teamIds.includes('team_base')
    const held = places.filter((code) => isBaseTeam || hashFraction(name, code) < 1 / 3)
    return {
      id: `drv_${String(index + 1).padStart(2, '0')}`,
      name,
      phoneNumber,
      vehicleDescription,
      onDuty: state === undefined,
      status: state === 'inactive' ? 'inactive' : 'active',
      teams: teamIds,
      credentials: held.map((installationCode) => ({
        installationCode,
        expiresAtMs: nowMs + Math.round((700 + 800 * hashFraction(installationCode, name)) * dayMs),
      })),
    }
  })
}

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
