import type { DlvError } from '../contract/index.js'
import type { OptionNames } from '../shared/word-match.js'
import type { Acceptance, NamedSecret } from '../webhooks/index.js'
import type { ForwardOptions } from './forward/forwarder.js'
import type { BadAnswers } from './http/response.js'
import type { CertificatePair } from './http/server.js'
import type { Appended, JournalEvent, ListenerSecret } from './journal/event.js'
import type { ForwardState } from './journal/forwards.js'
import type { Backlog, JournalReader } from './journal/reader.js'
import type { ListenerLimits } from './limits.js'
import type { ListenerRecord } from './records.js'

/** Options of a listener; only the secrets and the journal are required. */
export interface ListenerOptions {
  /** The address to listen on. Default 127.0.0.1. */
  host?: string
  /** 0, the default, takes any free port. */
  port?: number
  /** The one path that receives webhooks. Default `/`. */
  path?: string
  /**
   * At least one; each by the name that records show. A function is asked for each webhook, so that secrets can come and
   * go while the listener runs. No secret may belong to two accounts.
   */
  secrets: readonly ListenerSecret[] | (() => readonly ListenerSecret[])
  /** The account of secrets that name none. What a journal keeps of other accounts is left alone. Default: none. */
  account?: string | undefined
  /** Secrets of other profiles, to name a mix-up by; never accepted. */
  otherSecrets?: readonly NamedSecret[]
  /**
   * A file, which one listener writes, or a `postgres://` address with one or more hosts, which any number share. What
   * the address leaves out, such as the password, comes from PGPASSWORD and the other variables of PostgreSQL. Or a file for
   * each account, by its name.
   */
  journal: string | Readonly<Record<string, string>>
  /** The environment with these variables. Default: the process's. */
  env?: NodeJS.ProcessEnv
  /** `false` opens no port for webhooks: it forwards what other listeners of a shared journal have taken. */
  receive?: boolean
  /** A second port with `/livez`, `/readyz` and `/metrics`, for operators of the listener. */
  adminPort?: number
  /** The address of that port. Default 127.0.0.1, also if webhooks are received on another address. */
  adminHost?: string
  /** How long webhooks are still received after `/readyz` reports that the listener is stopping. Default 0. */
  drainWaitMs?: number
  /** Maximum difference between `webhook-timestamp` and this clock, in either direction. Default 300. */
  toleranceSeconds?: number
  /** Limits; missing ones are as in `defaultListenerLimits`. */
  limits?: Partial<ListenerLimits>
  /** The certificate for TLS. Default: plain HTTP. */
  tls?: CertificatePair
  /** Host names besides this machine's own that requests may be addressed to, such as a tunnel's. */
  allowedHosts?: readonly string[]
  /** Passes events on once they are kept; without it they are only kept. */
  forward?: ForwardOptions
  /** Answers a part of the webhooks badly, as a receiver that fails. */
  badAnswers?: BadAnswers | undefined
  /** Told of each thing that happens, from `ready` on. */
  onRecord?: (record: ListenerRecord) => void
  /** Asked for each request: whether the reader of the records lags behind. Senders are then told to retry. */
  isBehind?: () => boolean
  /** Called once the journal can no longer be written: every webhook is answered 503 from then on. */
  onFailure?: (failure: DlvError) => void
  /**
   * Called when the journal cannot be written for a time, as on a full disk or without its database, and with `undefined`
   * once it can: every webhook is answered 503 in between.
   */
  onOutage?: (failure: DlvError | undefined) => void
  /** The time in milliseconds since the epoch. Default: the system's clock. */
  now?: () => number
}

export const listenerOptionNames: OptionNames<ListenerOptions> = {
  host: 0,
  port: 0,
  path: 0,
  secrets: 0,
  account: 0,
  otherSecrets: 0,
  journal: 0,
  env: 0,
  receive: 0,
  adminPort: 0,
  adminHost: 0,
  drainWaitMs: 0,
  toleranceSeconds: 0,
  limits: 0,
  tls: 0,
  allowedHosts: 0,
  forward: 0,
  badAnswers: 0,
  onRecord: 0,
  isBehind: 0,
  onFailure: 0,
  onOutage: 0,
  now: 0,
}

/** A listener that is running. */
export interface Listener extends Pick<JournalReader, 'has' | 'get' | 'others'> {
  /** Empty if it only forwards. */
  url: string
  /** The port that takes webhooks; 0 if it only forwards. */
  port: number
  /** The address of `/livez`, `/readyz` and `/metrics`; `undefined` unless enabled. */
  adminUrl: string | undefined
  /** Stores an event from another source; it must have been verified, or signed here. */
  ingest(arrival: {
    /** The result of verifying it. */
    acceptance: Acceptance
    /** Names and values in turn. */
    rawHeaders: readonly string[]
    /** The raw bytes that were verified. */
    body: Uint8Array
    /** The secret that verified it, if it was verified with that alone. Default: that of the result among the listener's. */
    secret?: ListenerSecret
  }): Promise<Appended>
  /**
   * Sends a kept event to its targets once more, of one account if it is named; how many targets there are. Resolves once
   * each has answered or failed.
   */
  resend(eventId: string, account?: string): Promise<number>
  /**
   * Remembers a value under a name in the journal, that of an account if it is named, with `onlyIfMissing` unless there is
   * one; resolves once that is on disk.
   */
  setCursor(name: string, value: string, onlyIfMissing?: boolean, account?: string): Promise<void>
  /** The value that was last set under this name, in the journal of an account if it is named. */
  cursor(name: string, account?: string): Promise<string | undefined>
  /** The state of an event at each of its targets. */
  forwardsOf(event: Pick<JournalEvent, 'seq' | 'account'>): Promise<ForwardState[]>
  /** Number of events that each secret verified, to tell when a retired one can be removed. */
  countBySecret(): {
    /** As given with the secret. */
    name: string
    /** The account of the secret; absent if the listener names none. */
    account?: string
    /** Since the listener started. */
    verified: number
  }[]
  /** The number of pending events, for each target. */
  backlog(): Promise<Backlog[]>
  /** Resolves once every event was forwarded, was given up, or waits for a target that is down. */
  forwarded(): Promise<void>
  /** Why nothing is kept any more; `undefined` while there is hope. */
  failure(): DlvError | undefined
  /**
   * Resolves once only this process does the work of that name among all that share the journal; the signal aborts when
   * it no longer does.
   */
  lead(name: string, signal: AbortSignal, account?: string): Promise<AbortSignal>
  /** Stops taking, drains, and leaves the journal whole. */
  close(): Promise<void>
}
