import { plainText } from './plain-text.js'
import { paint } from './style.js'
import { idOf, type View } from './view.js'

/** A journal that several processes share, as `webhooks status` shows it. */
export interface JournalStatusShown {
  members: { host: string | null; pid: number | null; since: string | null; shards: number }[]
  shards: { total: number; owned: number; unowned: number }
  pending: { url: string; count: number; oldestSeconds: number }[]
  standbys: { name: string | null; host: string | null; state: string | null; sync: string | null }[]
}

/** Who forwards, what waits, and who has a copy. */
export const journalStatusView: View<JournalStatusShown> = {
  id: idOf('shards'),
  columns: [{ name: 'members' }, { name: 'shards' }, { name: 'pending' }, { name: 'standbys' }],
  rows: (status) => [status],
  card({ members, shards, pending, standbys }, style) {
    const heading = (text: string) => paint(style, 'bold', text)
    const list = (items: readonly string[], none: string) =>
      (items.length === 0 ? [none] : items).map((one) => `  ${one}`)
    const unowned = `${shards.unowned} of ${shards.total} shards have no forwarder`
    const waiting = [
      heading('Waiting'),
      ...list(
        pending.map(({ url, count, oldestSeconds }) => `${count}  oldest ${oldestSeconds} s  ${plainText(url)}`),
        'nothing',
      ),
    ]
    // A journal in a file has one listener, and no copy.
    if (shards.total === 0) return waiting.join('\n')
    return [
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
