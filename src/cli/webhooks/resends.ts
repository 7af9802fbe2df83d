import { UsageError } from '../../contract/index.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import { shellWord } from '../../shared/command-words.js'
import { shownUrl } from '../../shared/web-address.js'
import { type ReplayInput, verify } from '../../webhooks/index.js'
import { pathOf } from '../../webhooks/internal.js'
import { receivedEvent } from '../events/replay-source.js'
import { parseRoutes } from './listen-flags.js'

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
