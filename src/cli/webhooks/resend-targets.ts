import { UsageError } from '../../contract/index.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import type { ReplayableEvent } from '../../webhooks/index.js'
import { receivedEvent } from './replay-source.js'
import { parseRoutes } from './routes.js'

/** Events for one target. */
interface Resend {
  url: string
  events: ReplayableEvent[]
}

/**
 * The events to resend and their targets: the events with the given ids, or the newest one, to the given URL or along
 * the project file's routes.
 *
 * @throws UsageError if an event was never received, or has no target
 */
export async function resendTargets(
  journal: JournalReader,
  ids: readonly string[],
  to: string | undefined,
  projectRoutes: Readonly<Record<string, string>>,
): Promise<Resend[]> {
  const events = ids.length > 0 ? await Promise.all(ids.map((id) => receivedEvent(journal, id))) : await newest(journal)
  if (events.length === 0)
    throw new UsageError('The journal has no events yet.', { hint: 'Receive some with dlv webhooks listen.' })
  if (to !== undefined) return [{ url: to, events }]
  const { checkRoutes, targetsOf } = await import('../../listener/index.js')
  const routes = checkRoutes(parseRoutes([], projectRoutes, undefined))
  const byUrl = new Map<string, ReplayableEvent[]>()
  for (const event of events) {
    const urls = targetsOf(routes, event.eventType)
    if (urls.length === 0)
      throw new UsageError(`No target for ${event.id} (${event.eventType ?? 'no event type'}).`, {
        hint: 'Use --to URL, or add a route for its type to .dlv.json.',
      })
    for (const url of urls) byUrl.set(url, [...(byUrl.get(url) ?? []), event])
  }
  return [...byUrl].map(([url, sent]) => ({ url, events: sent }))
}

async function newest(journal: JournalReader): Promise<JournalEvent[]> {
  for await (const event of journal.list({ limit: 1 })) return [event]
  return []
}
