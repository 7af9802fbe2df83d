import { deliveryOperations } from './deliveries.js'
import { fleetOperations } from './drivers.js'
import { eventOperations } from './events.js'
import { installationOperations } from './installations.js'
import type { DescribedRow, Operation } from './operation.js'
import type { OperationTypes } from './operations.generated.js'
import { platformOperations } from './platform.js'
import { quoteOperations } from './quotes.js'
import { simulationOperations } from './simulation.js'

type Rows = typeof platformOperations &
  typeof quoteOperations &
  typeof deliveryOperations &
  typeof simulationOperations &
  typeof fleetOperations &
  typeof installationOperations &
  typeof eventOperations

/** The rows by the names of their operations; each name and each member of a row has its description in an editor. */
export type Operations = { readonly [Name in keyof OperationTypes]: DescribedRow<Rows[Name]> }

/** Every operation of the contract, one row each. */
export const operations: Operations = {
  ...platformOperations,
  ...quoteOperations,
  ...deliveryOperations,
  ...simulationOperations,
  ...fleetOperations,
  ...installationOperations,
  ...eventOperations,
}

/** The name of an operation. */
export type OperationName = keyof OperationTypes
/** The input of an operation: path parameters by name, and `query`, `body` and `idempotencyKey` if it has them. */
export type InputOf<Name extends OperationName> = OperationTypes[Name]['input']
/** The body of a successful response. */
export type OutputOf<Name extends OperationName> = OperationTypes[Name]['output']

/** The same rows typed as `Operation`, for code that treats all operations alike. */
export const operationRows: Readonly<Record<OperationName, Operation>> = operations
/** The names of all operations. */
export const operationNames = Object.keys(operations) as OperationName[]
