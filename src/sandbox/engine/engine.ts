import { randomBytes } from 'node:crypto'
import { newSecret, type Post, type PostResult } from '../../webhooks/index.js'
import type { Store } from '../store/store.js'
import { defaultSwitches, type Switches } from '../switches.js'
import type { FaultDraws } from './fault-rules.js'
import type { VirtualClock } from './virtual-clock.js'

/** The parts that the whole shell shares. */
export interface Engine {
  store: Store
  clock: VirtualClock
  identifiers: Identifiers
  /** In [0, 1); repeatable if the sandbox was started with a seed. */
  random: () => number
  /** Real time: for signatures, HTTP and leases, never for what the contract times. */
  realNowMs: () => number
  /** The address of this sandbox's own pages, with no trailing slash. */
  publicUrl: () => string
  /** The address that this process listens at, if it does. */
  origin: string | undefined
  /** Answers a challenge that reached this address of this machine, as proof of whose sandbox it is. */
  prove?: (challenge: string, reachedAt: string | undefined) => string | undefined
  /** Names under which it may be called beyond those of loopback, in lower case. */
  allowedHosts: ReadonlySet<string>
  /** Whether receivers of webhooks on private networks may do without TLS. */
  allowsHttpReceivers: boolean
  draws: FaultDraws
  rateLimit: number | 'off' | undefined
  /** The switches that the sandbox was started with: a reset goes back to them. */
  initialSwitches: Partial<Switches>
  initialTimeScale: number | undefined
  /** Tells the worker that something may have fallen due. */
  wake: () => void
  /** Sends webhooks instead of HTTP, and gets the virtual time. */
  sendWebhook: ((webhook: Post, nowMs: number) => Promise<PostResult>) | undefined
  /** Told of an error that no answer accounts for. */
  report: (error: unknown) => void
}

/** Every request asks several times. */
const switchesBySetting = new WeakMap<object, Switches>()

export function switchesOf(store: Store): Switches {
  const changed = store.settings.get<Partial<Switches>>('switches')
  if (changed === undefined) return defaultSwitches
  const known = switchesBySetting.get(changed)
  if (known !== undefined) return known
  const switches = { ...defaultSwitches, ...changed }
  switchesBySetting.set(changed, switches)
  return switches
}

/** Whether the service plays an outage. */
export function isOut(store: Store): boolean {
  return store.settings.get<boolean>('outage') === true
}

/** Number of drivers that can still be assigned; `undefined` for no limit. */
export function capacityOf(store: Store): number | undefined {
  return store.settings.get<number>('capacity')
}

type SecretsByAccount = Readonly<Record<string, string[]>>

/** The signing secrets of an account, newest first. */
export function secretsOf(store: Store, accountId: string): string[] {
  const known = store.settings.get<SecretsByAccount>('secrets')?.[accountId]
  return known ?? store.write(() => keepSecrets(store, accountId, [newSecret()]))
}

/** Replaces the signing secrets of an account within the running `write`. */
export function keepSecrets(store: Store, accountId: string, secrets: string[]): string[] {
  store.settings.set('secrets', { ...store.settings.get<SecretsByAccount>('secrets'), [accountId]: secrets })
  return secrets
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LENGTH = 16

/** Gives numbers in [0, 32): five random bits at a time. */
type FiveBits = () => number

/** Identifiers of 26 characters after their prefix: ten for the millisecond, sixteen at random; they sort by time. */
export class Identifiers {
  constructor(private readonly fiveBits: FiveBits = cryptoBits()) {}

  next(prefix: string, nowMs: number): string {
    let time = ''
    let rest = Math.max(0, nowMs)
    for (let place = 0; place < 10; place++) {
      time = alphabet.charAt(rest % 32) + time
      rest = Math.floor(rest / 32)
    }
    let random = ''
    for (let place = 0; place < RANDOM_LENGTH; place++) random += alphabet.charAt(this.fiveBits())
    return `${prefix}_${time}${random}`
  }
}

function cryptoBits(): FiveBits {
  let pool = randomBytes(0)
  let used = 0
  return () => {
    if (used === pool.length) {
      pool = randomBytes(4096)
      used = 0
    }
    return (pool[used++] ?? 0) & 31
  }
}
