import { UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'

/** The error for an unknown profile name. */
export function notFound(name: string, known: readonly string[]): UsageError {
  const near = suggestions(name, known)
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((word) => `"${word}"`).join(' or ')}?`
      : known.length > 0
        ? `Choose one of: ${known.join(', ')}.`
        : 'dlv profiles add NAME adds one.'
  return new UsageError(`Profile "${name.slice(0, 80)}" not found.`, { hint })
}
