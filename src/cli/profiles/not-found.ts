import { UsageError } from '../../contract/index.js'
import { didYouMean, suggestions } from '../../shared/suggestions.js'

/** The error for an unknown profile name. */
export function notFound(name: string, known: readonly string[]): UsageError {
  const near = suggestions(name, known)
  const hint =
    didYouMean(near) ?? (known.length > 0 ? `Choose one of: ${known.join(', ')}.` : 'dlv profiles add NAME adds one.')
  return new UsageError(`Profile "${name.slice(0, 80)}" not found.`, { hint })
}
