import { withHint } from '../../../client/internal.js'
import { ApiError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { fieldFlags } from '../order-flags.js'

/** An error of the service; one that misses fields of the order says which flags set them. */
export function withMissingFlags(error: unknown, order: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const refused = new Set(error.fieldErrors.map(({ field }) => field))
  const missing = Object.entries(fieldFlags).filter(([, path]) => refused.has(path) && valueAt(order, path) == null)
  if (missing.length === 0) return error
  return withHint(error, missing.map(([flag, path]) => `--${flag} sets ${path}.`).join(' '))
}
