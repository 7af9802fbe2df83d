import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { yesFlag } from '../../cli/command/write-flags.js'
import { receivedEvent } from '../../cli/events/replay-source.js'
import { checkReceiver } from '../../cli/input/addresses.js'
import { idsOf } from '../../cli/input/ids.js'
import { journalFlag } from '../../cli/journal/place.js'
import { eventIdsArg, sendAgainFlags } from '../../cli/webhooks/flags.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { parseRoutes } from '../../cli/webhooks/listen-flags.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { mannerOf, sendAgain } from '../../cli/webhooks/send-again.js'
import { routesOfProject } from '../../cli/webhooks/session-listener.js'
import { UsageError } from '../../contract/index.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import { replayList } from '../../render/webhook-views.js'
import { shellWord } from '../../shared/command-words.js'
import { shownUrl } from '../../shared/web-address.js'
import { type ReplayInput, type ReplayResult, verify } from '../../webhooks/index.js'
import { pathOf } from '../../webhooks/internal.js'

export default class ResendWebhook extends BaseCommand {
  static override summary = 'Send received webhooks again (default: the newest one).'
  static override description =
    'Each event keeps its body and id and gets a new signature, since receivers reject one that is older than five minutes; --verbatim sends the old one. If one fails, the later events of its delivery are held back, the other deliveries go on, and the exit code is 9; the same command sends what is missing, even after a crash.'
  static override examples = [
    '<%= config.bin %> webhooks resend --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks resend evt_01ABC evt_01DEF --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks log --given-up -q | <%= config.bin %> webhooks resend - --to http://localhost:3000/hooks',
  ]
  static override args = { ids: eventIdsArg }
  static override flags = {
    to: Flags.string({ summary: "Receiver URL (default: the project file's routes)", helpValue: 'URL' }),
    ...sendAgainFlags,
    ...journalFlag,
    ...yesFlag,
  }

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<ReplayResult[]> {
    const { args, flags } = await this.parse(ResendWebhook)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    if (flags.to !== undefined) checkReceiver(flags.to, '--to')
    const ids = await idsOf(this.session.context, this.session.notices, args.ids)
    if (ids === undefined) {
      await this.session.show(replayList, [])
      return []
    }
    const journal = await this.journals.open()
    const sends = await resendTargets(journal, ids, flags.to, await routesOfProject(this.session, flags.to))
    const where = sends.map(({ url }) => shownUrl(url)).join(' and ')
    if (!(await this.session.account.confirmOnProduction(`Post received events to ${where}`, flags.yes))) return []
    const signal = this.session.takeSignals()
    const manner = await mannerOf(this.secrets, flags)
    if (flags['secret-file'] === undefined) refuseUnsigned(sends, manner)
    return sendAgain(
      this.session,
      ['webhooks resend', ids, flags.verbatim],
      sends.map(({ url, events }) => ({ events, url, signal, ...manner })),
      (eventId, url) => this.noteDelivered(journal, eventId, url),
      (eventIds, url) => againCommand(eventIds, url, flags),
    )
  }

  /** An event that was given up for this target is so no longer. */
  private async noteDelivered(journal: JournalReader, eventId: string, url: string): Promise<void> {
    const event = await journal.get(eventId)
    const states = event === undefined ? [] : await journal.forwardsOf(event.seq)
    if (event === undefined || !states.some(({ state }) => state === 'given-up')) return
    const { recordResend } = await import('../../listener/index.js')
    await recordResend(await this.journals.place(), event.seq, url, this.session.context.env).catch((error: unknown) =>
      this.session.notices.warn(
        `${eventId} still counts as given up: ${error instanceof Error ? error.message : error}`,
      ),
    )
  }
}

/** The command that sends these events; `undefined` for more than a line can hold, or an address that is not shown whole. */
function againCommand(
  eventIds: readonly string[],
  url: string,
  flags: {
    journal?: string | undefined
    verbatim: boolean
    'secret-file'?: string[] | undefined
    'allow-weak-secret'?: boolean
  },
): string | undefined {
  if (eventIds.length > 10 || shownUrl(url) !== url) return undefined
  const { journal, verbatim, 'secret-file': secretFiles = [] } = flags
  const words = [
    ...eventIds,
    '--to',
    url,
    ...(verbatim ? ['--verbatim'] : []),
    ...secretFiles.flatMap((file) => ['--secret-file', file]),
    ...(flags['allow-weak-secret'] ? ['--allow-weak-secret'] : []),
    ...(journal === undefined || shownUrl(journal) !== journal ? [] : ['--journal', journal]),
  ]
  return `dlv webhooks resend ${words.map(shellWord).join(' ')}`
}

/** Events for one target. */
interface Resend {
  url: string
  events: JournalEvent[]
}

/**
 * The events to resend and their targets: the events with the given ids, or the newest one, to the given URL or along
 * the project file's routes.
 *
 * @throws UsageError if an event was never received, or has no target
 */
async function resendTargets(
  journal: JournalReader,
  ids: readonly string[],
  to: string | undefined,
  projectRoutes: Readonly<Record<string, string>>,
): Promise<Resend[]> {
  const events = ids.length > 0 ? await Promise.all(ids.map((id) => receivedEvent(journal, id))) : await newest(journal)
  if (events.length === 0)
    throw new UsageError('The journal has no events yet.', { hint: 'Receive some with dlv webhooks listen.' })
  if (to !== undefined) return alongPaths(to, events)
  const { checkRoutes, targetsOf } = await import('../../listener/index.js')
  const routes = checkRoutes(parseRoutes([], projectRoutes, undefined))
  const byUrl = new Map<string, JournalEvent[]>()
  for (const event of events) {
    const urls = targetsOf(routes, event.eventType)
    if (urls.length === 0)
      throw new UsageError(`No target for ${event.id} (${event.eventType ?? 'no event type'}).`, {
        hint: 'Use --to URL, or add a route for its type to .dlv.json.',
      })
    for (const url of urls) byUrl.set(url, [...(byUrl.get(url) ?? []), event])
  }
  return [...byUrl].map(([url, sent]) => ({ url, events: sent }))
}

/** An address without a path stands for a machine: each event goes to the path and query that it came by. */
function alongPaths(to: string, events: readonly JournalEvent[]): Resend[] {
  if (!/^https?:\/\/[^/?#]+$/i.test(to)) return [{ url: to, events: [...events] }]
  const byUrl = Map.groupBy(events, ({ rawHeaders }) => new URL(pathOf(rawHeaders), to).href)
  return [...byUrl].map(([url, sent]) => ({ url, events: sent }))
}

/**
 * An event of a listener that named no account is signed again by a secret that verified it, and by no other.
 *
 * @throws UsageError if none of the secrets did
 */
function refuseUnsigned(sends: readonly Resend[], { sign }: Pick<ReplayInput, 'sign'>): void {
  if (sign === 'verbatim') return
  for (const event of new Set(sends.flatMap(({ events }) => events))) {
    if (event.account !== '') continue
    const { rawHeaders: headers, body, timestampSeconds: nowSeconds } = event
    const maxBodyBytes = Number.POSITIVE_INFINITY
    if (verify({ secrets: sign.secrets, headers, body, nowSeconds, maxBodyBytes }).ok) continue
    throw new UsageError(
      `${event.id} was not verified by a secret of this account, but by "${event.secret}": nothing was sent.`,
      { hint: 'Name the secret with --secret-file, or send it with its old signature: --verbatim' },
    )
  }
}

async function newest(journal: JournalReader): Promise<JournalEvent[]> {
  for await (const event of journal.list({ limit: 1 })) return [event]
  return []
}
