import {
  type ArchiveReader,
  type ArchiveService,
  archivePaths,
  type CurrentOptions,
  currentArchive,
  hasArchive,
  type IncomingEvent,
  lacksOrders,
  openArchive,
  takeOrders,
} from '../../archive/index.js'
import type { Client } from '../../client/index.js'
import { ApiError, DlvError } from '../../contract/index.js'
import type { JournalReader } from '../../listener/index.js'
import { isRecord, textAt, tryParseJson } from '../../shared/json.js'
import { type Clocks, eventService } from '../events/event-service.js'

/** The service as an archive reads it, and the number of requests that it took. */
export function archiveService(client: Client, clocks: Clocks): ArchiveService & { requests(): number } {
  const events = eventService(client, clocks)
  let count = 0
  let asked: { atMs: number; monotonicMs: number } | undefined
  const counted = <Result>(result: Promise<Result>): Promise<Result> => {
    count++
    return result
  }
  return {
    requests: () => count,
    listEvents: (query) => counted(events.listEvents(query)),
    listDeliveries: (query) => counted(client.listDeliveries({ query })),
    getDelivery: (deliveryId) => counted(client.getDelivery({ deliveryId })).catch(absent),
    instance: () => events.instance(),
    async nowMs() {
      // A command that needs the time for its own flags asks once.
      if (asked !== undefined && performance.now() - asked.monotonicMs < justAskedMs) return asked.atMs
      const atMs = await counted(events.nowMs())
      asked = { atMs, monotonicMs: performance.now() }
      return atMs
    },
  }
}

/** For this long the service's time stands still. */
const justAskedMs = 500

/** A delivery that is gone by the time it is asked for is none. */
function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}

const journalPageSize = 500

/** The events of a journal, in the order of their arrival. One that is not JSON is passed on without its value. */
export async function* journalPages(journal: Pick<JournalReader, 'list'>): AsyncGenerator<IncomingEvent[]> {
  let page: IncomingEvent[] = []
  for await (const event of journal.list()) {
    const data = tryParseJson(event.body)?.value
    page.push({
      eventId: event.id,
      eventType: event.eventType ?? null,
      occurredAt: event.occurredAt ?? null,
      deliveryId: event.deliveryId ?? textAt(data, 'deliveryId') ?? null,
      lastDeliveryStatus: null,
      deliveryAttempts: null,
      body: event.body,
      data,
      problem: isRecord(data) ? undefined : 'is not a JSON object',
      // A pulled event says nothing about its webhook.
      receivedAtMs: event.source === 'webhook' ? event.receivedAtMs : undefined,
    })
    if (page.length < journalPageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** How long a command that has done its work waits for another process that writes the archive. */
const briefMs = 2_000

/**
 * Writes the answers of updates into the archive, if there is one: no event tells of them. If it cannot be written now, the
 * next event of each delivery does.
 */
export async function archiveAnswers(
  deliveries: readonly unknown[],
  { dataDir, account, nowMs }: { dataDir: string; account: string; nowMs: () => number },
): Promise<void> {
  const paths = archivePaths(dataDir, account)
  if (deliveries.length === 0 || !hasArchive(paths)) return
  try {
    const writer = await openArchive(paths, { nowMs, waitMs: briefMs })
    try {
      takeOrders(writer, dataDir, account)
      writer.writeDeliveries(deliveries)
    } finally {
      writer.close()
    }
  } catch (error) {
    if (!(error instanceof DlvError)) throw error
  }
}

/** Opens the archive of an account for a command that reads, with what is new. */
export async function openCurrentArchive(
  options: Omit<CurrentOptions, 'paths' | 'onOpened' | 'glances'> & {
    dataDir: string
    account: string
    /** Does not write a few new events: only `deliveries` of the reader has them. */
    isGlance?: boolean | undefined
  },
): Promise<ArchiveReader> {
  const { dataDir, account, isGlance = false } = options
  const paths = archivePaths(dataDir, account)
  const glances = isGlance ? (archive: ArchiveReader) => !lacksOrders(archive, dataDir, account) : undefined
  return currentArchive({ ...options, paths, glances, onOpened: (writer) => takeOrders(writer, dataDir, account) })
}
