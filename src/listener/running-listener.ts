import type { DlvError } from '../contract/index.js'
import type { Acceptance } from '../webhooks/index.js'
import type { Appended } from './journal/event.js'
import type { ListenerSecret } from './journal/event-account.js'
import type { Backlog, JournalReader } from './journal/reader.js'

/** A listener that is running. */
export interface Listener extends Pick<JournalReader, 'has' | 'get' | 'forwardsOf' | 'cursor' | 'others'> {
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
   * Remembers a value under a name in the journal, with `onlyIfMissing` unless there is one; resolves once that is on
   * disk.
   */
  setCursor(name: string, value: string, onlyIfMissing?: boolean): Promise<void>
  /** Number of events that each secret verified, to tell when a retired one can be removed. */
  countBySecret(): {
    /** As given with the secret. */
    name: string
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
  lead(name: string, signal: AbortSignal): Promise<AbortSignal>
  /** Stops taking, drains, and leaves the journal whole. */
  close(): Promise<void>
}
