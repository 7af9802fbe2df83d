import type { Account, World } from '../model.js'

/** The same world seen by another account; its methods are called on the original, whatever that is made of. */
export function inNameOf(world: World, account: Account): World {
  return {
    nowMs: world.nowMs,
    account,
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
