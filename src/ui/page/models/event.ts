import type { EventVerdict } from '../../wire/events.js'
import type { Outcome } from '../../wire/live.js'

/** A body on many lines; text that is not JSON as it is. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // What a stranger sent under a valid signature need not be JSON.
    return body
  }
}

export function verdictOutcome({ state }: EventVerdict): Outcome {
  return state === 'verified' ? 'good' : state === 'rejected' ? 'bad' : 'neutral'
}
