import { sampleEvent } from '../../webhooks/index.js'
import { withAssignments } from '../input/assignments.js'

/** The body of a made-up event of a type, with some fields set as `path=value`. Throws `UsageError` for an unknown type. */
export function sampleBody(type: string, assignments: readonly string[]): string {
  return JSON.stringify(withAssignments(sampleEvent(type), assignments))
}
