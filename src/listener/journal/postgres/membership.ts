import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { type Connection, ConnectionLost } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Availability } from './availability.js'
import { channel, lockClasses, shardCount } from './schema.js'
import type { Sessions } from './sessions.js'

/** Without a heartbeat for so long the server ends the session, and with it every lock: the lease is its own. */
const leaseSetting = '10s'
const heartbeatMs = 500
/**
 * For how long after a heartbeat a forwarder trusts its shards. A server that it can no longer ask may have been
 * replaced, and its shards been given to others.
 */
const trustedMs = 1_500
/** How long a shard that was not given back rests before its next owner uses it: until its last owner trusts it no more. */
const restMs = 2_000

/** One of the forwarders of a journal: its membership and the shards that it owns, both as locks of one session. */
export interface Membership {
  /** The shards that may be read from, each with its epoch. */
  readable(): ReadonlyMap<number, number>
  /** Whether a forward of this shard and epoch may be sent; waits for a heartbeat if the last one is too old. */
  mayStart(claim: Claim): boolean | Promise<boolean>
  /** Whether its end may be recorded: also while the shard is being given back. */
  mayFinish(claim: Claim): boolean
  held(shard: number): void
  released(shard: number): void
  /** The journal says that another process has this shard now. */
  forget(claim: Claim): void
  owned(): number
  /** Gives everything back and leaves. */
  close(): Promise<void>
}

export interface Claim {
  shard: number
  epoch: number
}

export interface MembershipEvents {
  /** Shards have come, or somebody has accepted events. */
  onWork(): void
  /** Shards have gone. */
  onWithdrawn(): void
}

interface OwnedShard {
  epoch: number
  isDraining: boolean
}

export function joinForwarders(sessions: Sessions, state: Availability, events: MembershipEvents): Membership {
  const closing = new AbortController()
  const id = randomInt(1, 2 ** 31 - 1)
  const name = `${hostname()} ${process.pid} ${id}`
  const owned = new Map<number, OwnedShard>()
  /** Locked, but not to be used before its last owner has stopped trusting it. */
  const resting = new Map<number, number>()
  const counts = new Map<number, number>()
  /** What was owned before the session was lost is taken first. */
  let lastOwned: number[] = []
  let trustedUntil = 0
  let session: Connection | undefined
  const beaten: (() => void)[] = []

  const isTrusted = () => performance.now() < trustedUntil
  const wake = () => {
    for (const resolve of beaten.splice(0)) resolve()
  }

  const isOurs = ({ shard, epoch }: Claim) => {
    const one = owned.get(shard)
    return one?.epoch === epoch && !one.isDraining
  }

  /** Never `false` for a shard that is still owned: what is behind it in its lane would overtake it. */
  async function trustedAgain(claim: Claim): Promise<boolean> {
    while (isOurs(claim)) {
      if (isTrusted()) return true
      await new Promise<void>((resolve) => beaten.push(resolve))
    }
    return false
  }

  async function run() {
    while (!closing.signal.aborted) {
      try {
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

  /** Everything that was owned is another's from now on, as far as anybody here knows. */
  function lose() {
    session?.destroy()
    session = undefined
    trustedUntil = 0
    if (owned.size > 0) lastOwned = [...owned.keys()]
    owned.clear()
    resting.clear()
    wake()
    events.onWithdrawn()
  }

  /** Renews the lease, and takes or gives back shards, so that each forwarder has about as many. */
  async function beat(connection: Connection): Promise<void> {
    const sentAt = performance.now()
    const [found] = await connection.query({ name: 'beat', text: heartbeat }, [], { isDurable: true })
    if (connection.isLost()) throw new ConnectionLost('the session of the forwarder has ended')
    trustedUntil = sentAt + trustedMs
    wake()
    const fair = Math.ceil(shardCount / Math.max(1, Number(found?.members)))
    const locked = new Set((found?.locked as number[] | null) ?? [])
    await giveBack(connection, fair)
    await take(connection, fair, locked)
    await useRested(connection)
    events.onWork()
  }

  async function giveBack(connection: Connection, fair: number) {
    const active = [...owned].filter(([, { isDraining }]) => !isDraining)
    const surplus = active.slice(0, Math.max(0, active.length + resting.size - fair))
    for (const [, shard] of surplus) shard.isDraining = true
    if (surplus.length > 0) events.onWithdrawn()
    const drained = [...owned].filter(([shard, { isDraining }]) => isDraining && (counts.get(shard) ?? 0) === 0)
    if (drained.length === 0) return
    const shards = drained.map(([shard]) => shard)
    for (const shard of shards) owned.delete(shard)
    await release(connection, shards)
  }

  async function take(connection: Connection, fair: number, locked: ReadonlySet<number>) {
    const room = fair - owned.size - resting.size
    if (room <= 0) return
    const own = new Set(lastOwned)
    const start = randomInt(shardCount)
    const free = Array.from({ length: shardCount }, (_, index) => (index + start) % shardCount)
      // What is still held from an earlier epoch is on its way out.
      .filter((shard) => !locked.has(shard) && !owned.has(shard) && (counts.get(shard) ?? 0) === 0)
      .toSorted((a, b) => Number(own.has(b)) - Number(own.has(a)))
      .slice(0, room)
    if (free.length === 0) return
    const rows = await connection.query({ name: 'take', text: takeLocks }, [free])
    const isRestless = ({ owner }: Record<string, unknown>) => owner == null || owner === name
    const now = rows.filter(isRestless).map(({ shard }) => Number(shard))
    for (const row of rows) if (!isRestless(row)) resting.set(Number(row.shard), performance.now() + restMs)
    if (now.length > 0) await acquire(connection, now)
  }

  async function useRested(connection: Connection) {
    const ready = [...resting].filter(([, at]) => performance.now() >= at).map(([shard]) => shard)
    if (ready.length === 0) return
    await acquire(connection, ready)
    for (const shard of ready) resting.delete(shard)
  }

  async function acquire(connection: Connection, shards: readonly number[]) {
    const rows = await connection.query({ name: 'own', text: ownShards }, [shards, name], { isDurable: true })
    for (const { shard, epoch } of rows) owned.set(Number(shard), { epoch: Number(epoch), isDraining: false })
  }

  async function release(connection: Connection, shards: readonly number[]) {
    await connection.query({ name: 'disown', text: disownShards }, [shards, name], { isDurable: true })
    await connection.query({ name: 'unlock', text: unlockShards }, [shards])
  }

  const running = run()
  return {
    readable: () =>
      new Map(
        isTrusted() ? [...owned].filter(([, one]) => !one.isDraining).map(([shard, { epoch }]) => [shard, epoch]) : [],
      ),
    mayStart(claim) {
      if (!isOurs(claim)) return false
      return isTrusted() || trustedAgain(claim)
    },
    forget({ shard, epoch }) {
      if (owned.get(shard)?.epoch === epoch) owned.delete(shard)
    },
    mayFinish: ({ shard, epoch }) => owned.get(shard)?.epoch === epoch,
    held: (shard) => void counts.set(shard, (counts.get(shard) ?? 0) + 1),
    released: (shard) => void counts.set(shard, Math.max(0, (counts.get(shard) ?? 0) - 1)),
    owned: () => owned.size,
    async close() {
      closing.abort()
      await running
      const last = session
      if (last !== undefined && !last.isLost() && owned.size > 0)
        await release(last, [...owned.keys()]).catch(() => {
          // The server ends the lease by itself; its next owner waits a moment longer.
        })
      owned.clear()
      wake()
      await last?.close()
    },
  }
}

/** A commit of its own: a server that has lost its standby cannot make it, and its forwarders stop trusting their shards. */
const heartbeat = `
SELECT pg_logical_emit_message(true, 'dlv', 'beat') AS beat, m.* FROM (SELECT count(*) FILTER (WHERE classid = ${lockClasses.forwarders}) AS members,
  array_agg(objid::int) FILTER (WHERE classid = ${lockClasses.shards}) AS locked
FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS m`

const takeLocks = `
SELECT s.shard, s.owner FROM (
  SELECT shard FROM unnest($1::int[]) AS free(shard) WHERE pg_try_advisory_lock(${lockClasses.shards}, shard)
) AS locked JOIN dlv.shards s ON s.shard = locked.shard`

const ownShards = `
UPDATE dlv.shards SET owner = $2, epoch = epoch + 1 WHERE shard = ANY($1::int[]) RETURNING shard, epoch`

const disownShards = 'UPDATE dlv.shards SET owner = NULL WHERE shard = ANY($1::int[]) AND owner = $2'

const unlockShards = `
SELECT pg_advisory_unlock(${lockClasses.shards}, shard) FROM unnest($1::int[]) AS given(shard)`
