import type { DatabaseSync } from 'node:sqlite'
import type { JournalEvent } from '../event.js'
import type { ForwardLedger } from '../forwards.js'
import { ofAccounts } from './accounts.js'
import { reading } from './failure.js'
import type { GroupCommit } from './group-commit.js'

/** The forwards of a file, which one process writes: all of those of its accounts are its own. */
export function forwardLedger(
  database: DatabaseSync,
  file: string,
  write: GroupCommit['write'],
  { bySeq, accounts }: { bySeq(seq: number): JournalEvent | undefined; accounts: readonly string[] | undefined },
): ForwardLedger {
  const own =
    accounts === undefined ? '' : `AND (SELECT ${ofAccounts(accounts)} FROM events e WHERE e.seq = forwards.seq)`
  const waiting = database.prepare(
    `SELECT seq FROM forwards WHERE url = ? AND state = 'pending' ${own} ORDER BY seq LIMIT ?`,
  )
  const event = database.prepare('SELECT id, coalesce(delivery_id, id) AS lane FROM events WHERE seq = ?')
  return {
    isSoleWriter: true,
    join: async () => {},
    leave: async () => {},
    async pending(url, held, limit) {
      const free = reading(file, () => waiting.all(url, held.size + limit))
        .map(({ seq }) => Number(seq))
        .filter((seq) => !held.has(seq))
        .slice(0, limit)
      const forwards = free.map((seq) => {
        const row = reading(file, () => event.get(seq))
        return { seq, id: String(row?.id), lane: String(row?.lane) }
      })
      return { forwards, hasMore: free.length === limit }
    },
    event: async ({ seq }) => bySeq(seq),
    owns: () => true,
    async finish({ forward, url, delivered, attempts, status = null }) {
      const state = delivered ? 'delivered' : 'given-up'
      await write({ kind: 'finish', state, attempts, status, atMs: Date.now(), url, seq: forward.seq })
      return true
    },
    async resent(seq, url) {
      await write({ kind: 'resent', atMs: Date.now(), url, seq })
    },
    release: () => {},
  }
}
