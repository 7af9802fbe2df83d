import { shardCount } from './schema.js'

/**
 * The shards of one forwarder: which it may read and send from, and which it takes or gives back next. Without a server
 * and without a clock; `membership.ts` beside it has both.
 *
 *     free ──locked──▶ resting ──acquired──▶ held ──surplus──▶ draining ──released──▶ free
 *
 * `lost` leads from each state to free.
 *
 * **Why no two forwarders send from one shard.** The server gives the lock of a shard to one session at a time, and ends
 * a session that it does not hear from; but the process behind it may be alive, and not know. So a forwarder trusts its
 * shards only for `trustedMs` after it has sent a heartbeat that was answered, and a shard that its last owner has not
 * given back rests for `restMs`, which is longer, before the next one uses it. An attempt that began in time may end
 * later: each acquisition raises the shard's epoch, and outcomes are recorded only under the current one.
 *
 * **Why no delivery is overtaken.** A shard is given back, or taken again, only when none of its forwards is in memory.
 */

/** For how long after a heartbeat was sent a forwarder trusts its shards. */
const trustedMs = 1_500
/** How long a shard rests that was not released: until its previous owner no longer trusts it. */
export const restMs = 2_000

/** The right to send a forward: its shard, at the epoch under which it was read. */
export interface Claim {
  shard: number
  epoch: number
}

/** One shard, as a forwarder knows it. */
export type Shard =
  | { state: 'free' }
  /** Locked by this forwarder, and not to be used before that time. */
  | { state: 'resting'; usableAtMs: number }
  | { state: 'held'; epoch: number }
  /** Nothing of it is started any more, so that it can be given back. */
  | { state: 'draining'; epoch: number }

/** A change to a shard. */
export type ShardEvent =
  /** This forwarder has got its lock. */
  | { type: 'locked'; wasGivenBack: boolean; nowMs: number }
  /** The server has recorded this forwarder as its owner. */
  | { type: 'acquired'; epoch: number }
  /** Others have fewer shards. */
  | { type: 'surplus' }
  | { type: 'released' }
  /** The session has ended, or the server says that somebody else owns it. */
  | { type: 'lost' }

const free: Shard = { state: 'free' }

/** The number of the account that a shard belongs to. */
function accountOf(shard: number): number {
  return Math.floor(shard / shardCount)
}

/** @throws Error if this cannot happen to a shard in this state */
export function nextState(shard: Shard, event: ShardEvent): Shard {
  if (event.type === 'lost') return free
  if (event.type === 'locked' && shard.state === 'free')
    return { state: 'resting', usableAtMs: event.nowMs + (event.wasGivenBack ? 0 : restMs) }
  if (event.type === 'acquired' && shard.state === 'resting') return { state: 'held', epoch: event.epoch }
  if (event.type === 'surplus' && shard.state === 'held') return { state: 'draining', epoch: shard.epoch }
  if (event.type === 'released' && shard.state === 'draining') return free
  throw new Error(`A shard that is ${shard.state} cannot be ${event.type}.`)
}

/** The shards of an account: one after the other, from its number times their count on. */
function shardsOf(accountNumber: number): number[] {
  return Array.from({ length: shardCount }, (_, part) => accountNumber * shardCount + part)
}

/** All shards of some accounts, as one forwarder knows them, and how many forwards of each it has in memory. */
export class ShardTable {
  readonly #shards: Map<number, Shard>
  readonly #forwards = new Map<number, number>()
  /** Shards of the last session: they are taken first. */
  #lastOwned: ReadonlySet<number> = new Set()
  #trustedUntilMs = 0

  constructor(readonly accountNumbers: readonly number[]) {
    this.#shards = new Map(accountNumbers.flatMap(shardsOf).map((shard) => [shard, free]))
  }

  apply(shard: number, event: ShardEvent): void {
    this.#shards.set(shard, nextState(this.#shards.get(shard) ?? free, event))
  }

  /** The journal says that another process has the shard of this claim now. */
  forget(claim: Claim): void {
    if (this.owns(claim)) this.apply(claim.shard, { type: 'lost' })
  }

  /** A heartbeat that was sent then has been answered. */
  trust(sentAtMs: number): void {
    this.#trustedUntilMs = sentAtMs + trustedMs
  }

  isTrusted(nowMs: number): boolean {
    return nowMs < this.#trustedUntilMs
  }

  /** Ends the session: from now on, every shard may belong to another process. */
  loseAll(): void {
    const owned = this.owned()
    if (owned.length > 0) this.#lastOwned = new Set(owned)
    this.#trustedUntilMs = 0
    for (const shard of this.#shards.keys()) this.#shards.set(shard, free)
  }

  /** Whether a forward of this claim may be started, as long as the shards are trusted. */
  holds(claim: Claim): boolean {
    return this.owns(claim) && this.#shards.get(claim.shard)?.state === 'held'
  }

  /** Whether the outcome of this claim may be recorded: also while the shard is draining. */
  owns({ shard, epoch }: Claim): boolean {
    const one = this.#shards.get(shard)
    return (one?.state === 'held' || one?.state === 'draining') && one.epoch === epoch
  }

  /** The shards that are held, each with its epoch. */
  held(): Map<number, number> {
    return new Map([...this.#shards].flatMap(([shard, one]) => (one.state === 'held' ? [[shard, one.epoch]] : [])))
  }

  /** The shards that are held or draining. */
  owned(): number[] {
    return this.#in('held', 'draining')
  }

  /** A forward of this shard is in memory. */
  addForward(shard: number): void {
    this.#forwards.set(shard, this.#held(shard) + 1)
  }

  /** It no longer is. */
  removeForward(shard: number): void {
    this.#forwards.set(shard, Math.max(0, this.#held(shard) - 1))
  }

  #held(shard: number): number {
    return this.#forwards.get(shard) ?? 0
  }

  /** Held shards beyond a fair share, which each account has of its own. */
  surplus(fairShare: (accountNumber: number) => number): number[] {
    return this.accountNumbers.flatMap((account) => {
      const isIts = (shard: number) => accountOf(shard) === account
      const excess = this.#in('held', 'resting').filter(isIts).length - fairShare(account)
      return this.#in('held').filter(isIts).slice(0, Math.max(0, excess))
    })
  }

  /** Draining shards that can be released. */
  drained(): number[] {
    return this.#in('draining').filter((shard) => this.#held(shard) === 0)
  }

  /**
   * Free shards to lock, of each account up to its fair share: first those of the last session, then each from `start` on.
   *
   * @param locked shards whose lock somebody has
   */
  wanted(fairShare: (accountNumber: number) => number, locked: ReadonlySet<number>, start: number): number[] {
    const [taken, free] = [this.#in('held', 'draining', 'resting'), this.#in('free')]
    return this.accountNumbers.flatMap((account) => {
      const isIts = (shard: number) => accountOf(shard) === account
      return free
        .filter((shard) => isIts(shard) && !locked.has(shard) && this.#held(shard) === 0)
        .toSorted((a, b) => this.#rank(a, start) - this.#rank(b, start))
        .slice(0, Math.max(0, fairShare(account) - taken.filter(isIts).length))
    })
  }

  #rank(shard: number, start: number): number {
    return (this.#lastOwned.has(shard) ? 0 : shardCount) + ((shard - start + shardCount) % shardCount)
  }

  /** Resting shards that can be acquired. */
  rested(nowMs: number): number[] {
    return this.#in('resting').filter((shard) => {
      const one = this.#shards.get(shard)
      return one?.state === 'resting' && nowMs >= one.usableAtMs
    })
  }

  #in(...states: readonly Shard['state'][]): number[] {
    return [...this.#shards].flatMap(([shard, { state }]) => (states.includes(state) ? [shard] : []))
  }
}
