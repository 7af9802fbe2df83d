import { onAccount } from '../shared/command-words.js'
import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'

/** A journal as `webhooks status` shows it. */
export interface JournalStatusShown {
  /** The file or the address, without a password. */
  journal: string
  listener: { running: boolean; pid: number | null; since: string | null; url: string | null; rejected: number } | null
  lastEventAt: string | null
  members: { host: string | null; pid: number | null; since: string | null; shards: number }[]
  shards: { total: number; owned: number; unowned: number }
  pending: { url: string; count: number; oldestSeconds: number }[]
  givenUp: { url: string; count: number }[]
  pull: { at: string | null; error: string | null } | null
  standbys: { name: string | null; host: string | null; state: string | null; sync: string | null }[]
}

/** The listeners and forwarders, pending events and standbys: a card for people, one row for each in a pipe. */
export const journalStatusView: View<JournalStatusShown> = {
  id: idOf('name'),
  columns: ['what', 'name', 'state', 'pid', 'since', 'count', 'oldestSeconds'].map((name) => ({ name })),
  rows: statusRows,
  card({ journal, listener, lastEventAt, members, shards, pending, givenUp, pull, standbys }, style) {
    const heading = (text: string) => paint(style, 'bold', text)
    const list = (items: readonly string[], none: string) =>
      (items.length === 0 ? [none] : items).map((one) => `  ${one}`)
    const place = [heading('Journal'), `  ${plainText(journal)}`]
    const waiting = [
      heading('Last event'),
      `  ${lastEventAt ?? 'none'}`,
      heading('Waiting'),
      ...list(
        pending.map(({ url, count, oldestSeconds }) => `${count}  oldest ${oldestSeconds} s  ${plainText(url)}`),
        'nothing',
      ),
      ...givenUpLines(givenUp, style),
      ...pullLines(pull, style),
    ]
    if (listener !== null) {
      const { running, pid, since, url, rejected } = listener
      const state = running ? paint(style, 'green', `running, process ${pid}`) : paint(style, 'yellow', 'not running')
      const where = url === null ? [] : [plainText(url)]
      const from = since === null ? [] : [`${running ? 'since' : 'last started'} ${since}`]
      const times = since === null ? [] : [`${rejected} rejected`]
      return [...place, heading('Listener'), `  ${[state, ...where, ...from, ...times].join('  ')}`, ...waiting].join(
        '\n',
      )
    }
    const unowned = `${shards.unowned} of ${shards.total} shards have no forwarder`
    return [
      ...place,
      heading('Forwarders'),
      ...list(
        members.map(
          ({ host, pid, since, shards: count }) =>
            `${plainText(host ?? 'unknown host')} ${pid ?? ''}  ${count} shards${since === null ? '' : `  since ${since}`}`,
        ),
        'none',
      ),
      ...(shards.unowned > 0 ? [`  ${paint(style, members.length > 0 ? 'yellow' : 'red', unowned)}`] : []),
      ...waiting,
      heading('Standbys'),
      ...list(
        standbys.map(({ name, host, state, sync }) =>
          [name ?? 'not visible to this user', host, state, sync]
            .filter((part) => part !== null)
            .map(plainText)
            .join('  '),
        ),
        'none',
      ),
    ].join('\n')
  },
}

/** Shown only if there is something to do. */
function givenUpLines(givenUp: JournalStatusShown['givenUp'], style: Style): string[] {
  if (givenUp.length === 0) return []
  const again = 'dlv webhooks log --given-up -q | dlv webhooks resend - --to URL'
  return [
    paint(style, 'bold', 'Given up'),
    ...givenUp.map(({ url, count }) => `  ${paint(style, 'red', String(count))}  ${plainText(url)}`),
    `  Send them again: ${onAccount(again, style.accountFlags ?? '')}`,
  ]
}

function pullLines(pull: JournalStatusShown['pull'], style: Style): string[] {
  if (pull === null) return []
  const { at, error } = pull
  const failed = error === null ? [] : [`  ${paint(style, 'red', 'failing')}  ${plainText(error)}`]
  return [paint(style, 'bold', 'Last fetched'), `  ${at ?? 'never'}`, ...failed]
}

/** A row as a pipe gets it: the same columns for every journal. */
interface StatusRow {
  what:
    | 'journal'
    | 'listener'
    | 'rejected'
    | 'last event'
    | 'forwarder'
    | 'unowned shards'
    | 'target'
    | 'given up'
    | 'pull'
    | 'standby'
  name?: string | null
  state?: string | null
  pid?: number | null
  since?: string | null
  count?: number
  oldestSeconds?: number
}

function statusRows({
  journal,
  listener,
  lastEventAt,
  members,
  shards,
  pending,
  givenUp,
  pull,
  standbys,
}: JournalStatusShown): StatusRow[] {
  const ofListener: StatusRow[] =
    listener === null
      ? []
      : [
          {
            what: 'listener',
            name: listener.url,
            state: listener.running ? 'running' : 'stopped',
            pid: listener.pid,
            since: listener.since,
          },
          { what: 'rejected', count: listener.rejected },
        ]
  return [
    { what: 'journal', name: journal },
    ...ofListener,
    { what: 'last event', since: lastEventAt },
    ...members.map(
      ({ host, pid, since, shards: count }): StatusRow => ({
        what: 'forwarder',
        name: host,
        state: 'running',
        pid,
        since,
        count,
      }),
    ),
    ...(listener === null ? [{ what: 'unowned shards' as const, count: shards.unowned }] : []),
    ...pending.map(({ url, ...rest }): StatusRow => ({ what: 'target', name: url, ...rest })),
    ...givenUp.map(({ url, count }): StatusRow => ({ what: 'given up', name: url, count })),
    ...(pull === null
      ? []
      : [{ what: 'pull' as const, name: pull.error, state: pull.error === null ? 'ok' : 'failing', since: pull.at }]),
    ...standbys.map(({ name, sync }): StatusRow => ({ what: 'standby', name, state: sync })),
  ]
}
