import type { OptionNames } from '../shared/word-match.js'
import type { Clock } from './clock.js'
import type { Pacer } from './pacing/pacer.js'
import type { RetryBudget, RetryLimits } from './retry/retry.js'
import type { HttpTrace, Logger } from './trace/http-trace.js'
import type { HeaderReader, Transport } from './transport/transport.js'

/** Limits of one call, which a client can also set as the default for all of its calls. */
interface Limits {
  /** Ends calls that are under way and refuses new ones. They reject with the signal's own reason. */
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, retries and waits included. Default 60,000; 0 for no limit. */
  timeoutMs?: number | undefined
  /** Milliseconds for one attempt. Default 30,000. */
  attemptTimeoutMs?: number | undefined
  /** Maximum single wait in milliseconds, however much time is left. Default: no limit. */
  maxWaitMs?: number | undefined
  /** When and how often a failed attempt is repeated. */
  retries?: Partial<RetryLimits> | undefined
  /** Sent along, such as `X-Sandbox-Force`. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** Options of a client. */
export interface ClientOptions extends Omit<Limits, 'timeoutMs'> {
  /**
   * Milliseconds for each call, retries and waits included. Default 60,000; 0 for no limit. A function is called before
   * each call; what it throws rejects the call, and nothing is sent.
   */
  timeoutMs?: number | (() => number) | undefined
  /** Ends in the major version path, such as `https://api.example.com/delivery/v1`. */
  baseUrl: string
  /** The key of the account. Only `getHealth` works without one. */
  apiKey?: string | undefined
  /** The way to the service. Default: the network, by undici in Node and by `fetch` elsewhere. */
  transport?: Transport | undefined
  /** The source of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` for the default transport. Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Keeps all requests under one key within the service's rate limit: give the same one to several clients. */
  pacer?: Pacer | undefined
  /** Replaces `dlv-cli/<version> node/<major>`. */
  userAgent?: string | undefined
  /** Called after each attempt with what may be shown of it: secrets and personal data are masked. */
  onTrace?: ((trace: HttpTrace) => void) | undefined
  /** Gets a line for each attempt, such as `console`: `debug` for answers, `warn` for failures and what follows. */
  logger?: Logger | undefined
  /** The largest answer that is read, in bytes, unpacked. Default 64 MiB. */
  maxBytes?: number | undefined
  /**
   * Numbers of an answer that JavaScript would write in another form. `exact`: a whole number that no number holds, such
   * as 9007199254740993, is a `JsonNumber`. `as-written`: so is every number beyond the contract's fields, such as 1.10
   * or 1e5 in `metadata`, and `JSON.stringify` gives back each as the service wrote it. Default `exact`.
   */
  numbers?: 'exact' | 'as-written' | undefined
  /** Replaces the clock, for tests: waits between attempts and the deadline of a call follow it. */
  clock?: Clock | undefined
  /** A number in [0, 1) for the jitter. Default `Math.random`. */
  random?: (() => number) | undefined
}

/** Options of one call. */
export interface CallOptions extends Limits {
  /** Ends waits and refuses further attempts, but lets the one in flight come to its end. */
  drain?: AbortSignal | undefined
  /** The retry budget that many calls share. */
  budget?: RetryBudget | undefined
}

const limitNames: OptionNames<Limits> = {
  signal: 0,
  timeoutMs: 0,
  attemptTimeoutMs: 0,
  maxWaitMs: 0,
  retries: 0,
  headers: 0,
}

export const clientOptionNames: OptionNames<ClientOptions> = {
  baseUrl: 0,
  apiKey: 0,
  ...limitNames,
  transport: 0,
  environment: 0,
  pacer: 0,
  userAgent: 0,
  onTrace: 0,
  logger: 0,
  maxBytes: 0,
  numbers: 0,
  clock: 0,
  random: 0,
}

export const callOptionNames: OptionNames<CallOptions> = { ...limitNames, drain: 0, budget: 0 }

/** A result with the details of its response. */
export interface CallResult<Output> {
  /** The service's own object, unknown properties and key order kept. */
  value: Output
  /** The HTTP status. */
  status: number
  /** The id of the request: give it to the service's support. */
  requestId: string | undefined
  /** Whether the service recognised the idempotency key and gave the stored answer. */
  replayed: boolean
  /** Whether the answer to an earlier attempt of this call was lost: a stored answer may then be this call's own. */
  wasLost: boolean
  /** The headers of the response. */
  headers: HeaderReader
  /** The answer's own bytes, unpacked: what `value` was read from. */
  body: Uint8Array
  /** Number of attempts. */
  attempts: number
}

/** For a read that only adds to what is said: asked once, and not for long. */
export const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } } satisfies CallOptions
