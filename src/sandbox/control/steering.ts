import type { KnownErrorCode, OperationName } from '../../contract/index.js'
import { apiErrorOf, ErrorBody, UsageError } from '../../contract/index.js'
import type { FaultRule } from '../../contract/internal.js'
import { controlPath } from './control.js'

type Steer = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>

/** The state of the virtual clock. */
export interface ClockState {
  /** The sandbox's time, RFC 3339. */
  now: string
  /** Virtual milliseconds a real one; 0 stands still. */
  scale: number
  /** The machine's time, RFC 3339. */
  real: string
}

/** Moves the sandbox's time. */
export interface SandboxClock {
  /** The sandbox's time. */
  now(): Promise<ClockState>
  /**
   * Moves time forward by a duration such as `2h`, `90s` or `1d12h`; resolves once all jobs due until then have run.
   */
  advance(span: string): Promise<ClockState>
  /** Sets the time, forward or back. */
  set(time: Date | string): Promise<ClockState>
  /** Virtual milliseconds a real one: 60 makes an hour a minute, 0 stands still. */
  scale(factor: number): Promise<ClockState>
}

/** A named copy of the sandbox's state. */
export interface SavedSnapshot {
  /** The name that it was given. */
  name: string
  /** When it was saved, in real time, RFC 3339. */
  savedAt: string
  /** The size of its file. */
  bytes: number
}

/** Keeps copies of the state, and goes back to them. */
export interface SandboxSnapshots {
  /** Saves the state under a name. A name that is taken is an ApiError unless `overwrite` is set. */
  save(
    name: string,
    options?: {
      /** Replaces a snapshot of this name. */
      overwrite?: boolean
    },
  ): Promise<SavedSnapshot>
  /** Goes back to a saved state. */
  restore(name: string): Promise<void>
  /** The saved snapshots, by name. */
  list(): Promise<SavedSnapshot[]>
}

/** A fault rule: which requests or events, how often, and what happens to them. */
export interface SandboxFaultRule extends FaultRule {
  /** An operation of the contract, or `*` for all. Default `*`. */
  operation?: OperationName | '*'
  /** The failure to force, such as `SERVICE_UNAVAILABLE`, `RESET` or `RATE_LIMIT_EXCEEDED; retry_after=2`. */
  force?: Forced
}

/** The rules that hold. */
export interface SandboxFaultRules {
  /** Makes the draws of all rules repeatable. */
  seed?: number
  /** In their order; of several that force something, the first one wins. */
  rules: SandboxFaultRule[]
}

/** Lets requests and webhooks fail. */
export interface SandboxFaults {
  /** Replaces all rules. */
  set(rules: SandboxFaultRules | readonly SandboxFaultRule[]): Promise<SandboxFaultRules>
  /** The rules that hold. */
  list(): Promise<SandboxFaultRules>
  /** Removes all rules. */
  clear(): Promise<void>
}

/** A failure that can be forced: an error code, a transport fault, or any other value of `X-Sandbox-Force`. */
export type Forced = KnownErrorCode | 'HANG' | 'RESET' | 'GARBAGE' | 'TRUNCATE' | 'TIMEOUT_AFTER_COMMIT' | (string & {})

/** The typed steering calls of a sandbox. */
export interface Steering {
  /** Moves the sandbox's time. */
  readonly clock: SandboxClock
  /** Keeps copies of the state, and goes back to them. */
  readonly snapshot: SandboxSnapshots
  /** Lets requests and webhooks fail. */
  readonly faults: SandboxFaults
  /** Forces something on the next requests: `force('SERVICE_UNAVAILABLE', { operation: 'createDelivery', times: 2 })`. */
  force(
    what: Forced,
    options?: {
      /** The operation that it happens to. Default `*`: any. */
      operation?: OperationName | '*'
      /** Number of requests it applies to. Default 1. */
      times?: number
    },
  ): Promise<void>
}

/** The steering calls with types, on top of the control API. */
export function steeringOf(steer: Steer): Steering {
  const moved = async (change: object) => (await steer('POST', '/clock', change)) as ClockState
  return {
    clock: {
      now: async () => (await steer('GET', '/clock')) as ClockState,
      advance: (span) => moved({ advance: span }),
      set: async (time) => moved({ set: timeText(time) }),
      scale: (factor) => moved({ scale: factor }),
    },
    snapshot: {
      async save(name, { overwrite = false } = {}) {
        const saved = (await steer('POST', snapshotPath(name), { force: overwrite })) as SavedSnapshot
        return { name: saved.name, savedAt: saved.savedAt, bytes: saved.bytes }
      },
      async restore(name) {
        await steer('POST', `${snapshotPath(name)}/restore`)
      },
      async list() {
        const { snapshots } = (await steer('GET', '/snapshots')) as { snapshots: SavedSnapshot[] }
        return snapshots
      },
    },
    faults: {
      set: async (rules) => (await steer('POST', '/faults', isList(rules) ? { rules } : rules)) as SandboxFaultRules,
      list: async () => (await steer('GET', '/faults')) as SandboxFaultRules,
      async clear() {
        await steer('POST', '/faults', { rules: [] })
      },
    },
    async force(what, { operation = '*', times = 1 } = {}) {
      await steer('POST', '/faults', { append: true, rules: [{ operation, times, force: what }] })
    },
  }
}

function isList(rules: SandboxFaultRules | readonly SandboxFaultRule[]): rules is readonly SandboxFaultRule[] {
  return Array.isArray(rules)
}

function timeText(time: Date | string): string {
  if (typeof time === 'string') return time
  if (Number.isNaN(time.getTime())) throw new UsageError('The time of the clock is an invalid Date')
  return time.toISOString()
}

function snapshotPath(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`
}

/** Makes one steering call in this process and answers with its JSON. Throws `ApiError` if it is refused. */
export async function steer(
  fetch: (request: Request) => Promise<Response>,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> {
  const request = new Request(`http://127.0.0.1${controlPath}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  const response = await fetch(request)
  const value: unknown = await response.json()
  if (response.ok) return value
  throw apiErrorOf(response.status, ErrorBody.parse(value))
}
