import { z } from 'zod'
import { type InstallationListQuery, limits } from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import type { DriverRow, Handler, InstallationRow, World } from '../model.js'
import { fixtureState, restlessInstallation } from './fixtures.js'
import { driverProfile, teamViews } from './fleet.js'
import { hashFraction, withFuture } from './hash.js'
import { installationDetail, installationListItem } from './installations.js'
import { flap } from './policy-change.js'
import { Refusal, refuseMagicId } from './refusal.js'
import { evaluateStop } from './serviceability.js'

const InstallationKey = z.tuple([z.string()])

/** By code, page by page. The invented installations are shown only to those who ask for their state. */
export const listInstallations: Handler<'listInstallations'> = {
  decide(world, { query = {} }) {
    const { cursor, limit = limits.pageSizeDefault, ...filters } = query
    const [after] = cursor === undefined ? [''] : readCursor('installations', filters, InstallationKey, cursor)
    const found = world
      .installations()
      .filter((installation) => installation.code > after && matches(installation, filters))
      .sort((a, b) => (a.code < b.code ? -1 : 1))
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const nextCursor =
      found.length > page.length && last !== undefined ? writeCursor('installations', filters, [last.code]) : null
    return { status: 200, body: { installations: page.map(installationListItem), nextCursor } }
  },
}

/** One installation with its access policy as it is now. */
export const getInstallation: Handler<'getInstallation'> = {
  decide(world, { installationCode }) {
    const installation = findInstallation(world, installationCode)
    if (installationCode !== restlessInstallation) return { status: 200, body: installationDetail(world, installation) }
    const changed = flap(world)
    const shown = changed.installations?.[0] ?? installation
    return { ...changed, status: 200, body: installationDetail(world, shown) }
  },
}

/** Whether a stop can be served at a moment. */
export const checkServiceability: Handler<'checkServiceability'> = {
  decide(world, { body }) {
    if (body.dropoff.address === undefined && body.dropoff.installation?.code === undefined)
      throw new Refusal('VALIDATION_ERROR', 'A stop needs an address or an installation.', {
        fieldErrors: [
          { field: 'dropoff.address', code: 'REQUIRED', message: 'is needed unless an installation is named' },
        ],
      })
    const answer = withFuture(world, 'serviceability', evaluateStop(world, body))
    const isRestless = body.dropoff.installation?.code === restlessInstallation
    return isRestless ? { ...flap(world), status: 200, body: answer } : { status: 200, body: answer }
  },
}

function findInstallation(world: World, code: string): InstallationRow {
  refuseMagicId(code, 'installation')
  const installation = world.installation(code)
  if (installation === undefined)
    throw new Refusal('INSTALLATION_NOT_FOUND', `No installation "${code}" exists.`, {
      details: { installationCode: code },
    })
  return installation
}

function matches(
  installation: InstallationRow,
  { state, branch, acceptingDeliveries }: Omit<z.infer<typeof InstallationListQuery>, 'cursor' | 'limit'>,
): boolean {
  if (state === undefined ? installation.state === fixtureState : installation.state !== state) return false
  if (branch !== undefined && installation.branch !== branch) return false
  return acceptingDeliveries === undefined || installation.acceptingDeliveries === acceptingDeliveries
}

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

/**
 * Cursors of a list that is read in the order of a key: the last key of the page before, bound to the list and its
 * filters, so that a cursor of another query is refused and no row is skipped or seen twice.
 */

/** A cursor that continues after `key` in the list that these filters give. */
export function writeCursor(list: string, filters: object, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([fingerprint(list, filters), ...key])).toString('base64url')
}

/** The key to continue after; throws `VALIDATION_ERROR` 400 for a cursor that is broken or of another query. */
export function readCursor<Key>(list: string, filters: object, shape: z.ZodType<Key>, cursor: string): Key {
  const [made, ...rest] = decoded(cursor)
  if (typeof made !== 'string') throw refusal('is not a cursor of this service')
  if (made !== fingerprint(list, filters)) throw refusal('belongs to a list with other filters')
  const key = shape.safeParse(rest)
  if (!key.success) throw refusal('is not a cursor of this service')
  return key.data
}

function decoded(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    // Not JSON: somebody else's cursor.
    return []
  }
}

function fingerprint(list: string, filters: object): string {
  return Math.floor(hashFraction(list, canonicalJson(filters)) * 2 ** 32).toString(36)
}

function refusal(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The cursor ${message}.`, {
    status: 400,
    fieldErrors: [{ field: 'query.cursor', code: 'INVALID_CURSOR', message }],
  })
}
