import { ApiError, ConnectionError } from '../../contract/index.js'
import { failureKind } from './retry.js'

/**
 * Whether a failure is one that passes without anybody changing a setting: the service, a proxy or the network is away.
 * What lasts for hours waits for the end of it.
 */
export function isOutage(failure: unknown): boolean {
  if (failureKind(failure) !== 'final') return true
  if (failure instanceof ApiError) return failure.status >= 500
  return failure instanceof ConnectionError && ['tls', 'held'].includes(failure.reason)
}
