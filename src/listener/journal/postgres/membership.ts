import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { type Connection, ConnectionLost, type Row, type Statement } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Availability } from './availability.js'
import { channel, lockClasses, shardCount } from './schema.js'
import type { Sessions } from './sessions.js'
import { type Claim, ShardTable } from './shards.js'

/**
 * The server ends a session without a heartbeat for this long, and releases its locks: the session is its own lease.
 */
const leaseSetting = '10s'
const heartbeatMs = 500

/** One of the forwarders of a journal: its membership and the shards that it owns, both as locks of one session. */
export interface Membership {
  /** The shards that may be read from, each with its epoch. */
  readable(): ReadonlyMap<number, number>
  /** Whether a forward may be started; waits for a heartbeat if the last one is too old. */
  mayStart(claim: Claim): boolean | Promise<boolean>
  /** Whether its outcome may be recorded: also while the shard is being given back. */
  mayFinish(claim: Claim): boolean
  /** A forward of this shard is in memory. */
  addForward(shard: number): void
  /** It no longer is. */
  removeForward(shard: number): void
  /** The journal says that another process has this shard now. */
  forget(claim: Claim): void
  /** Number of this forwarder's shards. */
  owned(): number
  /** Gives everything back and leaves. */
  close(): Promise<void>
}

interface MembershipEvents {
  /** Shards have come, or somebody has accepted events. */
  onWork(): void
  /** Shards have gone. */
  onWithdrawn(): void
}

/** Joins the forwarders of a journal, with a session that beats until it is closed and is opened again when it is lost. */
export function joinForwarders(sessions: Sessions, state: Availability, events: MembershipEvents): Membership {
  const closing = new AbortController()
  const id = randomInt(1, 2 ** 31 - 1)
  const name = `${hostname()} ${process.pid} ${id}`
  const shards = new ShardTable()
  let session: Connection | undefined
  /** Called at the next heartbeat, and when there is none to wait for. */
  let onBeat: (() => void)[] = []

  function wake() {
    const waiting = onBeat
    onBeat = []
    for (const resolve of waiting) resolve()
  }

  async function run() {
    while (!closing.signal.aborted) {
      try {
        // Its loss while nothing is asked clears `session`; the next beat fails on the connection itself.
        const connection = await open()
        session = connection
        for (;;) {
          await beat(connection)
          if (closing.signal.aborted) break
          await sleep(heartbeatMs, closing.signal)
        }
      } catch (error) {
        if (closing.signal.aborted) break
        lose()
        state.failed(error)
        await sleep(100, closing.signal)
        await state.whenUp(closing.signal)
      }
    }
  }

  async function open(): Promise<Connection> {
    const connection = await sessions.connect(`forwarder ${name}`, { settings: { idle_session_timeout: leaseSetting } })
    connection.onLost(lose)
    connection.onNotification(events.onWork)
    await connection.query(`LISTEN ${channel}`)
    await connection.query(`SELECT pg_advisory_lock(${lockClasses.forwarders}, ${id})`)
    return connection
  }

  function lose() {
    session?.destroy()
    session = undefined
    shards.loseAll()
    wake()
    events.onWithdrawn()
  }

  /** Renews the lease, and takes or gives back shards, so that each forwarder has about as many. */
  async function beat(connection: Connection): Promise<void> {
    const sentAtMs = performance.now()
    const [found] = await ask(connection, { name: 'beat', text: heartbeat })
    shards.trust(sentAtMs)
    wake()
    const fairShare = Math.ceil(shardCount / Math.max(1, Number(found?.members)))
    await giveBack(connection, fairShare)
    await lock(connection, shards.wanted(fairShare, numbersOf(found?.locked), randomInt(shardCount)))
    await acquire(connection, shards.rested(performance.now()))
    events.onWork()
  }

  async function giveBack(connection: Connection, fairShare: number) {
    const surplus = shards.surplus(fairShare)
    for (const shard of surplus) shards.apply(shard, { type: 'surplus' })
    if (surplus.length > 0) events.onWithdrawn()
    const drained = shards.drained()
    for (const shard of drained) shards.apply(shard, { type: 'released' })
    if (drained.length > 0) await release(connection, drained)
  }

  async function lock(connection: Connection, wanted: readonly number[]) {
    if (wanted.length === 0) return
    for (const { shard, owner } of await ask(connection, { name: 'lock', text: lockShards }, [wanted]))
      shards.apply(Number(shard), {
        type: 'locked',
        wasGivenBack: owner === null || owner === name,
        nowMs: performance.now(),
      })
  }

  async function acquire(connection: Connection, rested: readonly number[]) {
    if (rested.length === 0) return
    for (const { shard, epoch } of await ask(connection, { name: 'own', text: ownShards }, [rested, name]))
      shards.apply(Number(shard), { type: 'acquired', epoch: Number(epoch) })
  }

  async function release(connection: Connection, released: readonly number[]) {
    await ask(connection, { name: 'disown', text: disownShards }, [released, name])
    await ask(connection, { name: 'unlock', text: unlockShards }, [released])
  }

  /** Never `false` for a shard that is still held: the forwards behind this one would overtake it. */
  async function mayStartAfterBeat(claim: Claim): Promise<boolean> {
    while (shards.holds(claim)) {
      if (shards.isTrusted(performance.now())) return true
      await new Promise<void>((resolve) => onBeat.push(resolve))
    }
    return false
  }

  const running = run()
  return {
    readable: () => (shards.isTrusted(performance.now()) ? shards.held() : new Map()),
    mayStart(claim) {
      if (!shards.holds(claim)) return false
      return shards.isTrusted(performance.now()) || mayStartAfterBeat(claim)
    },
    mayFinish: (claim) => shards.owns(claim),
    addForward: (shard) => shards.addForward(shard),
    removeForward: (shard) => shards.removeForward(shard),
    forget(claim) {
      if (shards.owns(claim)) shards.apply(claim.shard, { type: 'lost' })
    },
    owned: () => shards.owned().length,
    async close() {
      closing.abort()
      await running
      const last = session
      if (last !== undefined && !last.isLost())
        await release(last, shards.owned()).catch(() => {
          // The server ends the lease by itself; its next owner waits a moment longer.
        })
      shards.loseAll()
      wake()
      await last?.close()
    },
  }
}

/** @throws ConnectionLost also if the session has ended just after the answer: its locks are gone */
async function ask(connection: Connection, statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
  const rows = await connection.query(statement, values, { isDurable: true })
  if (connection.isLost()) throw new ConnectionLost('the session of the forwarder has ended')
  return rows
}

function numbersOf(value: unknown): ReadonlySet<number> {
  return new Set(Array.isArray(value) ? value.map(Number) : [])
}

/**
 * A separate commit: a server that has lost its standby cannot make it, so its forwarders stop trusting their shards.
 */
const heartbeat = `
SELECT pg_logical_emit_message(true, 'dlv', 'beat') AS beat, m.* FROM (SELECT count(*) FILTER (WHERE classid = ${lockClasses.forwarders}) AS members,
  array_agg(objid::int) FILTER (WHERE classid = ${lockClasses.shards}) AS locked
FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS m`

const lockShards = `
SELECT s.shard, s.owner FROM (
  SELECT shard FROM unnest($1::int[]) AS free(shard) WHERE pg_try_advisory_lock(${lockClasses.shards}, shard)
) AS locked JOIN dlv.shards s ON s.shard = locked.shard`

const ownShards = `
UPDATE dlv.shards SET owner = $2, epoch = epoch + 1 WHERE shard = ANY($1::int[]) RETURNING shard, epoch`

const disownShards = 'UPDATE dlv.shards SET owner = NULL WHERE shard = ANY($1::int[]) AND owner = $2'

const unlockShards = `
SELECT pg_advisory_unlock(${lockClasses.shards}, shard) FROM unnest($1::int[]) AS given(shard)`
