import type { JournalReader } from '../../listener/index.js'
import { type EventFact, eventFact } from '../../report/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The facts of received events, with the moment of their arrival. What is no event of the contract is passed over. */
export async function* factsOfJournal(journal: Pick<JournalReader, 'list'>, fromMs: number): AsyncGenerator<EventFact> {
  for await (const event of journal.list()) {
    const data = tryParseJson(event.body)?.value
    if (!isRecord(data) || event.eventType === undefined || event.occurredAt === undefined) continue
    const record = { eventId: event.id, eventType: event.eventType, occurredAt: event.occurredAt, data }
    // A pulled event says nothing about how long its webhook took.
    const fact = eventFact(record, event.source === 'webhook' ? event.receivedAtMs : undefined)
    if (fact !== undefined && fact.occurredAtMs >= fromMs) yield fact
  }
}
