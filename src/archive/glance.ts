import { existsSync } from 'node:fs'
import { oldestSinceMs } from '../contract/internal.js'
import { minuteMs } from '../shared/durations.js'
import { isRecord } from '../shared/json.js'
import { type ListedEvents, readListedEvents } from '../webhooks/index.js'
import { startOfListing } from '../webhooks/internal.js'
import { type ArchivePaths, againFile, hasArchive } from './database.js'
import { DeliveryDraft, type DeliveryRow } from './delivery-draft.js'
import { eventRows } from './event-rows.js'
import type { Coverage } from './files.js'
import { type ArchiveService, pageSize } from './fill.js'
import { ListingMoment, orderOf } from './ingest.js'
import { type ArchivedDelivery, ArchiveReader } from './reader.js'
import { deliveryColumns } from './tables.js'

interface GlanceOptions {
  paths: ArchivePaths
  /** This machine's clock, in milliseconds since the epoch. */
  nowMs: () => number
  /** The oldest creation that is asked for, on the service's clock. */
  fromMs: (serviceNowMs: number) => number
  /** Told of the failure if the service could not be asked, and the archive answers as it is. */
  onStale: (error: unknown) => void
}

/** After this time a fill looks back ten minutes again, for events that the service shows late. */
const fillDueMs = 3 * minuteMs
const lookBackMs = { always: minuteMs, late: 10 * minuteMs }

/** Whether the period that a command needs is in the archive, up to some time. */
export function isCovered(
  coverage: Coverage | undefined,
  serviceNowMs: number,
  { fromMs }: Pick<GlanceOptions, 'fromMs'>,
): coverage is Coverage {
  if (coverage === undefined || coverage.toMs <= coverage.fromMs) return false
  // The service lists a little less than it keeps.
  const oldestMs = oldestSinceMs(serviceNowMs) + minuteMs
  return coverage.fromMs <= Math.max(fromMs(serviceNowMs), oldestMs)
}

/**
 * The deliveries of an archive with what is new, without writing it: each of many archives would be locked, opened for
 * writing and synced to the disk for a few events. The next fill writes them.
 *
 * @param isWhole whether the archive lacks nothing else that a fill would add
 * @returns `undefined` if the archive is to be filled: it is not there, lacks the period, was filled three minutes ago or
 *   from another sandbox, or more than a page of events is new
 */
export async function glanceAt(
  service: ArchiveService,
  options: GlanceOptions,
  isWhole: (archive: ArchiveReader) => boolean,
): Promise<ArchiveReader | undefined> {
  const { paths, nowMs } = options
  if (!hasArchive(paths) || existsSync(againFile(paths))) return undefined
  const archive = ArchiveReader.open(paths)
  let glanced: ArchiveReader | undefined
  try {
    const estimatedMs = nowMs() + archive.clockAheadMs
    if (isCovered(archive.coverage, estimatedMs, options) && isWhole(archive))
      glanced = await withNewest(archive, archive.coverage, service, options)
  } finally {
    if (glanced === undefined) archive.close()
  }
  return glanced
}

async function withNewest(
  archive: ArchiveReader,
  coverage: Coverage,
  service: ArchiveService,
  { nowMs, onStale }: GlanceOptions,
): Promise<ArchiveReader | undefined> {
  let serviceNowMs: number
  let page: ListedEvents
  try {
    serviceNowMs = await service.nowMs()
    if (!isRecent(coverage, serviceNowMs) || wasReset(archive, service)) return undefined
    const sinceMs = startOfListing(coverage, lookBackMs.always, serviceNowMs)
    const since = new Date(sinceMs).toISOString()
    page = readListedEvents(await service.listEvents({ since, limit: pageSize }))
  } catch (error) {
    onStale(error)
    return archive
  }
  if (page.nextCursor !== undefined || page.nameless.length > 0 || wasReset(archive, service)) return undefined
  const news = changedDeliveries(archive, page)
  return news && archive.withNews(news, serviceNowMs, serviceNowMs - nowMs())
}

/** Whether the last fill looked back far enough, a short time ago, by a clock that was not set back since. */
function isRecent({ toMs, position }: Coverage, serviceNowMs: number): boolean {
  const lookedMs = isRecord(position.looked) ? Number(position.looked[lookBackMs.late]) : Number.NaN
  return toMs <= serviceNowMs && serviceNowMs - lookedMs < fillDueMs
}

/** Whether the sandbox that answers is, or may be, another one than that which the archive was filled from. */
function wasReset({ database }: ArchiveReader, service: ArchiveService): boolean {
  const instance = service.instance()
  if (instance === undefined) return false
  const known = database.prepare("SELECT value FROM settings WHERE name = 'sandbox_instance'").get()?.value
  return known !== instance
}

/** The deliveries that events of the service's list change; `undefined` if one of these cannot be read. */
function changedDeliveries(
  { database }: ArchiveReader,
  { events }: ListedEvents,
): Map<string, ArchivedDelivery> | undefined {
  const ids = JSON.stringify(events.map(({ eventId }) => eventId))
  const find = 'SELECT event_id, occurred_at FROM events WHERE event_id IN (SELECT value FROM json_each(?))'
  const found = database.prepare(find).all(ids)
  const known = new Map(found.map((row) => [String(row.event_id), String(row.occurred_at)]))
  const readRow = database.prepare('SELECT * FROM deliveries WHERE delivery_id = ?')
  const drafts = new Map<string, DeliveryDraft>()
  const moment = new ListingMoment()
  for (const event of events) {
    const knownAt = known.get(event.eventId)
    if (knownAt !== undefined) {
      moment.reach(knownAt)
      moment.pass(event.eventId)
      continue
    }
    const rows = eventRows(event)
    if (typeof rows === 'string') return undefined
    const { snapshot } = rows
    const { event_id: id, occurred_at: at } = rows.event
    moment.reach(at)
    if (snapshot !== undefined) {
      const { deliveryId } = snapshot
      const draft =
        drafts.get(deliveryId) ?? new DeliveryDraft(deliveryId, readRow.get(deliveryId) as DeliveryRow | undefined)
      drafts.set(deliveryId, draft)
      const { isNewest, isFirstEta } = moment.placeOf(snapshot, draft)
      draft.add(snapshot, isNewest, id, isFirstEta)
    }
    moment.pass(id)
  }
  const rowOf = (draft: DeliveryDraft) => {
    const row = draft.row(orderOf(draft.reference, (sql) => database.prepare(sql)))
    return Object.fromEntries(deliveryColumns.map((column) => [column, row[column] ?? null])) as ArchivedDelivery
  }
  return new Map([...drafts].map(([deliveryId, draft]) => [deliveryId, rowOf(draft)]))
}
