import type { Handler, Handlers } from '../model.js'
import { createDelivery } from './create-delivery.js'
import { createQuote } from './create-quote.js'
import { findDelivery } from './delivery-draft.js'
import { deliveryView } from './delivery-view.js'
import { withFuture } from './hash.js'
import {
  checkServiceability,
  getDriver,
  getInstallation,
  listDrivers,
  listInstallations,
  listTeams,
} from './installations-drivers-teams.js'
import { simulateDelivery } from './simulate-delivery.js'
import { cancelDelivery, updateDelivery } from './update-delivery.js'

const getCapabilities: Handler<'getCapabilities'> = {
  decide(world) {
    const { accountType, capabilities, maxRequestsPerSecond } = world.account
    const shown = withFuture(world, 'capabilities', { ...capabilities, maxRequestsPerSecond })
    return { status: 200, body: { accountType, capabilities: shown } }
  },
}

const getDelivery: Handler<'getDelivery'> = {
  decide(world, { deliveryId }) {
    return { status: 200, body: deliveryView(world, findDelivery(world, deliveryId), { history: true }) }
  },
}

/** The service's handlers, one per operation. Each is pure: it reads the world and returns a decision. */
export const handlers: Handlers = {
  getCapabilities,
  createQuote,
  createDelivery,
  getDelivery,
  updateDelivery,
  cancelDelivery,
  simulateDelivery,
  listDrivers,
  getDriver,
  listTeams,
  listInstallations,
  getInstallation,
  checkServiceability,
}
