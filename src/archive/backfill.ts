import { ContractError } from '../contract/index.js'
import { type ArchiveService, type FillOptions, pageSize } from './fill.js'
import type { ArchiveWriter } from './writer.js'

/** Options of a backfill. */
interface BackfillOptions extends Pick<FillOptions, 'onProgress' | 'onWarning' | 'signal'> {
  /** The oldest creation that is fetched, in milliseconds since the epoch. */
  fromMs: number
}

/** Deliveries that are asked for at once; the client paces them. */
const atOnce = 20

/**
 * Fetches the deliveries that were created before the archive's events, newest first, each with its history. Continues
 * where an earlier backfill stopped. Returns the number of deliveries.
 *
 * @throws whatever a request fails with; UsageError if the archive cannot be written
 */
export async function backfillArchive(
  writer: ArchiveWriter,
  service: ArchiveService,
  { fromMs, onProgress, onWarning, signal }: BackfillOptions,
): Promise<number> {
  const eventsMs = writer.coverage('events')?.fromMs ?? (await service.nowMs())
  const known = writer.coverage('backfill')
  // What an earlier one covered is not fetched again; between it and the events there may be a gap by now.
  const untilMs = known === undefined || known.toMs < eventsMs ? eventsMs : known.fromMs
  const toMs = Math.max(known?.toMs ?? 0, eventsMs)
  if (known !== undefined && known.toMs < eventsMs) writer.keepOlder('backfill')
  let added = 0
  let atMs = untilMs
  for (let cursor: string | undefined; fromMs < untilMs; ) {
    const query = { from: isoTime(fromMs), to: isoTime(untilMs), limit: pageSize }
    const page = await service.listDeliveries(cursor === undefined ? query : { ...query, cursor })
    const whole: unknown[] = []
    for (let at = 0; at < page.deliveries.length && !signal?.aborted; at += atOnce) {
      const asked = page.deliveries.slice(at, at + atOnce)
      whole.push(...(await Promise.all(asked.map(({ deliveryId }) => service.getDelivery(deliveryId)))))
    }
    if (signal?.aborted) break
    for (const { createdAt } of page.deliveries) atMs = Math.min(atMs, Date.parse(createdAt ?? '') || atMs)
    cursor = page.nextCursor ?? undefined
    // Others that were created in the same millisecond may be on the next page.
    const reachedMs = cursor === undefined ? fromMs : atMs + 1
    const count = writer.writeDeliveries(whole, { fromMs: reachedMs, toMs, position: {} })
    if (count < whole.length) onWarning(`${whole.length - count} deliveries of the list could not be read.`)
    added += count
    onProgress?.({ added, atMs: untilMs + fromMs - reachedMs, fromMs, toMs: untilMs })
    if (cursor === undefined) break
    if (page.deliveries.length === 0) throw endless()
  }
  return added
}

function endless(): ContractError {
  return new ContractError('GET /deliveries gave an empty page with a cursor: the list would never end', {
    operation: 'listDeliveries',
    issues: ['deliveries: empty'],
  })
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString()
}
