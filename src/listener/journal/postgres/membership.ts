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

interface MembershipEvents {
  /** Shards have come, or somebody has accepted events. */
  onWork(): void
  /** Shards have gone. */
  onWithdrawn(): void
}

/**
 * One of the forwarders of a journal, from now until it is closed: its membership and the shards that it owns, both as
 * locks of one session, which beats, and is opened again when it is lost.
 */
export class Membership {
  /** What may be sent and recorded. */
  readonly shards: ShardTable
  readonly #id = randomInt(1, 2 ** 31 - 1)
  readonly #name = `${hostname()} ${process.pid} ${this.#id}`
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #session: Connection | undefined
  /** Called at the next heartbeat, and when there is none to wait for. */
  #onBeat: (() => void)[] = []

  constructor(
    private readonly sessions: Sessions,
    private readonly state: Availability,
    /** The numbers of the accounts that it forwards for. */
    accountNumbers: readonly number[],
    private readonly events: MembershipEvents,
  ) {
    this.shards = new ShardTable(accountNumbers)
    this.#running = this.#run()
  }

  /** The shards that may be read from, each with its epoch. */
  readable(): ReadonlyMap<number, number> {
    return this.shards.isTrusted(performance.now()) ? this.shards.held() : new Map()
  }

  /** Whether a forward may be started; waits for a heartbeat if the last one is too old. */
  mayStart(claim: Claim): boolean | Promise<boolean> {
    if (!this.shards.holds(claim)) return false
    return this.shards.isTrusted(performance.now()) || this.#mayStartAfterBeat(claim)
  }

  /** Gives everything back and leaves. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
    const last = this.#session
    if (last !== undefined && !last.isLost())
      await this.#release(last, this.shards.owned()).catch(() => {
        // The server ends the lease by itself; its next owner waits a moment longer.
      })
    this.shards.loseAll()
    this.#wake()
    await last?.close()
  }

  async #run() {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#beatUntilClosed()
      } catch (error) {
        if (signal.aborted) break
        this.#lose()
        this.state.failed(error)
        await sleep(100, signal)
        await this.state.whenUp(signal)
      }
    }
  }

  async #beatUntilClosed() {
    const { signal } = this.#closing
    // Its loss while nothing is asked clears `#session`; the next beat fails on the connection itself.
    const connection = await this.#open()
    this.#session = connection
    do {
      await this.#beat(connection)
      await sleep(heartbeatMs, signal)
    } while (!signal.aborted)
  }

  async #open(): Promise<Connection> {
    const settings = { idle_session_timeout: leaseSetting }
    const connection = await this.sessions.connect(`forwarder ${this.#name}`, { settings })
    connection.onLost(() => this.#lose())
    connection.onNotification(() => this.events.onWork())
    await connection.query(`LISTEN ${channel}`)
    await connection.query(`SELECT pg_advisory_lock(${lockClasses.forwarders}, ${this.#id})`)
    const { accountNumbers } = this.shards
    await connection.query(
      `SELECT pg_advisory_lock_shared(${lockClasses.members}, number) FROM unnest($1::int[]) AS own(number)`,
      [accountNumbers],
    )
    return connection
  }

  #lose() {
    this.#session?.destroy()
    this.#session = undefined
    this.shards.loseAll()
    this.#wake()
    this.events.onWithdrawn()
  }

  #wake() {
    for (const resolve of this.#onBeat.splice(0)) resolve()
  }

  /** Renews the lease, and takes or gives back shards, so that each forwarder of an account has about as many. */
  async #beat(connection: Connection): Promise<void> {
    const { shards } = this
    const sentAtMs = performance.now()
    const [found] = await ask(connection, { name: 'beat', text: heartbeat })
    shards.trust(sentAtMs)
    this.#wake()
    const members = numbersIn(found?.members)
    const fairShare = (account: number) =>
      Math.ceil(shardCount / Math.max(1, members.filter((one) => one === account).length))
    await this.#giveBack(connection, fairShare)
    await this.#lock(connection, shards.wanted(fairShare, new Set(numbersIn(found?.locked)), randomInt(shardCount)))
    await this.#acquire(connection, shards.rested(performance.now()))
    this.events.onWork()
  }

  async #giveBack(connection: Connection, fairShare: (account: number) => number) {
    const surplus = this.shards.surplus(fairShare)
    for (const shard of surplus) this.shards.apply(shard, { type: 'surplus' })
    if (surplus.length > 0) this.events.onWithdrawn()
    const drained = this.shards.drained()
    for (const shard of drained) this.shards.apply(shard, { type: 'released' })
    await this.#release(connection, drained)
  }

  async #lock(connection: Connection, wanted: readonly number[]) {
    if (wanted.length === 0) return
    for (const { shard, owner } of await ask(connection, { name: 'lock', text: lockShards }, [wanted])) {
      const wasGivenBack = owner === null || owner === this.#name
      this.shards.apply(Number(shard), { type: 'locked', wasGivenBack, nowMs: performance.now() })
    }
  }

  async #acquire(connection: Connection, rested: readonly number[]) {
    if (rested.length === 0) return
    for (const { shard, epoch } of await ask(connection, { name: 'own', text: ownShards }, [rested, this.#name]))
      this.shards.apply(Number(shard), { type: 'acquired', epoch: Number(epoch) })
  }

  async #release(connection: Connection, released: readonly number[]) {
    if (released.length === 0) return
    await ask(connection, { name: 'disown', text: disownShards }, [released, this.#name])
    await ask(connection, { name: 'unlock', text: unlockShards }, [released])
  }

  /** Never `false` for a shard that is still held: the forwards behind this one would overtake it. */
  async #mayStartAfterBeat(claim: Claim): Promise<boolean> {
    while (this.shards.holds(claim)) {
      if (this.shards.isTrusted(performance.now())) return true
      await new Promise<void>((resolve) => this.#onBeat.push(resolve))
    }
    return false
  }
}

/** @throws ConnectionLost also if the session has ended just after the answer: its locks are gone */
async function ask(connection: Connection, statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
  const rows = await connection.query(statement, values, { isDurable: true })
  if (connection.isLost()) throw new ConnectionLost('the session of the forwarder has ended')
  return rows
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : []
}

/**
 * A separate commit: a server that has lost its standby cannot make it, so its forwarders stop trusting their shards.
 */
const heartbeat = `
SELECT pg_logical_emit_message(true, 'dlv', 'beat') AS beat, m.* FROM (
  SELECT array_agg(objid::int) FILTER (WHERE classid = ${lockClasses.members}) AS members,
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
