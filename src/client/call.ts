import type { HeaderReader } from './transport/transport.js'

/** A result with the details of its response. */
export interface CallResult<Output> {
  /** The service's own object, unknown properties and key order kept. */
  value: Output
  /** The HTTP status. */
  status: number
  /** The id of the request: give it to the service's support. */
  requestId: string | undefined
  /** Whether the service recognised the idempotency key and gave the stored answer. */
  replayed: boolean
  /** Whether the answer to an earlier attempt of this call was lost: a stored answer may then be this call's own. */
  wasLost: boolean
  /** The headers of the response. */
  headers: HeaderReader
  /** The answer's own bytes, unpacked: what `value` was read from. */
  body: Uint8Array
  /** Number of attempts. */
  attempts: number
}
