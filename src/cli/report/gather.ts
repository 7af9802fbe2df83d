import type { Client } from '../../client/index.js'
import { limits, UsageError } from '../../contract/index.js'
import type { JournalReader } from '../../listener/index.js'
import {
  type Activity,
  activityOf,
  type EventFact,
  eventFact,
  type Grouping,
  type PromiseRules,
  type Report,
  ReportBuilder,
} from '../../report/index.js'
import { dayMs, minuteMs } from '../../shared/durations.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { FactCache } from './fact-cache.js'
import { factsOfService } from './service-facts.js'

/** How far this machine's clock may be from the service's, which decides what is still kept. */
const marginMs = minuteMs

/** The source of a report's events. */
export type ReportSource =
  | {
      kind: 'service'
      client: Client
      cache: FactCache | undefined
      nowMs: number
      onProgress?: (events: number) => void
    }
  | { kind: 'journal'; journal: Pick<JournalReader, 'list'>; nowMs: number }

export interface ReportRequest {
  fromMs: number
  toMs: number
  promises: PromiseRules
  by?: Grouping | undefined
  timeZone?: string | undefined
}

/**
 * Reads the events of a period and of the previous one, as far as they are available, and computes the report.
 *
 * @throws UsageError if the period is empty, or none of its events is available any more
 */
export async function gatherReport(
  source: ReportSource,
  request: ReportRequest,
): Promise<{ report: Report; activity: Activity }> {
  const { toMs } = request
  if (request.fromMs >= toMs)
    throw new UsageError(`The period is empty: --from ${iso(request.fromMs)} is not before --to ${iso(toMs)}.`, {
      hint: 'Times count back from now: --from 7d, or --from yesterday --to today.',
    })
  checkTimeZone(request.timeZone)
  const fromMs = availableStart(source, request.fromMs)
  const { sinceMs, facts } = openFacts(source, fromMs, fromMs - (toMs - fromMs))
  const builder = new ReportBuilder({ ...request, fromMs, eventsSinceMs: sinceMs })
  for await (const fact of facts) builder.add(fact)
  return { report: builder.report(), activity: activityOf(builder.deliveries(), request.timeZone) }
}

/**
 * The start of a period, moved by at most the margin of `oldestEventMs`, so that all of the retention period can be
 * asked for.
 *
 * @throws UsageError if events of the period's start are not available any more
 */
function availableStart(source: ReportSource, fromMs: number): number {
  const oldestMs = oldestEventMs(source)
  if (fromMs >= oldestMs) return fromMs
  if (fromMs >= oldestMs - marginMs) return oldestMs
  throw new UsageError(`--from ${iso(fromMs)} is too early: events reach back to ${iso(oldestMs)}.`, {
    hint: `The service keeps events for ${limits.eventRetentionDays} days; give --from ${limits.eventRetentionDays}d or less.`,
  })
}

/** The time of the oldest event that can be read. */
function oldestEventMs(source: ReportSource): number {
  // A journal says nothing about the time before its first event.
  if (source.kind === 'journal') return Number.NEGATIVE_INFINITY
  const keptMs = source.nowMs - limits.eventRetentionDays * dayMs + marginMs
  return Math.min(keptMs, source.cache?.span()?.sinceMs ?? keptMs)
}

/** The facts from as far back as they are wanted and available, and how far that is. */
function openFacts(
  source: ReportSource,
  fromMs: number,
  beforeMs: number,
): { sinceMs: number; facts: AsyncIterable<EventFact> } {
  if (source.kind === 'journal')
    return { sinceMs: Number.NEGATIVE_INFINITY, facts: factsOfJournal(source.journal, beforeMs) }
  const sinceMs = beforeMs >= oldestEventMs(source) ? beforeMs : fromMs
  return { sinceMs, facts: factsOfService(source, sinceMs) }
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
