import { sampleEvent } from '../../webhooks/index.js'
import { withAssignments } from '../input/assignments.js'
import { parseKnownEventType } from '../input/event-types.js'

/** The body of a sample event of a type, with fields set as `path=value`. Throws `UsageError` for an unknown type. */
export function sampleBody(type: string, assignments: readonly string[]): string {
  return JSON.stringify(withAssignments(sampleEvent(parseKnownEventType(type, 'TYPE')), assignments))
}
