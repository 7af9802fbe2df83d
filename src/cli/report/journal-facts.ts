import type { JournalReader } from '../../listener/index.js'
import { type EventFact, eventFact } from '../../report/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The facts of received events, with the time of their arrival. Skips what is not an event of the contract. */
export async function* factsOfJournal(journal: Pick<JournalReader, 'list'>, fromMs: number): AsyncGenerator<EventFact> {
  for await (const event of journal.list()) {
    const data = tryParseJson(event.body)?.value
    if (!isRecord(data) || event.eventType === undefined || event.occurredAt === undefined) continue
    const record = { eventId: event.id, eventType: event.eventType, occurredAt: event.occurredAt, data }
    // A pulled event says nothing about the latency of its webhook.
    const fact = eventFact(record, event.source === 'webhook' ? event.receivedAtMs : undefined)
    if (fact !== undefined && fact.occurredAtMs >= fromMs) yield fact
  }
}
