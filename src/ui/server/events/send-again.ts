import { isRecord } from '../../../shared/json.js'
import type { Control } from '../backend.js'

/** The result of asking the service to send an event again. */
interface SentAgain {
  delivered: number
  /** The responses of the receivers that did not accept it. */
  failed: string[]
}

/** Asks the sandbox to send an event to its receivers once more. */
export async function sendAgain(control: Control, eventId: string): Promise<SentAgain> {
  const answer = await control('POST', `/events/${encodeURIComponent(eventId)}/resend`)
  const attempts = isRecord(answer) && Array.isArray(answer.attempts) ? answer.attempts.filter(isRecord) : []
  const isDelivered = ({ outcome }: Record<string, unknown>) => outcome === 'delivered'
  return {
    delivered: attempts.filter(isDelivered).length,
    failed: attempts
      .filter((attempt) => !isDelivered(attempt))
      .map(({ statusCode, error }) =>
        typeof statusCode === 'number' ? `answered ${statusCode}` : String(error ?? 'no answer'),
      ),
  }
}
