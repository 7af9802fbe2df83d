import type { DatabaseSync } from 'node:sqlite'
import { reading } from './failure.js'
import type { GroupCommit } from './group-commit.js'

/** One event on its way to one target. */
export interface PendingForward {
  seq: number
  id: string
  /** Events with the same lane keep their order: the delivery, or the event itself where it has none. */
  lane: string
}

/** What is kept about forwarding: which event still has to go where, and what went. */
export interface ForwardLedger {
  /** What waits for a target behind `afterSeq`, oldest first, so many at most; from an earlier run as well. */
  pending(url: string, afterSeq: number, limit: number): PendingForward[]
  /** Makes the end of a forward durable: delivered with a 2xx, or given up. It is not pending from then on. */
  finish(forward: {
    seq: number
    url: string
    delivered: boolean
    attempts: number
    status: number | undefined
  }): Promise<void>
}

export function forwardLedger(database: DatabaseSync, file: string, commit: GroupCommit): ForwardLedger {
  const pending = database.prepare(`
    SELECT forwards.seq AS seq, events.id AS id, coalesce(events.delivery_id, events.id) AS lane
    FROM forwards JOIN events ON events.seq = forwards.seq
    WHERE forwards.url = ? AND forwards.state = 'pending' AND forwards.seq > ? ORDER BY forwards.seq LIMIT ?`)
  const finish = database.prepare(`
    UPDATE forwards SET state = ?, attempts = ?, status = ?, finished_at_ms = ? WHERE url = ? AND seq = ?`)
  return {
    pending: (url, afterSeq, limit) =>
      reading(file, () => pending.all(url, afterSeq, limit)).map((row) => ({
        seq: Number(row.seq),
        id: String(row.id),
        lane: String(row.lane),
      })),
    finish: ({ seq, url, delivered, attempts, status }) =>
      commit.write(() => {
        finish.run(delivered ? 'delivered' : 'given-up', attempts, status ?? null, Date.now(), url, seq)
      }),
  }
}
