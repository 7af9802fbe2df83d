import type { HttpMethod, Operation } from './operation.js'
import type { Shape } from './shape.js'

/** A client's view of an operation: how to send the request, and the shapes of its responses. */
export interface OperationDescriptor
  extends Pick<Operation, 'path' | 'authenticated' | 'idempotencyKey' | 'repeat' | 'pageOf'> {
  /** In capitals, as it is sent. */
  readonly method: HttpMethod
  /** By HTTP status, as in `Operation`. */
  readonly responses: Readonly<Partial<Record<keyof Operation['responses'], Shape>>>
}
