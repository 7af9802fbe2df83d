import { describe, expect, it } from 'vitest'
import {
  nextState,
  restMs,
  type Shard,
  type ShardEvent,
  ShardTable,
} from '../../src/listener/journal/postgres/shards.js'
import { seededRandom } from '../../src/shared/math.js'
import { sampleCount, testSeed } from '../support/samples.js'

const shardCount = 64

describe('a shard', () => {
  const shards: Record<Shard['state'], Shard> = {
    free: { state: 'free' },
    resting: { state: 'resting', usableAtMs: 5_000 },
    held: { state: 'held', epoch: 7 },
    draining: { state: 'draining', epoch: 7 },
  }
  const events: Record<ShardEvent['type'], ShardEvent> = {
    locked: { type: 'locked', wasGivenBack: false, nowMs: 1_000 },
    acquired: { type: 'acquired', epoch: 8 },
    surplus: { type: 'surplus' },
    released: { type: 'released' },
    lost: { type: 'lost' },
  }
  /** Every transition; what is not here cannot happen. */
  const transitions: Partial<Record<`${Shard['state']} ${ShardEvent['type']}`, Shard>> = {
    'free locked': { state: 'resting', usableAtMs: 1_000 + restMs },
    'resting acquired': { state: 'held', epoch: 8 },
    'held surplus': { state: 'draining', epoch: 7 },
    'draining released': { state: 'free' },
    'free lost': { state: 'free' },
    'resting lost': { state: 'free' },
    'held lost': { state: 'free' },
    'draining lost': { state: 'free' },
  }
  const pairs = Object.values(shards).flatMap((shard) =>
    Object.values(events).map((event) => [shard.state, event.type, shard, event] as const),
  )

  it.each(pairs)('that is %s, when it is %s', (state, type, shard, event) => {
    const next = transitions[`${state} ${type}`]
    if (next === undefined) expect(() => nextState(shard, event)).toThrow(`${state} cannot be ${type}`)
    else expect(nextState(shard, event)).toEqual(next)
  })

  it('that was given back does not rest', () => {
    const locked = nextState({ state: 'free' }, { type: 'locked', wasGivenBack: true, nowMs: 1_000 })
    expect(locked).toEqual({ state: 'resting', usableAtMs: 1_000 })
  })
})

/** The locks of a server, and the row of each shard. */
interface Server {
  locks: (Forwarder | undefined)[]
  owners: (Forwarder | null)[]
  epochs: number[]
}

interface Forwarder {
  table: ShardTable
  hasSession: boolean
  /** Whether it hears from the server: otherwise it goes on as before, and does not know. */
  isReached: boolean
  /** Forwards in memory. */
  forwards: { shard: number; epoch: number }[]
}

function beat(forwarder: Forwarder, all: readonly Forwarder[], server: Server, sentAtMs: number, nowMs: number) {
  const { table } = forwarder
  if (!forwarder.hasSession) {
    table.loseAll()
    forwarder.hasSession = true
  }
  table.trust(sentAtMs)
  const share = Math.ceil(shardCount / all.filter(({ hasSession }) => hasSession).length)
  const fairShare = () => share
  for (const shard of table.surplus(fairShare)) table.apply(shard, { type: 'surplus' })
  for (const shard of table.drained()) {
    expectNoneInMemory(shard, forwarder)
    table.apply(shard, { type: 'released' })
    server.owners[shard] = null
    server.locks[shard] = undefined
  }
  const locked = new Set(server.locks.flatMap((holder, shard) => (holder === undefined ? [] : [shard])))
  for (const shard of table.wanted(fairShare, locked, 0)) {
    server.locks[shard] = forwarder
    const owner = server.owners[shard]
    table.apply(shard, { type: 'locked', wasGivenBack: owner === null || owner === forwarder, nowMs })
  }
  for (const shard of table.rested(nowMs)) {
    expectNoneInMemory(shard, forwarder)
    const epoch = (server.epochs[shard] ?? 0) + 1
    server.epochs[shard] = epoch
    server.owners[shard] = forwarder
    table.apply(shard, { type: 'acquired', epoch })
  }
}

/** Otherwise the next owner's forwards would overtake them. */
function expectNoneInMemory(shard: number, { forwards }: Forwarder) {
  expect(forwards.filter((forward) => forward.shard === shard)).toEqual([])
}

/** The server ends the session, and with it every lock. */
function endSession(forwarder: Forwarder, server: Server) {
  forwarder.hasSession = false
  server.locks = server.locks.map((holder) => (holder === forwarder ? undefined : holder))
}

/** Forwards come into memory while their shard is held, and leave it at some time. */
function forwardSome({ table, forwards }: Forwarder, random: () => number, nowMs: number) {
  const held = table.isTrusted(nowMs) ? [...table.held()] : []
  const [shard, epoch] = held[Math.floor(random() * held.length)] ?? []
  if (shard !== undefined && epoch !== undefined) {
    table.addForward(shard)
    forwards.push({ shard, epoch })
  }
  while (forwards.length > 0 && random() < 0.5) table.removeForward(forwards.shift()?.shard ?? 0)
}

describe('the shards of several forwarders', () => {
  it.each(
    Array.from({ length: sampleCount(4) }, (_, at) => testSeed() + at),
  )('are sent from by one at a time, and all of them in the end (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const server: Server = {
      locks: Array.from({ length: shardCount }),
      owners: Array.from({ length: shardCount }, () => null),
      epochs: Array.from({ length: shardCount }, () => 0),
    }
    const all = Array.from({ length: 4 }, (): Forwarder => {
      return { table: new ShardTable([0]), hasSession: false, isReached: true, forwards: [] }
    })
    const faultsEndAtMs = 120_000
    for (let nowMs = 0; nowMs < faultsEndAtMs + 20_000; nowMs += 100) {
      const isCalm = nowMs >= faultsEndAtMs
      for (const forwarder of all) {
        if (isCalm || random() < 0.05) forwarder.isReached = true
        else if (random() < 0.01) forwarder.isReached = false
        // Also while it hears from the server, as after a promotion.
        if (!isCalm && forwarder.hasSession && random() < 0.01) endSession(forwarder, server)
        const isDue = nowMs % 500 === 0
        if (forwarder.isReached && isDue) beat(forwarder, all, server, nowMs - Math.floor(random() * 1_000), nowMs)
        forwardSome(forwarder, random, nowMs)
      }
      const senders = all.filter(({ table }) => table.isTrusted(nowMs)).flatMap(({ table }) => [...table.held().keys()])
      const recorders = all.flatMap(({ table }) =>
        table.owned().filter((shard) => table.owns({ shard, epoch: server.epochs[shard] ?? 0 })),
      )
      for (const shards of [senders, recorders]) expect([nowMs, new Set(shards).size]).toEqual([nowMs, shards.length])
    }
    const held = all.map(({ table }) => [...table.held().keys()])
    expect(held.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: shardCount }, (_, shard) => shard))
    expect(held.map(({ length }) => length)).toEqual([16, 16, 16, 16])
  })
})
