import { deliveryStatuses, type KnownDeliveryStatus, UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'

/** Reads the name of a status; `flag` says in an error where it was given. A misspelt one would be waited for in vain. */
export function parseStatus(name: string, flag: string): KnownDeliveryStatus {
  const status = deliveryStatuses.find((known) => known === name)
  if (status !== undefined) return status
  const [near] = suggestions(name, deliveryStatuses, 1)
  throw new UsageError(`${flag} knows no "${name.slice(0, 80)}".`, {
    hint: near === undefined ? `It is one of ${deliveryStatuses.join(', ')}.` : `Did you mean ${near}?`,
  })
}
