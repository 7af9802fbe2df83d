import { sampleEvent } from '../webhooks/index.js'
import { parseAssignment, withValue } from './paths.js'

/** The body of a made-up event of a type, with some fields set as `path=value`. Throws `UsageError` for an unknown type. */
export function sampleBody(type: string, assignments: readonly string[]): string {
  const event = assignments
    .map((text) => parseAssignment(text))
    .reduce<Record<string, unknown>>((made, { path, value }) => withValue(made, path, value), sampleEvent(type))
  return JSON.stringify(event)
}
