import { dayMs } from '../shared/durations.js'
import { defaultMaxBodyBytes } from '../webhooks/index.js'

/** Limits on the resources that a listener spends on its senders. */
export interface ListenerLimits {
  /** Of one body; a larger one is answered 413. */
  bodyBytes: number
  /** Of all headers of one request; more are answered 431. */
  headerBytes: number
  /** For a whole request to arrive. */
  requestTimeMs: number
  /** Open at once; beyond them the one silent for longest is closed. */
  connections: number
  /** Requests under way at once; beyond them 503. */
  queue: number
  /** Bodies held in memory at once, in bytes; beyond them 503. */
  queuedBytes: number
  /** Maximum size of the journal file. Default: limited by the disk. */
  journalBytes: number | undefined
  /** How long closing waits for requests and forwards under way. */
  drainMs: number
}

/** The limits that hold where none are given. */
export const defaultListenerLimits: ListenerLimits = {
  bodyBytes: defaultMaxBodyBytes,
  headerBytes: 16_384,
  requestTimeMs: 10_000,
  connections: 1_024,
  queue: 512,
  queuedBytes: 64 * 1_048_576,
  journalBytes: undefined,
  drainMs: 5_000,
}

/** Those of passing events on, where none are given. */
export const forwardLimits = {
  /** For an answer of a target. */
  timeoutMs: 30_000,
  /** The pauses between attempts; the last one again and again. */
  retryDelaysMs: [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  /** The age of an event up to which a target that is down is tried. */
  keptTryingMs: 7 * dayMs,
} as const
