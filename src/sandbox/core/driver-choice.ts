import type { DeliveryRow, DriverRow, World } from '../model.js'
import { hashFraction, varietyOf } from './hash.js'

/** Whether a driver may be given orders. */
function isAvailable(driver: DriverRow): boolean {
  return driver.onDuty && driver.status === 'active'
}

/** Whether a driver has a credential for the installation that is still good. */
export function hasCredential(driver: DriverRow, installationCode: string, atMs: number): boolean {
  return driver.credentials.some(
    (credential) => credential.installationCode === installationCode && credential.expiresAtMs > atMs,
  )
}

/** The drivers who could take an order at this moment: on duty, of its team, with the credential it asks for. */
export function eligibleDrivers(
  world: Pick<World, 'drivers'>,
  order: { installationCode?: string | undefined; teamReference?: string | undefined },
  atMs: number,
): DriverRow[] {
  const { installationCode, teamReference } = order
  return world.drivers().filter((driver) => {
    if (!isAvailable(driver)) return false
    if (teamReference !== undefined && !driver.teams.includes(teamReference)) return false
    return installationCode === undefined || hasCredential(driver, installationCode, atMs)
  })
}

/**
 * The driver for a delivery: always the same for the same delivery and fleet, and another one than before if it is
 * re-dispatched and there is a choice. `undefined` if nobody can take it.
 */
export function chooseDriver(world: World, row: DeliveryRow, atMs: number): DriverRow | undefined {
  const previous = row.autopilot?.previousDriverId
  const candidates = eligibleDrivers(world, needsOf(row), atMs)
  const others = candidates.filter((driver) => driver.id !== previous)
  const choice = others.length > 0 ? others : candidates
  return choice[Math.floor(hashFraction(varietyOf(row), String(previous ?? '')) * choice.length)]
}

function needsOf(row: Pick<DeliveryRow, 'order'>): { installationCode?: string; teamReference?: string } {
  const installationCode = row.order.dropoff.installation?.code
  const teamReference = row.order.dispatch?.teamReference
  return {
    ...(installationCode === undefined ? {} : { installationCode }),
    ...(teamReference === undefined ? {} : { teamReference }),
  }
}
