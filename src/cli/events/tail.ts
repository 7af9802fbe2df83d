import type { Client } from '../../client/index.js'
import { ConnectionError, type EventRecord } from '../../contract/index.js'

/** How events are followed. */
export interface TailOptions {
  since: string
  pollMs: number
  signal: AbortSignal
  /** Resolves after the span, or as soon as the signal aborts. */
  sleep: (spanMs: number) => Promise<void>
}

/** How many ids are remembered, so that an event at the edge of two looks comes once. */
const rememberedIds = 10_000

/** Events as they happen, oldest first, each once; ends where the signal aborts. */
export async function* tailEvents(
  client: Client,
  query: { deliveryId?: string; eventType?: string[] },
  { since, pollMs, signal, sleep }: TailOptions,
): AsyncGenerator<EventRecord, void, undefined> {
  const seen = new Set<string>()
  let from = since
  try {
    while (!signal.aborted) {
      for await (const event of client.each('listEvents', { ...query, since: from })) {
        if (seen.has(event.eventId)) continue
        seen.add(event.eventId)
        const [oldest] = seen
        if (seen.size > rememberedIds && oldest !== undefined) seen.delete(oldest)
        if (event.occurredAt > from) from = event.occurredAt
        yield event
      }
      await sleep(pollMs)
    }
  } catch (error) {
    const isEnded = signal.aborted && (isAbort(error) || error instanceof ConnectionError)
    if (!isEnded) throw error
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
