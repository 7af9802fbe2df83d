import type { NamedSecret } from '../../webhooks/index.js'
import type { RejectionReport } from '../http/rejections.js'
import type { CertificatePair } from '../http/self-signed-certificate.js'
import type { Appended } from '../journal/event.js'
import type { ListenerLimits } from '../limits.js'

/** What a worker is told before it gets its first connection. */
export interface WorkerSetup {
  path: string
  /** Host names that requests may be addressed to; `undefined` for any. */
  hosts: readonly string[] | undefined
  limits: ListenerLimits
  secrets: readonly NamedSecret[]
  otherSecrets: readonly NamedSecret[]
  toleranceSeconds: number
  tls: CertificatePair | undefined
  /** By which the listener's own trial request is known. */
  selfCheckMark: string
}

/** The outcome of an event or a probe that is on disk. */
export type Outcome = Appended['outcome'] | 'ready'
/** The outcome of the event or the probe of that number, or why the journal refused it. */
export type NumberedOutcome = readonly [number: number, outcome: Outcome | { error: string }]

/** The message `connection` comes with the socket. */
export type ToWorker =
  | { kind: 'setup'; setup: WorkerSetup }
  | { kind: 'connection' }
  | { kind: 'settled'; settled: readonly NumberedOutcome[] }
  | { kind: 'behind'; isBehind: boolean }
  | { kind: 'close'; drainMs: number }

/** The last rejection of a reason, and how many there were. */
export type CountedRejection = readonly [rejection: RejectionReport, count: number]

export type FromWorker =
  | { kind: 'ready' }
  /** Verified events of one turn: JSON of `DescribedArrival[]`, and their bodies one after the other. */
  | { kind: 'arrivals'; described: string; bodies: Uint8Array }
  | { kind: 'probe'; number: number }
  | { kind: 'rejections'; rejections: readonly CountedRejection[] }

/** An event that a worker has verified. The main process reads the body again: that is quicker than copying what it says. */
export interface DescribedArrival {
  number: number
  id: string
  timestampSeconds: number
  secretIndex: number
  skewSeconds: number
  isEvent: boolean
  warnings: string[]
  rawHeaders: readonly string[]
  bodyBytes: number
}
