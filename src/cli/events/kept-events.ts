import { ArchiveReader, archivePaths, gapsIn, hasArchive, inflated } from '../../archive/index.js'
import type { EventRecord } from '../../contract/index.js'
import type { JournalReader } from '../../listener/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { matchesStars } from '../../shared/word-match.js'
import { webhookStatusOf } from '../../trade/webhook-status.js'
import type { ReplayableEvent } from '../../webhooks/index.js'
import type { EventQuery } from './event-service.js'
import type { ChosenEvents } from './filters.js'

/** The archive of an account, if it has events from before a time, RFC 3339 in UTC. */
export function archiveBefore(dataDir: string, account: string, time: string): ArchiveReader | undefined {
  const paths = archivePaths(dataDir, account)
  if (!hasArchive(paths)) return undefined
  const archive = ArchiveReader.open(paths, { people: true })
  const [first] = archive.rows('SELECT 1 FROM events WHERE occurred_at < ? LIMIT 1', time)
  if (first !== undefined) return archive
  archive.close()
  return undefined
}

/** A period of events, RFC 3339 in UTC. */
interface EventPeriod {
  since: string
  until: string
}

/** The events that the archive has of a period, as the service would list them. */
export function* keptEvents(
  archive: ArchiveReader,
  { deliveryId, delivered, eventType, until }: EventQuery,
  period: EventPeriod,
  order: 'newest' | 'oldest',
): Generator<EventRecord> {
  const end = until !== undefined && String(until) < period.until ? String(until) : period.until
  const types = eventType === undefined ? [] : [eventType].flat()
  const terms = ['events.occurred_at >= ?', 'events.occurred_at < ?']
  const values = [period.since, end]
  if (deliveryId !== undefined) {
    terms.push('events.delivery_id = ?')
    values.push(deliveryId)
  }
  if (types.length > 0) {
    terms.push(`events.event_type IN (${types.map(() => '?').join(', ')})`)
    values.push(...types)
  }
  const [body, join] = archive.hasPeople
    ? ['bodies.body', "LEFT JOIN people_file.bodies AS bodies ON bodies.kind = 'event' AND bodies.id = events.event_id"]
    : ['NULL', '']
  const direction = order === 'newest' ? 'DESC' : 'ASC'
  const sql = `SELECT events.*, ${body} AS body FROM events ${join} WHERE ${terms.join(' AND ')}
    ORDER BY events.occurred_at ${direction}, events.event_id ${direction}`
  for (const row of archive.rows(sql, ...values)) {
    const record = recordOf(row)
    const isDelivered = webhookStatusOf(record.lastDeliveryStatus, record.deliveryAttempts) === 'delivered'
    if (delivered === undefined || isDelivered === delivered) yield record
  }
}

function recordOf(row: Record<string, unknown>): EventRecord {
  const { body, livemode } = row
  const data = body instanceof Uint8Array ? tryParseJson(Buffer.from(inflated(body)).toString())?.value : undefined
  return {
    eventId: String(row.event_id),
    eventType: String(row.event_type),
    occurredAt: String(row.occurred_at),
    livemode: livemode === null ? null : livemode === 1,
    deliveryId: textOrNull(row.delivery_id),
    deliveryAttempts: typeof row.delivery_attempts === 'number' ? row.delivery_attempts : null,
    lastDeliveryStatus: textOrNull(row.last_delivery_status),
    lastAttemptAt: textOrNull(row.last_attempt_at),
    data: isRecord(data) ? data : {},
  } as EventRecord
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What the archive lacks of a period: `from 2026-… to 2026-…, from …`; empty if it has all of it. */
function lackingText({ periods }: ArchiveReader, { since, until }: EventPeriod): string {
  return gapsIn({ fromMs: Date.parse(since), toMs: Date.parse(until) }, periods)
    .map(({ fromMs, toMs }) => `from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`)
    .join(', ')
}

/** Warns of the parts of a period of which the archive has no events. */
export function warnOfLacking(archive: ArchiveReader, period: EventPeriod, warn: (text: string) => void): void {
  const lacking = lackingText(archive, period)
  if (lacking !== '') warn(`The archive has no events ${lacking}.`)
}

/** Events that the archive has from before the service's list, as they were received or listed, and then those of the list. */
export async function* withKept(
  archive: ArchiveReader,
  { journal, warn }: { journal: Pick<JournalReader, 'get'> | undefined; warn(text: string): void },
  { query, patterns, tooOld }: ChosenEvents,
  listed: AsyncIterable<ReplayableEvent>,
): AsyncGenerator<ReplayableEvent> {
  const period = { since: String(tooOld), until: String(query.since) }
  warnOfLacking(archive, period, warn)
  for (const { eventId: id, eventType, deliveryId } of keptEvents(archive, query, period, 'oldest')) {
    if (patterns?.some((pattern) => matchesStars(pattern, eventType)) === false) continue
    const body = (await journal?.get(id))?.body ?? archive.bodiesOf([id])[0]?.body
    if (body === undefined) warn(`Event ${id} of the archive has no body and was skipped.`)
    else yield { id, body, deliveryId: deliveryId ?? undefined }
  }
  yield* listed
}
