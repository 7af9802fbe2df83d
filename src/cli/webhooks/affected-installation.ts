import { UsageError } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { EventService } from '../events/event-service.js'
import { eventsOfService } from './replay-source.js'

/** The installation of an `access_policy_changed` event. Throws `UsageError` for any other event. */
export async function affectedInstallation(service: EventService, eventId: string): Promise<string> {
  const events = eventsOfService({ service, journal: undefined, warn() {} }, [eventId], { query: {} })
  for await (const { body } of events) {
    const event = tryParseJson(Buffer.from(body).toString())?.value
    const installation = isRecord(event) ? event.installation : undefined
    if (isRecord(installation) && typeof installation.code === 'string') return installation.code
  }
  throw new UsageError(`--affected: event "${eventId}" changes the policy of no installation.`, {
    hint: 'dlv events list --type access_policy_changed lists those that do.',
  })
}
