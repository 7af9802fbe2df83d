import { deliveryOperations } from './deliveries.js'
import { fleetOperations } from './drivers.js'
import { eventOperations } from './events.js'
import { installationOperations } from './installations.js'
import type { Operation, OperationInput, OperationOutput } from './operation.js'
import { platformOperations } from './platform.js'
import { quoteOperations } from './quotes.js'
import { simulationOperations } from './simulation.js'

/** Every operation of the contract, one row each. */
export const operations = {
  ...platformOperations,
  ...quoteOperations,
  ...deliveryOperations,
  ...simulationOperations,
  ...fleetOperations,
  ...installationOperations,
  ...eventOperations,
}

export type Operations = typeof operations
export type OperationName = keyof Operations
export type InputOf<Name extends OperationName> = OperationInput<Operations[Name]>
export type OutputOf<Name extends OperationName> = OperationOutput<Operations[Name]>

/** The same rows typed as `Operation`, for code that treats all operations alike. */
export const operationRows: Readonly<Record<OperationName, Operation>> = operations
export const operationNames = Object.keys(operations) as OperationName[]
