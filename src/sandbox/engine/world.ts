import type { Account, World } from '../model.js'
import { accountsOf } from './accounts.js'
import { capacityOf, type Engine, switchesOf } from './engine.js'

/** The core's view of what is stored, for one account at one moment. */
export function worldOf(engine: Engine, account: Account, nowMs: number): World {
  const { store, identifiers } = engine
  return {
    nowMs,
    account,
    accounts: accountsOf(store),
    switches: switchesOf(store),
    capacity: capacityOf(store),
    publicUrl: engine.publicUrl(),
    delivery: (deliveryId) => store.deliveries.get(deliveryId),
    deliveryByReference: (reference) => store.deliveries.byReference(account.accountId, reference),
    openDeliveriesAt: (installationCode) => store.deliveries.openAt(installationCode),
    deliversTo: (accountId, installationCode) => store.deliveries.hasDeliveredTo(accountId, installationCode),
    quote: (quoteId) => store.quotes.get(quoteId),
    installation: (code) => store.fixtures.installations().get(code),
    installations: () => [...store.fixtures.installations().values()],
    driver: (driverId) => store.fixtures.drivers().get(driverId),
    drivers: () => [...store.fixtures.drivers().values()],
    activeDriverIds: () => store.deliveries.activeDriverIds(account.accountId),
    newId: (prefix) => identifiers.next(prefix, nowMs),
  }
}
