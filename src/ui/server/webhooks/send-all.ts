import { ApiError } from '../../../contract/index.js'
import type { Done } from '../../wire/deliveries.js'
import type { SentEventSummary } from '../../wire/webhooks.js'
import type { Backend, Control } from '../backend.js'
import { sendAgain } from '../events/send-again.js'
import { controlOf, Refused } from '../route.js'
import { matchingEvents } from './sent-events.js'

/** Events that are sent at the same time. */
const sentAtOnce = 4

/** Sends each event that matches and was sent before exactly once more, the oldest first. */
export async function sendAllThatMatch(backend: Backend, search: string): Promise<Done> {
  return sendEvents(backend, await matchingEvents(backend, search))
}

/** Sends events once more, given newest first, the oldest first. */
export async function sendEvents(backend: Backend, events: readonly SentEventSummary[]): Promise<Done> {
  const control = controlOf(backend, 'Use dlv events replay.')
  const waiting = events.toReversed()
  if (waiting.length === 0) throw new Refused(422, 'NOTHING_MATCHES', 'No event that was sent matches.')
  const count = waiting.length
  const failures: string[] = []
  const worker = async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const failure = await failureOfSending(control, event.eventId)
      if (failure !== undefined) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: sentAtOnce }, worker))
  const what = `${count} ${count === 1 ? 'event' : 'events'}`
  if (failures.length > 0)
    throw new Refused(
      422,
      'NOT_DELIVERED',
      `Sent ${what} again; a receiver did not take ${failures.length} of them (${[...new Set(failures)].slice(0, 3).join('; ')}).`,
    )
  return { message: `Sent ${what} again: all delivered.` }
}

/** Why a receiver did not take the event; `undefined` if each one did. */
async function failureOfSending(control: Control, eventId: string): Promise<string | undefined> {
  try {
    return (await sendAgain(control, eventId)).failed[0]
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}
