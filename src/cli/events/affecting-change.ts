import type { Client } from '../../client/index.js'
import { DlvError, type Installation, installationEventTypes, UsageError } from '../../contract/index.js'
import { recordAt, tryParseJson } from '../../shared/json.js'
import {
  type AffectingChange,
  changeIn,
  changeThatStands,
  installationIn,
  type PolicyChange,
} from '../../trade/policy-changes.js'
import type { EventService } from './event-service.js'
import { eventsOfService } from './replay-source.js'

/** The change that an `access_policy_changed` event tells of. Throws `UsageError` for any other event. */
export async function affectingChange(
  client: Client,
  service: EventService,
  eventId: string,
): Promise<AffectingChange> {
  const events = eventsOfService({ service, journal: undefined, warn() {} }, [eventId], { query: {} })
  for await (const { body } of events) {
    const event = tryParseJson(Buffer.from(body).toString())?.value
    const code = installationIn(event)
    if (code === undefined) continue
    const told = changeIn(event)
    const [now, later] = await Promise.all([
      // What the event says of the installation stands in for an answer.
      client.getInstallation({ installationCode: code }).catch((error: unknown) => {
        if (error instanceof DlvError) return undefined
        throw error
      }),
      changesAfter(client, code, told.atMs),
    ])
    const installation: Installation = { ...recordAt(event, 'installation'), ...now, code }
    return { ...changeThatStands(told, later), installation }
  }
  throw new UsageError(`--affected: event "${eventId}" changes the policy of no installation.`, {
    hint: 'dlv events list --type access_policy_changed lists those that do.',
  })
}

async function changesAfter(client: Client, code: string, atMs: number): Promise<PolicyChange[]> {
  const eventType = [...installationEventTypes]
  const changes: PolicyChange[] = []
  if (!Number.isFinite(atMs)) return changes
  for await (const { data } of client.each('listEvents', { since: new Date(atMs + 1).toISOString(), eventType }))
    if (installationIn(data) === code) changes.push(changeIn(data))
  return changes
}
