import { UsageError } from './dlv-error.js'
import { maxJsonDepth } from './json.js'

/** The error for JSON that is nested too deep; `what` names it, such as `The order`. */
export function tooDeep(what: string): UsageError {
  return new UsageError(`${what} is nested deeper than ${maxJsonDepth} levels`)
}
