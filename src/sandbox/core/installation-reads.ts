import { z } from 'zod'
import { type InstallationListQuery, limits } from '../../contract/index.js'
import type { Handler, InstallationRow, World } from '../model.js'
import { readCursor, writeCursor } from './cursor.js'
import { fixtureState, restlessInstallation } from './fixtures.js'
import { withFuture } from './future.js'
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
