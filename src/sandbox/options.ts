import type { OptionNames } from '../shared/word-match.js'
import type { Post, PostResult } from '../webhooks/index.js'
import type { LoggedRequest } from './http/request-log.js'
import type { Switches } from './switches.js'

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Path of the file that everything is kept in; `:memory:`, the default, keeps nothing. */
  data?: string
  /** Sets a damaged file aside and starts with an empty state, instead of a `UsageError`. */
  replaceDamaged?: boolean
  /** Real time, from which the virtual clock starts; signatures and rate limits use the machine's clock. */
  clock?: {
    /** Milliseconds since the epoch. */
    now(): number
  }
  /** Virtual milliseconds per real one, 0 to 1,000,000. Default 1. */
  timeScale?: number
  /** Requests per second for ordinary accounts, 1 to 1,000,000, instead of the contract's 20; `off` for no limit. */
  rateLimit?: number | 'off'
  /** Readings of the contract that differ from the default ones; kept in the file. */
  switches?: Partial<Switches>
  /** Makes identifiers and drawn faults repeatable. */
  seed?: number
  /** The address of tracking pages and proof images. */
  publicUrl?: string
  /**
   * Names under which it may be called and steered beyond those of loopback, such as `sandbox` in a network of containers.
   * Pages of other origins stay refused.
   */
  allowedHosts?: readonly string[]
  /** Allows webhooks over HTTP to receivers on private networks and names without a dot, not only on loopback. */
  allowHttpReceivers?: boolean
  /** `false` records events and sends none. */
  deliverWebhooks?: boolean
  /** Sends webhooks instead of HTTP, and gets the virtual time in milliseconds since the epoch. */
  sendWebhook?: (webhook: Post, nowMs: number) => Promise<PostResult>
  /** Told of every request to the service once it has been answered. */
  onRequest?: (request: LoggedRequest) => void
  /** Told of errors that no answer accounts for; default a process warning. */
  onError?: (error: unknown) => void
}

/** Options of a sandbox that listens. */
export interface ServedSandboxOptions extends SandboxOptions {
  /** The address to listen on. Default `127.0.0.1`. */
  host?: string
  /** The port to listen on; 0, the default, takes a free one. */
  port?: number
  /** Whether the process lives as long as the sandbox is open. Default `false`: a test that forgets to close it ends. */
  keepAlive?: boolean
}

export const sandboxOptionNames: OptionNames<SandboxOptions> = {
  data: 0,
  replaceDamaged: 0,
  clock: 0,
  timeScale: 0,
  rateLimit: 0,
  switches: 0,
  seed: 0,
  publicUrl: 0,
  allowedHosts: 0,
  allowHttpReceivers: 0,
  deliverWebhooks: 0,
  sendWebhook: 0,
  onRequest: 0,
  onError: 0,
}

export const servedSandboxOptionNames: OptionNames<ServedSandboxOptions> = {
  ...sandboxOptionNames,
  host: 0,
  port: 0,
  keepAlive: 0,
}
