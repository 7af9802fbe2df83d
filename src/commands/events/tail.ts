import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { eventService } from '../../cli/events/event-service.js'
import { execFor, execSubjectOf } from '../../cli/events/exec.js'
import { eventFilterFlags, eventQuery, ofTypes } from '../../cli/events/filters.js'
import { eventNotification, notifications as openNotifications } from '../../cli/events/notify.js'
import { tailEvents } from '../../cli/events/tail.js'
import { parseDurationMs, parseTime } from '../../cli/input/durations.js'
import { EventLines } from '../../render/event-line.js'

export default class TailEvents extends ApiCommand {
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
    const signal = this.takeSignals()
    const client = await this.watchingApi(signal)
    const service = eventService(client, this.clocks(client))
    const { query, patterns } = await eventQuery(
      { delivery: flags.delivery, type: flags.type },
      { notices: this.notices, serviceNow: service.nowMs, named: (name) => this.named(name, client) },
    )
    const events = tailEvents(service, query, {
      sinceMs:
        flags.since === undefined ? undefined : Date.parse(parseTime(flags.since, '--since', await service.nowMs())),
      intervalMs: Math.max(200, parseDurationMs(flags.interval ?? '2s', '--interval')),
      signal,
      warn: (text) => this.notices.warn(text),
    })
    const lines = new EventLines()
    const { exec } = flags
    const notifications = flags.notify ? openNotifications(this.context) : undefined
    this.onClose(() => notifications?.close())
    for await (const event of ofTypes(events, patterns)) {
      if (this.output.isJson) await this.output.record(event)
      else if (this.output.choices.quiet) await this.output.text(event.eventId)
      else await this.output.text(lines.line(event, this.output.styleNow()))
      notifications?.show(() => eventNotification(event, this.context.nowMs()))
      if (exec !== undefined)
        await execFor(this.context, exec, execSubjectOf(event), signal, (text) => this.notices.warn(text))
    }
  }
}
