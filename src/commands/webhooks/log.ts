import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { type EventService, eventService } from '../../cli/events/event-service.js'
import { eventsOfService, receivedEvent, unknownReceivedEvent } from '../../cli/events/replay-source.js'
import { parseEventTypePattern } from '../../cli/input/contract-words.js'
import { parseTime } from '../../cli/input/durations.js'
import { journalFlag } from '../../cli/journal/place.js'
import { namedInJournal } from '../../cli/naming/journal-names.js'
import { writeOut } from '../../cli/process/streams.js'
import { embeddedControl, type SandboxControl, servedControl } from '../../cli/sandbox/control.js'
import { unmaskFlag } from '../../cli/webhooks/flags.js'
import { logRow, receivedEventOf } from '../../cli/webhooks/journal-rows.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { UsageError } from '../../contract/index.js'
import type { JournalEvent } from '../../listener/index.js'
import { logList, type ReceivedEventInFull, receivedEventView } from '../../render/log-view.js'
import { plainLines, safeJsonText } from '../../render/plain-text.js'
import { isRecord } from '../../shared/json.js'
import type { ParsedSecret } from '../../webhooks/index.js'
import { signatureHeaders, webhookHeaders } from '../../webhooks/index.js'
import { type ExportedEvent, type ExportFormat, exportEvent, exportFormats, namedKey } from '../../webhooks/internal.js'

export default class WebhookLog extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List received webhooks, newest last, or show one in full.'
  static override description =
    'Names, phone numbers, addresses and links are masked. Each profile has its own journal, and without one each base URL and key. The journal keeps the original bytes, and --as prints them: as a raw HTTP request, a HAR file, a command for curl, fish or PowerShell, a fixture, or a test in JavaScript. An event that was not received here is taken from the events that the service keeps, and signed.'
  static override examples = [
    '<%= config.bin %> webhooks log --since 1h',
    '<%= config.bin %> webhooks log evt_01ABC',
    '<%= config.bin %> webhooks log evt_01ABC --as vitest > tests/evt_01ABC.test.ts',
    '<%= config.bin %> webhooks log --delivery del_01ABC --all --json --unmask',
  ]
  static override args = { id: Args.string({ description: 'Event id, to show it in full', ignoreStdin: true }) }
  static override flags = {
    since: Flags.string({ summary: 'Received at or after', helpValue: 'TIME' }),
    type: Flags.string({
      summary: 'Only this type, or driver.*; repeatable',
      helpValue: 'TYPE',
      ...repeatable,
    }),
    delivery: Flags.string({ summary: 'Only this delivery', helpValue: 'ID|REFERENCE' }),
    'given-up': Flags.boolean({ summary: 'Only those that a forward target did not get, all of them' }),
    limit: Flags.integer({ char: 'l', summary: 'The newest N events (default 50)', helpValue: 'N', min: 1 }),
    all: Flags.boolean({ char: 'a', summary: 'All events', exclusive: ['limit'] }),
    as: Flags.option({
      summary: 'Print the event, unmasked, in this format',
      helpValue: 'FORMAT',
      options: exportFormats,
      exclusive: ['since', 'type', 'delivery', 'given-up', 'limit', 'all'],
    })(),
    ...unmaskFlag,
    ...journalFlag,
  }

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<ReceivedEventInFull | undefined> {
    const { args, flags } = await this.parse(WebhookLog)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    if (flags.as !== undefined) {
      if (args.id === undefined)
        throw new UsageError(`--as ${flags.as} needs the id of an event.`, {
          hint: 'dlv webhooks log --all -q lists the received ones, dlv events list -q those of the service.',
        })
      await this.export(await this.evidence(args.id), flags.as)
      return undefined
    }
    const journal = await (flags.journal === undefined ? this.journals.ifAny() : this.journals.open())
    if (args.id !== undefined) {
      if (journal === undefined)
        throw unknownReceivedEvent(args.id, 'No webhooks were received yet; dlv webhooks listen receives them.')
      const event = await receivedEvent(journal, args.id)
      const shown = receivedEventOf(event, await journal.forwardsOf(event.seq), flags.unmask)
      await this.session.show(receivedEventView, shown)
      return shown
    }
    if (journal !== undefined && !this.session.output.isJson) await this.journals.sayOwn()
    const filters = {
      ...(flags.since === undefined
        ? {}
        : { sinceMs: Date.parse(parseTime(flags.since, '--since', this.session.nowMs())) }),
      ...(flags['given-up'] ? { givenUp: true } : {}),
      ...(flags.type === undefined
        ? {}
        : { eventTypes: flags.type.map((type) => parseEventTypePattern(type, '--type', this.session.notices)) }),
    }
    const named =
      flags.delivery === undefined || journal === undefined ? undefined : await namedInJournal(journal, flags.delivery)
    const events = journal?.list({
      ...filters,
      ...named,
      ...limitOf(flags),
    })
    const rows = async function* () {
      for await (const event of events ?? []) yield logRow(event, flags.unmask)
    }
    const isFiltered =
      flags.since !== undefined || flags['given-up'] || flags.type !== undefined || flags.delivery !== undefined
    const empty = 'No received webhooks match these filters.'
    await this.session.output.stream(isFiltered ? { ...logList, empty } : logList, rows())
    return undefined
  }

  /** The event as it was received, or as the service lists it if it was not received here. */
  private async evidence(id: string): Promise<ExportedEvent> {
    const journal = await this.journals.ifAny()
    const received = await journal?.get(id)
    if (received !== undefined) return receivedAsIs(received)
    const { sources } = await this.session.account.settings({ needsKey: false })
    if (sources.apiKey === 'none') return receivedAsIs(await receivedEvent(await this.journals.open(), id))
    const client = await this.session.client()
    const service = eventService(client, this.session.clocks(client))
    const secrets = (await this.secrets.given()).map(namedKey)
    const warn = (text: string) => this.session.notices.warn(text)
    const listed = await listedAndSigned(id, { service, secrets, nowMs: this.session.nowMs(), warn })
    if (listed !== undefined) return { ...listed, url: await this.receiverOf(id) }
    throw new UsageError(`Event "${id.slice(0, 80)}" has no body that can be exported.`)
  }

  /** The address to which a sandbox of this user posted the event. */
  private async receiverOf(id: string): Promise<string | undefined> {
    const settings = await this.session.account.settings({ needsKey: false })
    const { baseUrl } = settings
    if (baseUrl === undefined) return sandboxReceiver(id, embeddedControl(await this.session.account.sandbox()))
    if (!(await this.session.account.isOwnSandbox(settings))) return undefined
    return sandboxReceiver(id, await servedControl(baseUrl, this.session.account.proofPlace))
  }

  /** Prints the exact bytes; a terminal gets none that it would act on. */
  private async export(event: ExportedEvent, format: ExportFormat): Promise<void> {
    const bytes = exportEvent(event, format, { name: 'dlv', version: this.config.version })
    const { jq } = this.session.output.choices
    const isJson = format === 'har' || format === 'fixture'
    if (jq !== undefined && !isJson)
      throw new UsageError(`--jq cannot read --as ${format}, which is not JSON.`, {
        hint: 'Use --as har or --as fixture.',
      })
    this.session.notices.notice('The output contains personal data.')
    if (jq !== undefined) return this.session.output.json(Buffer.from(bytes).toString())
    if (format !== 'http')
      return writeOut(this.session.context.stdout, Buffer.from(safeJsonText(Buffer.from(bytes).toString())))
    const isTerminal = this.session.output.style.terminal
    await writeOut(
      this.session.context.stdout,
      isTerminal ? Buffer.from(`${plainLines(Buffer.from(bytes).toString())}\n`) : bytes,
    )
  }
}

/** All given-up events are listed unless a limit is set, because they are listed in order to be sent again. */
function limitOf(flags: { all: boolean; 'given-up': boolean; limit?: number | undefined }): { limit?: number } {
  if (flags.limit !== undefined) return { limit: flags.limit }
  return flags.all || flags['given-up'] ? {} : { limit: 50 }
}

/** A received event as it came. */
function receivedAsIs({ id, body, rawHeaders, receivedAtMs, eventType }: JournalEvent): ExportedEvent {
  return { id, body, rawHeaders, receivedAtMs, eventType }
}

/**
 * An event of the service's list, which was not received here: with its exact body, and signed now as the service would.
 *
 * @throws UsageError if the service does not list it
 */
async function listedAndSigned(
  id: string,
  around: {
    service: EventService
    secrets: readonly (string | ParsedSecret)[]
    nowMs: number
    warn(text: string): void
  },
): Promise<ExportedEvent | undefined> {
  const { service, secrets, nowMs, warn } = around
  for await (const { body } of eventsOfService({ service, journal: undefined, warn }, [id], { query: {} })) {
    const signed = signatureHeaders({ secrets, id, timestampSeconds: Math.floor(nowMs / 1000), body })
    return { id, body, rawHeaders: Object.entries(webhookHeaders(signed)).flat(), receivedAtMs: nowMs }
  }
  return undefined
}

/** The endpoint that a sandbox has posted an event to; `undefined` if it has not posted it. */
async function sandboxReceiver(id: string, control: SandboxControl): Promise<string | undefined> {
  const listOf = (value: unknown, name: string) => {
    const list = isRecord(value) ? value[name] : undefined
    return Array.isArray(list) ? list.filter(isRecord) : []
  }
  const attempts = listOf(await control('GET', `/attempts?eventId=${encodeURIComponent(id)}`), 'attempts')
  const endpoints = listOf(await control('GET', '/endpoints'), 'endpoints')
  const posted = endpoints.find((endpoint) => attempts.some(({ endpointId }) => endpointId === endpoint.id))
  return typeof posted?.url === 'string' ? posted.url : undefined
}
