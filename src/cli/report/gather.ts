import { type ArchiveReader, gapsIn, type Period } from '../../archive/index.js'
import { limits, UsageError } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import {
  type Activity,
  type CountedDelivery,
  type Grouping,
  type PromiseRules,
  type Report,
  ReportBuilder,
} from '../../report/index.js'
import { dayMs, minuteMs } from '../../shared/durations.js'
import { isRelativeTime, parseTime } from '../input/times.js'

/** An archive that a report counts, and what was promised in its account. */
export interface ReportSource {
  archive: ArchiveReader
  promises: PromiseRules
  /** The account, in a report on several. */
  profile?: string | undefined
}

interface ReportRequest {
  fromMs: number
  toMs: number
  by?: Grouping | undefined
  timeZone?: string | undefined
}

/**
 * Computes the report on a period and the previous one, as far as the archive has them.
 *
 * @throws UsageError if the archive has nothing of the period's beginning
 */
export function gatherReport(
  sources: readonly ReportSource[],
  request: ReportRequest,
): { report: Report; activity: Activity } {
  const { fromMs, toMs } = request
  const beforeMs = fromMs - (toMs - fromMs)
  const eventsSinceMs = Math.max(...sources.map(({ archive }) => availableStart(archive, { fromMs, toMs, beforeMs })))
  const gaps = sources.flatMap(({ archive, profile }) =>
    gapsBetween(archive, { fromMs, toMs }).map((gap) => ({ ...gap, events: eventsIn(archive, gap), profile })),
  )
  const promises = sources.length === 1 ? sources[0]?.promises : undefined
  const builder = new ReportBuilder({ ...request, eventsSinceMs, gaps, ...(promises && { promises }) })
  for (const source of sources) readArchive(source, beforeMs, request, builder)
  return builder.finish()
}

/** @throws UsageError if an archive has nothing of the beginning of a report's period */
export function refuseTooEarly(archive: ArchiveReader, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
  availableStart(archive, { fromMs, toMs, beforeMs: fromMs - (toMs - fromMs) })
}

/** A period of a report, in milliseconds since the epoch. @throws UsageError if it has no length */
export function reportPeriod(from: string, to: string | undefined, nowMs: number): { fromMs: number; toMs: number } {
  const fromMs = Date.parse(parseTime(from, '--from', nowMs))
  const toMs = to === undefined ? nowMs : Date.parse(parseTime(to, '--to', nowMs))
  if (fromMs < toMs) return { fromMs, toMs }
  throw new UsageError(`The period is empty: --from ${iso(fromMs)} is not before --to ${iso(toMs)}.`, {
    hint: 'Times count back from now: --from 7d, or --from yesterday --to today.',
  })
}

/**
 * Refuses an empty period before anything is asked, as far as that needs no clock of the service: two times that are
 * both relative, or neither.
 */
export function refuseEmptyPeriod({ from, to }: { from: string; to?: string | undefined }, nowMs: number): void {
  if (isRelativeTime(from) === isRelativeTime(to ?? 'now')) reportPeriod(from, to, nowMs)
  else
    for (const [text, flag] of [
      [from, '--from'],
      [to ?? 'now', '--to'],
    ] as const)
      parseTime(text, flag, nowMs)
}

/** Where the period before begins, or the period itself if the service no longer lists all of the one before. */
export function startOfBoth({ fromMs, toMs }: { fromMs: number; toMs: number }, serviceNowMs: number): number {
  const beforeMs = fromMs - (toMs - fromMs)
  return beforeMs >= oldestSinceMs(serviceNowMs) ? beforeMs : fromMs
}

/** How much earlier than a period its archive may begin: fetching it takes a while, and the service lists a little less than it keeps. */
const marginMs = 2 * minuteMs

/** The number of events in a part of a period that the service was not asked for: a journal tells of them, too. */
function eventsIn(archive: ArchiveReader, { fromMs, toMs }: Period): number {
  const count = 'SELECT count(*) FROM events WHERE occurred_at >= ? AND occurred_at < ?'
  return Number(archive.arrays(count, iso(fromMs), iso(toMs))[0]?.[0])
}

/** What the archive lacks of a period, but for what is too short to tell. */
function gapsBetween({ periods }: ArchiveReader, { fromMs, toMs }: Period): Period[] {
  const newestMs = periods.at(-1)?.toMs ?? toMs
  return gapsIn({ fromMs, toMs: Math.min(toMs, newestMs) }, periods).filter((gap) => gap.toMs - gap.fromMs > marginMs)
}

/**
 * The start of what the archive knows, or the start of the period if it lacks less than the margin of it, or part of the
 * one before.
 *
 * @throws UsageError if the archive does not reach back to the start of the period, and has no event of what is missing
 */
function availableStart(
  archive: ArchiveReader,
  { fromMs, toMs, beforeMs }: { fromMs: number; toMs: number; beforeMs: number },
): number {
  const oldestMs = archive.periods[0]?.fromMs ?? Number.POSITIVE_INFINITY
  if (fromMs >= oldestMs - marginMs) {
    const missing = gapsBetween(archive, { fromMs: beforeMs, toMs: fromMs }).at(-1)
    return missing === undefined ? Math.min(fromMs, oldestMs) : missing.toMs
  }
  if (eventsIn(archive, { fromMs, toMs: Math.min(toMs, oldestMs) }) > 0) return fromMs
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
function historyColumns(by: Grouping | undefined, { file, quotes, windows }: PromiseRules): string {
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
function readArchive(
  { archive, promises, profile }: ReportSource,
  beforeMs: number,
  { fromMs, toMs, by }: ReportRequest,
  builder: ReportBuilder,
): void {
  const account = profile === undefined ? undefined : { name: profile, promises }
  const sql = `SELECT ${historyColumns(by, promises)} FROM deliveries WHERE created_at >= ? AND created_at < ?
    AND coalesce(accepted_at, created_at) >= ? AND coalesce(accepted_at, created_at) < ?`
  const textsOf = textsReader()
  for (let sinceMs = beforeMs - scheduledAheadMs; sinceMs < toMs; sinceMs += partMs) {
    const part = [iso(sinceMs), iso(Math.min(sinceMs + partMs, toMs))]
    for (const row of archive.arrays(sql, ...part, iso(beforeMs), iso(toMs)))
      builder.addDelivery(historyOf(row, { textsOf, by, account }))
  }
  for (const count of archive.webhooks(fromMs, toMs)) builder.addWebhooks(count)
}

function historyOf(
  row: readonly unknown[],
  {
    textsOf,
    by,
    account,
  }: {
    textsOf: (json: unknown) => string[] | undefined
    by: Grouping | undefined
    account: CountedDelivery['account']
  },
): CountedDelivery {
  const acceptedMs = ms(row[1])
  const group = text(row[17])
  const few = typeof row[15] === 'string' ? (JSON.parse(row[15]) as unknown[]) : []
  return {
    ...(account === undefined ? {} : { account }),
    outcome: row[0] as CountedDelivery['outcome'],
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

/** @throws UsageError if this machine knows no such zone */
export function checkTimeZone(timeZone: string | undefined): void {
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
