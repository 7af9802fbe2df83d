import { UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'

/** A command that does not exist; ends with 127. */
export class UnknownCommandError extends UsageError {
  constructor(typed: string, known: readonly string[]) {
    const shown = typed.slice(0, 80)
    const near = suggestions(shown, known)
    super(`There is no command "${shown}".`, {
      hint:
        near.length === 0
          ? 'dlv --help lists them all.'
          : `Did you mean ${near.map((word) => `"dlv ${word}"`).join(' or ')}?`,
    })
  }
}
