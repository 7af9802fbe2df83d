import { Flags, type Interfaces } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { eventService } from '../../cli/events/event-service.js'
import { eventFilterFlags, eventQuery, ofTypes } from '../../cli/events/filters.js'
import {
  ExecRuns,
  eventNotification,
  execSubjectOf,
  ofAccount,
  notifications as openNotifications,
} from '../../cli/events/notify.js'
import { tailEvents } from '../../cli/events/tail-events.js'
import { parseDurationMs, parseTime } from '../../cli/input/times.js'
import { patiently, serviceOutage } from '../../cli/output/outage.js'
import type { Session } from '../../cli/session/session.js'
import type { EventRecord } from '../../contract/index.js'
import { AccountChips } from '../../render/account-chip.js'
import { EventLines } from '../../render/event-line.js'
import { withProfile } from '../../render/view.js'

export default class TailEvents extends BaseCommand {
  static override summary = 'Follow events as they happen, until Ctrl-C.'
  static override description =
    '--exec runs its command for one event after the other, with the event as JSON on standard input and DLV_EVENT_ID, DLV_EVENT_TYPE and DLV_DELIVERY_ID; its output goes to stderr. Of several accounts (-P a,b) each event has its profile, and the command gets it as DLV_PROFILE. A command that fails is tried again 5 times, after 1s to 10 minutes, while the next events follow; each failure is reported.'
  static override examples = [
    '<%= config.bin %> events tail',
    '<%= config.bin %> events tail --type failed --type dispatch_failed --notify',
    "<%= config.bin %> events tail --type delivered --exec 'jq .data.delivery.clientOrderReference'",
    '<%= config.bin %> events tail --type delivery.failed --jq .deliveryId',
    "<%= config.bin %> events tail -P 'acme-*' -o ndjson",
  ]
  static override flags = {
    since: Flags.string({ summary: 'Start with events at or after (default now)', helpValue: 'TIME' }),
    delivery: eventFilterFlags.delivery,
    type: eventFilterFlags.type,
    exec: Flags.string({ summary: 'Run a command for each event', helpValue: 'CMD' }),
    notify: Flags.boolean({ summary: 'Show a desktop notification for each event' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s)', helpValue: 'DURATION' }),
  }

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(TailEvents)
    const signal = this.session.takeSignals()
    const { exec } = flags
    const notifications = flags.notify ? openNotifications(this.session.context) : undefined
    this.session.onClose(() => notifications?.close())
    const { stderr } = this.session.context
    const inShell = ({ context: { env, cwd } }: Session) => ({ env, cwd, stderr })
    const chips = new AccountChips(this.profiles ?? [])
    const printed = {}
    await this.eachAccount(async ({ profile, session }) => {
      const lines = new EventLines(printed)
      const warn = (text: string) => session.notices.warn(text)
      const place = { context: inShell(session), signal, warn, profile }
      const runs = exec === undefined ? undefined : new ExecRuns(exec, place)
      for await (const event of await this.follow(session, flags, signal)) {
        const { output, style } = { output: this.session.output, style: this.session.output.styleNow() }
        const value = profile === undefined ? event : withProfile(profile, event)
        if (output.isJson) await output.record(value)
        else if (output.choices.quiet) await output.text(event.eventId)
        else if (profile === undefined) await output.text(lines.line(event, style))
        else await output.text(chips.line(profile, lines.line(event, chips.beside(style)), style))
        notifications?.show(() => ofAccount(profile, eventNotification(event, session.nowMs())))
        const subject = { ...execSubjectOf(event), value }
        await runs?.run(subject)
      }
    })
  }

  /** The events of an account that the flags ask for, as they happen. */
  private async follow(session: Session, flags: TailFlags, signal: AbortSignal): Promise<AsyncIterable<EventRecord>> {
    const client = await session.client({ limit: 'watching', signal })
    const service = eventService(client, session.clocks(client, patiently))
    const { query, patterns } = await eventQuery(
      { delivery: flags.delivery, type: flags.type },
      { notices: session.notices, serviceNow: service.nowMs, named: (name) => session.named(name, client) },
    )
    const events = tailEvents(service, query, {
      sinceMs:
        flags.since === undefined ? undefined : Date.parse(parseTime(flags.since, '--since', await service.nowMs())),
      intervalMs: Math.max(200, parseDurationMs(flags.interval ?? '2s', '--interval')),
      signal,
      warn: (text) => session.notices.warn(text),
      outage: await serviceOutage(session),
    })
    session.notices.stay()
    return ofTypes(events, patterns)
  }
}

type TailFlags = Interfaces.InferredFlags<typeof TailEvents.flags>
