import type { HttpMethod, Operation } from './operation.js'
import type { Shape } from './shape.js'

/** A row of the contract as a caller needs it: how to ask, and what an answer looks like. */
export interface OperationDescriptor extends Pick<Operation, 'path' | 'authenticated' | 'idempotencyKey' | 'pageOf'> {
  readonly method: HttpMethod
  /** By HTTP status, as the row's `responses`. */
  readonly answers: Readonly<Partial<Record<keyof Operation['responses'], Shape>>>
}
