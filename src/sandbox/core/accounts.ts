import { limits, marketplaceCapabilities } from '../../contract/index.js'
import type { Account, World } from '../model.js'

/** What an account with a fleet of its own can do. */
export const fleetCapabilities = { ...marketplaceCapabilities, ownedFleetDispatch: true, routeOptimization: true }

function account(
  name: string,
  changes: Partial<Omit<Account, 'capabilities'>> & Partial<Pick<Account, 'capabilities'>>,
) {
  return {
    accountId: `acc_${name}`,
    apiKey: `dlvk_sbx_${name}`,
    accountType: 'marketplace',
    livemode: false,
    capabilities: marketplaceCapabilities,
    maxRequestsPerSecond: limits.defaultRequestsPerSecond,
    ...changes,
  } satisfies Account
}

/** The accounts of every sandbox: one for every kind that the contract tells apart. The first is the default. */
export const accounts: readonly [Account, ...Account[]] = [
  account('marketplace', {}),
  account('ownedfleet', { accountType: 'owned_fleet', capabilities: fleetCapabilities }),
  account('noquotes', { capabilities: { ...marketplaceCapabilities, quotes: false } }),
  account('noreturns', {
    capabilities: {
      ...marketplaceCapabilities,
      returns: false,
      cancellationFees: false,
      driverLocationStreaming: false,
      itemLevelPackage: false,
      requirementEnforcement: false,
    },
  }),
  account('nolocations', { capabilities: { ...marketplaceCapabilities, driverLocationStreaming: false } }),
  account('slow', { maxRequestsPerSecond: 1 }),
  account('fast', { maxRequestsPerSecond: 100_000 }),
  account('live', { apiKey: 'dlvk_live_demo', livemode: true }),
]

/** A key that was an account's once: it is refused like one that never was. */
export const revokedKey = 'dlvk_sbx_revoked'

/** The same world seen by another account; its methods are called on the original, whatever that is made of. */
export function inNameOf(world: World, account: Account): World {
  return {
    nowMs: world.nowMs,
    account,
    accounts: world.accounts,
    switches: world.switches,
    capacity: world.capacity,
    publicUrl: world.publicUrl,
    delivery: (deliveryId) => world.delivery(deliveryId),
    deliveryByReference: (reference) => world.deliveryByReference(reference),
    openDeliveriesAt: (code) => world.openDeliveriesAt(code),
    deliversTo: (accountId, code) => world.deliversTo(accountId, code),
    quote: (quoteId) => world.quote(quoteId),
    installation: (code) => world.installation(code),
    installations: () => world.installations(),
    driver: (driverId) => world.driver(driverId),
    drivers: () => world.drivers(),
    activeDriverIds: () => world.activeDriverIds(),
    newId: (prefix) => world.newId(prefix),
  }
}
