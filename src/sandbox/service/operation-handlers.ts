import type { OperationName } from '../../contract/index.js'
import { handlers } from '../core/handlers.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Account, CoreOperation, Decision, HandlerInput, World } from '../model.js'
import { listDeliveries, listEvents } from './lists.js'

/** What an operation decides: rows to write and an answer, or an answer whose JSON is written already. */
export type HandlerResult = { decision: Decision } | { json: string }

/** An operation as the shell calls it, with no types of its own left. */
export interface OperationHandler {
  /** Throws if the account or the path is refused. */
  admit(engine: Engine, account: Account, parameters: Readonly<Record<string, string>>): void
  decide(engine: Engine, world: World, input: unknown): HandlerResult
}

function core<Name extends CoreOperation>(name: Name): OperationHandler {
  const handler = handlers[name]
  return {
    admit: (engine, account, parameters) =>
      handler.admit?.(worldOf(engine, account, engine.clock.nowMs()), parameters as never),
    decide: (_, world, input) => ({ decision: handler.decide(world, input as HandlerInput<Name>) }),
  }
}

/** Health needs no account and is answered apart. */
export type AuthenticatedOperation = Exclude<OperationName, 'getHealth'>

/** Every operation of the table with what answers it: one that is missing does not compile. */
export const operationHandlers: Readonly<Record<AuthenticatedOperation, OperationHandler>> = {
  getCapabilities: core('getCapabilities'),
  createQuote: core('createQuote'),
  createDelivery: core('createDelivery'),
  getDelivery: core('getDelivery'),
  updateDelivery: core('updateDelivery'),
  cancelDelivery: core('cancelDelivery'),
  simulateDelivery: core('simulateDelivery'),
  listDrivers: core('listDrivers'),
  getDriver: core('getDriver'),
  listTeams: core('listTeams'),
  listInstallations: core('listInstallations'),
  getInstallation: core('getInstallation'),
  checkServiceability: core('checkServiceability'),
  listDeliveries: {
    admit: () => undefined,
    decide: (engine, world, input) => ({
      json: listDeliveries(engine.store, world, input as HandlerInput<'listDeliveries'>),
    }),
  },
  listEvents: {
    admit: () => undefined,
    decide: (engine, world, input) => ({ json: listEvents(engine.store, world, input as HandlerInput<'listEvents'>) }),
  },
}
