import { type ArchiveReader, gapsIn, type Period } from '../../archive/index.js'
import { limits, UsageError } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import type { JournalReader } from '../../listener/index.js'
import {
  type Activity,
  type DeliveryHistory,
  type EventFact,
  eventFact,
  type Grouping,
  type PromiseRules,
  type Report,
  ReportBuilder,
} from '../../report/index.js'
import { dayMs, minuteMs } from '../../shared/durations.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The source of a report. */
export type ReportSource =
  | { kind: 'archive'; archive: ArchiveReader }
  | { kind: 'journal'; journal: Pick<JournalReader, 'list'> }

interface ReportRequest {
  fromMs: number
  toMs: number
  promises: PromiseRules
  by?: Grouping | undefined
  timeZone?: string | undefined
}

interface GatheredReport {
  report: Report
  activity: Activity
  /** The parts of the period that the archive lacks. */
  gaps: readonly Period[]
}

/**
 * Reads the events of a period and of the previous one, as far as they are available, and computes the report.
 *
 * @throws UsageError if the period is empty, or none of its events is available any more
 */
export async function gatherReport(source: ReportSource, request: ReportRequest): Promise<GatheredReport> {
  const { toMs } = request
  if (request.fromMs >= toMs)
    throw new UsageError(`The period is empty: --from ${iso(request.fromMs)} is not before --to ${iso(toMs)}.`, {
      hint: 'Times count back from now: --from 7d, or --from yesterday --to today.',
    })
  checkTimeZone(request.timeZone)
  const { fromMs } = request
  const beforeMs = fromMs - (toMs - fromMs)
  const isArchive = source.kind === 'archive'
  const eventsSinceMs = isArchive ? availableStart(source.archive, { fromMs, beforeMs }) : Number.NEGATIVE_INFINITY
  const gaps = isArchive ? gapsBetween(source.archive, { fromMs, toMs }) : []
  const builder = new ReportBuilder({ ...request, eventsSinceMs })
  if (source.kind === 'archive') readArchive(source.archive, beforeMs, request, builder)
  else for await (const fact of factsOfJournal(source.journal, beforeMs)) builder.add(fact)
  return { ...builder.finish(), gaps }
}

/** Where the period before begins, or the period itself if the service no longer lists all of the one before. */
export function startOfBoth({ fromMs, toMs }: { fromMs: number; toMs: number }, serviceNowMs: number): number {
  const beforeMs = fromMs - (toMs - fromMs)
  return beforeMs >= oldestSinceMs(serviceNowMs) ? beforeMs : fromMs
}

/** How much earlier than a period its archive may begin: fetching it takes a while, and the service lists a little less than it keeps. */
const marginMs = 2 * minuteMs

/** What the archive lacks of a period, but for what is too short to tell. */
function gapsBetween({ periods }: ArchiveReader, { fromMs, toMs }: Period): Period[] {
  const newestMs = periods.at(-1)?.toMs ?? toMs
  return gapsIn({ fromMs, toMs: Math.min(toMs, newestMs) }, periods).filter((gap) => gap.toMs - gap.fromMs > marginMs)
}

/**
 * The start of the events, or the start of the period if they lack less than the margin of it, or part of the one before.
 *
 * @throws UsageError if the archive does not reach back to the start of the period
 */
function availableStart(archive: ArchiveReader, { fromMs, beforeMs }: { fromMs: number; beforeMs: number }): number {
  const oldestMs = archive.periods[0]?.fromMs ?? Number.POSITIVE_INFINITY
  if (fromMs >= oldestMs - marginMs) {
    const missing = gapsBetween(archive, { fromMs: beforeMs, toMs: fromMs }).at(-1)
    return missing === undefined ? Math.min(fromMs, oldestMs) : missing.toMs
  }
  throw new UsageError(`--from ${iso(fromMs)} is too early: the archive reaches back to ${iso(oldestMs)}.`, {
    hint: `The service lists events for ${limits.eventRetentionDays} days. dlv sync --backfill ${iso(fromMs)} fetches older deliveries; dlv sync keeps them from now on.`,
  })
}

/** Orders that are scheduled are created before they are accepted, which is when their period begins. */
const scheduledAheadMs = 60 * dayMs

/** The period of deliveries that are in memory at once. */
const partMs = 7 * dayMs

/** A time as a number, which is faster to read than its text. */
function seconds(time: string): string {
  return `unixepoch(${time}, 'subsec')`
}

/** Columns that are empty in most rows, read as one array where one is not: an empty value takes time to read, too. */
const rare = [
  ...[seconds('window_start'), seconds('window_end'), 'end_reason_code', 'furthest_status', 'return_ms', 'recovery_ms'],
  ...['cancellation_fee_cents', 'required_proofs'],
  ...['nullif(had_dispatch_trouble, 0)', 'nullif(is_scheduled, 0)'],
]

/** The columns of a delivery that a report counts by; what it is not asked for is not read. */
function historyColumns({ by, promises: { file, quotes, windows } }: ReportRequest): string {
  const groups: Partial<Record<Grouping, string>> = {
    store: 'store_reference',
    installation: 'installation_code',
    driver: 'driver_id',
  }
  const group = by && groups[by]
  const isNamed = [file, quotes, windows].some((known) => known !== undefined && known.size > 0)
  return [
    `outcome, ${seconds('accepted_at')}, CASE WHEN accepted_at IS NULL THEN ${seconds("json_extract(steps, '$[0][1]')")} END`,
    ...['delivered_at', 'first_eta'].map(seconds),
    'time_to_assign_ms, to_store_ms, pickup_dwell_ms, drive_ms, door_time_ms',
    'postal_code, state, currency, total_price_cents, tip_amount_cents',
    `CASE WHEN coalesce(${rare.join(', ')}) IS NOT NULL THEN json_array(${rare.join(', ')}, proofs) END`,
    ...(isNamed || group !== undefined ? [isNamed ? 'client_order_reference' : 'NULL', group ?? 'NULL'] : []),
  ].join(', ')
}

/** Adds the deliveries of a period and of the one before, and the webhooks of the period's events. */
function readArchive(archive: ArchiveReader, beforeMs: number, request: ReportRequest, builder: ReportBuilder): void {
  const { fromMs, toMs, by } = request
  const sql = `SELECT ${historyColumns(request)} FROM deliveries WHERE created_at >= ? AND created_at < ?
    AND coalesce(accepted_at, created_at) >= ? AND coalesce(accepted_at, created_at) < ?`
  const textsOf = textsReader()
  for (let sinceMs = beforeMs - scheduledAheadMs; sinceMs < toMs; sinceMs += partMs) {
    const part = [iso(sinceMs), iso(Math.min(sinceMs + partMs, toMs))]
    for (const row of archive.arrays(sql, ...part, iso(beforeMs), iso(toMs)))
      builder.addDelivery(historyOf(row, textsOf, by))
  }
  for (const count of archive.webhooks(fromMs, toMs)) builder.addWebhooks(count)
}

function historyOf(
  row: readonly unknown[],
  textsOf: (json: unknown) => string[] | undefined,
  by: Grouping | undefined,
): DeliveryHistory {
  const acceptedMs = ms(row[1])
  const group = text(row[17])
  const few = typeof row[15] === 'string' ? (JSON.parse(row[15]) as unknown[]) : []
  return {
    outcome: row[0] as DeliveryHistory['outcome'],
    startedMs: acceptedMs ?? ms(row[2]),
    acceptedMs,
    deliveredMs: ms(row[3]),
    firstEtaMs: ms(row[4]),
    windowStartMs: ms(few[0]),
    windowEndMs: ms(few[1]),
    endReason: text(few[2]),
    furthest: text(few[3]),
    timeToAssignMs: number(row[5]),
    toStoreMs: number(row[6]),
    pickupDwellMs: number(row[7]),
    driveMs: number(row[8]),
    doorTimeMs: number(row[9]),
    returnMs: number(few[4]),
    recoveryMs: number(few[5]),
    hadDispatchTrouble: few[8] === 1,
    isScheduled: few[9] === 1,
    latest: {
      postalCode: text(row[10]),
      state: text(row[11]),
      currency: text(row[12]),
      totalPriceCents: number(row[13]),
      tipAmountCents: number(row[14]),
      cancellationFeeCents: number(few[6]),
      proofs: textsOf(few[10]),
      requiredProofs: textsOf(few[7]),
      clientOrderReference: text(row[16]),
      storeReference: by === 'store' ? group : undefined,
      installationCode: by === 'installation' ? group : undefined,
      driverId: by === 'driver' ? group : undefined,
    },
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
const ms = (seconds: unknown) => (typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined)

/** Reads arrays of texts in JSON, of which many deliveries have the same. */
function textsReader(): (json: unknown) => string[] | undefined {
  const known = new Map<unknown, string[] | undefined>()
  return (json) => {
    if (!known.has(json)) known.set(json, typeof json === 'string' ? (JSON.parse(json) as string[]) : undefined)
    return known.get(json)
  }
}

/** The facts of received events, with the time of their arrival. Skips what is not an event of the contract. */
async function* factsOfJournal(journal: Pick<JournalReader, 'list'>, fromMs: number): AsyncGenerator<EventFact> {
  for await (const event of journal.list()) {
    const data = tryParseJson(event.body)?.value
    if (!isRecord(data) || event.eventType === undefined || event.occurredAt === undefined) continue
    const record = { eventId: event.id, eventType: event.eventType, occurredAt: event.occurredAt, data }
    // A pulled event says nothing about the latency of its webhook.
    const fact = eventFact(record, event.source === 'webhook' ? event.receivedAtMs : undefined)
    if (fact !== undefined && fact.occurredAtMs >= fromMs) yield fact
  }
}

function checkTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw new UsageError(`--tz "${timeZone.slice(0, 60)}" is not a time zone.`, {
      hint: 'Give an IANA name, such as America/New_York or UTC.',
    })
  }
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
