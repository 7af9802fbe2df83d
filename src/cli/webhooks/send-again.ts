import { hash } from 'node:crypto'
import { join } from 'node:path'
import { UsageError } from '../../contract/index.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import { replayList } from '../../render/webhook-views.js'
import { shellWord } from '../../shared/command-words.js'
import { targetName } from '../../shared/target-name.js'
import { shownUrl } from '../../shared/web-address.js'
import { type ReplayInput, type ReplayResult, replayEvents, replayProgressFile, verify } from '../../webhooks/index.js'
import { namedKey, pathOf } from '../../webhooks/internal.js'
import { receivedEvent } from '../events/replay-source.js'
import { exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import type { SendAgainFlags } from './flags.js'
import { parseRoutes } from './listen-flags.js'
import type { Secrets } from './secrets.js'

/** The command that sends these events; `undefined` for more than a line can hold, or an address that is not shown whole. */
export function againCommand(
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
export async function resendTargets(
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
export function refuseUnsigned(sends: readonly Resend[], { sign }: Pick<ReplayInput, 'sign'>): void {
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

/** How the flags resend events: with new signatures or unchanged, and how fast. */
export async function mannerOf(
  secretsOf: Secrets,
  flags: SendAgainFlags,
): Promise<Pick<ReplayInput, 'sign' | 'eventsPerSecond'>> {
  const secrets = flags.verbatim ? [] : await secretsOf.given(flags['secret-file'], flags['allow-weak-secret'])
  await secretsOf.refuseForeign(secrets)
  return {
    sign: flags.verbatim ? 'verbatim' : { secrets: secrets.map(namedKey) },
    eventsPerSecond: flags.rate,
  }
}

/**
 * Sends past events to one target after another and prints each result as it comes; 9 if an event fails. After a
 * failure it continues with other deliveries. The same command sends what is missing, however it was stopped.
 *
 * @param command what identifies this command: its name and arguments
 * @param onDelivered told of each event that a target has accepted, now or in an earlier run
 * @param again the command that sends events which failed or were not reached; the same command unless given
 */
export async function sendAgain(
  session: Session,
  command: readonly unknown[],
  sends: readonly Omit<ReplayInput, 'progress'>[],
  onDelivered: (eventId: string, url: string) => Promise<void> = async () => {},
  again: (eventIds: readonly string[], url: string) => string | undefined = () => undefined,
): Promise<ReplayResult[]> {
  session.output.checkColumns(replayList)
  const account = await session.account.dataName()
  const runs = sends.map((send) => {
    const mark = hash('sha256', JSON.stringify([account, command, send.url]), 'hex').slice(0, 16)
    return { send, progress: replayProgressFile(join(session.config.dataDir, 'replays', `${mark}.sent`)) }
  })
  const shown: ReplayResult[] = []
  // Each on a page of its own, so that it is printed as soon as it is known.
  const pages = async function* () {
    for (const { send, progress } of runs) {
      for await (const result of replayEvents({ ...send, afterFailure: 'other-deliveries', progress })) {
        shown.push(result)
        if (result.outcome !== 'failed') await onDelivered(result.eventId, send.url)
        yield [result]
      }
    }
  }
  await session.output.pages(replayList, pages())
  const countOf = (outcome: ReplayResult['outcome']) => shown.filter((result) => result.outcome === outcome).length
  const skipped = countOf('skipped')
  const before = skipped === 0 ? '' : `, ${skipped} sent by an earlier run`
  session.notices.notice(`${countOf('delivered')} delivered${before}.`)
  const failed = shown.filter(({ outcome }) => outcome === 'failed')
  for (const { eventId, error = '', url } of failed) {
    session.notices.warn(`${eventId} failed at ${url}: ${error.replace(/[^.?!]$/, '$&.')}`)
    session.endWith(exitCodes.otherOutcome)
  }
  const held = countOf('held')
  if (held > 0) {
    const events = held === 1 ? 'event of the same delivery is' : 'events of the same deliveries are'
    session.notices.warn(`${held} later ${events} held back, so that the order is kept.`)
  }
  for (const { events, url } of sends) {
    if (!failed.some((result) => result.url === targetName(url))) continue
    const sent = new Set(shown.filter((one) => isSent(one, url)).map(({ eventId }) => eventId))
    const missing = Array.isArray(events) ? events.filter(({ id }) => !sent.has(id)).map(({ id }) => id) : []
    const next = again(missing, url)
    session.notices.notice(
      next === undefined
        ? 'Run the same command with the same events to send the rest.'
        : `${missing.length} not sent. Once ${targetName(url)} takes them: ${next}`,
    )
  }
  const isWhole = failed.length === 0 && !sends.some(({ signal }) => signal?.aborted)
  if (isWhole) for (const { progress } of runs) progress.clear()
  return shown
}

/** Whether the target has the event, from this run or an earlier one. */
function isSent({ url, outcome }: ReplayResult, target: string): boolean {
  return url === targetName(target) && (outcome === 'delivered' || outcome === 'skipped')
}
