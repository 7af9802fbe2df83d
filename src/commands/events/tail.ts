import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { type EventQuery, type EventService, eventService } from '../../cli/events/event-service.js'
import { execFor, execSubjectOf } from '../../cli/events/exec.js'
import { eventFilterFlags, eventQuery, ofTypes } from '../../cli/events/filters.js'
import { eventNotification, notifications as openNotifications } from '../../cli/events/notify.js'
import { parseDurationMs, parseTime } from '../../cli/input/durations.js'
import { Outage } from '../../cli/output/outage.js'
import type { EventRecord } from '../../contract/index.js'
import { EventLines } from '../../render/event-line.js'
import { tryParseJson } from '../../shared/json.js'

export default class TailEvents extends BaseCommand {
  static override summary = 'Follow events as they happen, until Ctrl-C.'
  static override description =
    '--exec runs its command for one event after the other, with the event as JSON on standard input and DLV_EVENT_ID, DLV_EVENT_TYPE and DLV_DELIVERY_ID; its output goes to stderr. A command that fails is reported, and the next event follows.'
  static override examples = [
    '<%= config.bin %> events tail',
    '<%= config.bin %> events tail --type failed --type dispatch_failed --notify',
    "<%= config.bin %> events tail --type delivered --exec 'jq .data.delivery.clientOrderReference'",
    '<%= config.bin %> events tail --type delivery.failed --jq .deliveryId',
  ]
  static override flags = {
    since: Flags.string({ summary: 'Start with events at or after (default now)', helpValue: 'TIME' }),
    delivery: eventFilterFlags.delivery,
    type: eventFilterFlags.type,
    exec: Flags.string({ summary: 'Run a command for each event', helpValue: 'CMD' }),
    notify: Flags.boolean({ summary: 'Show a desktop notification for each event' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s)', helpValue: 'DURATION' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(TailEvents)
    const signal = this.session.takeSignals()
    const client = await this.session.client({ limit: 'watching', signal })
    const service = eventService(client, this.session.clocks(client))
    const { query, patterns } = await eventQuery(
      { delivery: flags.delivery, type: flags.type },
      { notices: this.session.notices, serviceNow: service.nowMs, named: (name) => this.session.named(name, client) },
    )
    const events = tailEvents(service, query, {
      sinceMs:
        flags.since === undefined ? undefined : Date.parse(parseTime(flags.since, '--since', await service.nowMs())),
      intervalMs: Math.max(200, parseDurationMs(flags.interval ?? '2s', '--interval')),
      signal,
      warn: (text) => this.session.notices.warn(text),
      outage: new Outage(this.session.notices),
    })
    const lines = new EventLines()
    const { exec } = flags
    const notifications = flags.notify ? openNotifications(this.session.context) : undefined
    this.session.onClose(() => notifications?.close())
    for await (const event of ofTypes(events, patterns)) {
      if (this.session.output.isJson) await this.session.output.record(event)
      else if (this.session.output.choices.quiet) await this.session.output.text(event.eventId)
      else await this.session.output.text(lines.line(event, this.session.output.styleNow()))
      notifications?.show(() => eventNotification(event, this.session.context.nowMs()))
      if (exec !== undefined)
        await execFor(this.session.context, exec, execSubjectOf(event), signal, (text) =>
          this.session.notices.warn(text),
        )
    }
  }
}

/** How to follow events. */
interface TailOptions {
  /** By the service's clock, in milliseconds since the epoch; default: now. */
  sinceMs: number | undefined
  intervalMs: number
  signal: AbortSignal
  /** Told of an outage, which is waited out from the last event on. */
  outage: Outage
  /** Called for an event that cannot be shown. */
  warn(text: string): void
}

/** The number of ids that are remembered, so that an event that is listed again is printed once. */
const rememberedIds = 100_000

/**
 * Events as they happen, oldest first, each once; ends when the signal aborts.
 *
 * @throws the error of a request that no waiting mends
 */
async function* tailEvents(
  service: EventService,
  query: EventQuery,
  { sinceMs, intervalMs, signal, warn, outage }: TailOptions,
): AsyncGenerator<EventRecord, void, undefined> {
  const [{ followEvents }, { isOutage }] = await Promise.all([
    import('../../listener/index.js'),
    import('../../client/internal.js'),
  ])
  const seen = new Set<string>()
  let isKnown = false
  const pages = followEvents({
    async listEvents(page) {
      const bytes = await service.listEvents({ ...query, ...page })
      outage.ended()
      isKnown = true
      return bytes
    },
    serviceNow: service.nowMs,
    sinceMs,
    intervalMs,
    signal,
    onError(error) {
      if (!isKnown || !isOutage(error)) throw error
      outage.began(error)
    },
    onWarning: (problem) => warn(problem.message),
  })
  for await (const { events, nameless } of pages) {
    if (nameless.length > 0) warn("An event of the service's list has no eventId and was skipped.")
    for (const { eventId, record } of events) {
      if (seen.has(eventId)) continue
      seen.add(eventId)
      const [oldest] = seen
      if (seen.size > rememberedIds && oldest !== undefined) seen.delete(oldest)
      const value = tryParseJson(record, 'answer')?.value
      if (value === undefined) warn(`Event ${eventId} of the service's list cannot be read and was skipped.`)
      else yield value as EventRecord
    }
  }
}
