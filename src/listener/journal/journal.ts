import type { DlvError } from '../../contract/index.js'

/** How an event came: posted by the service, or fetched from its list of events and signed here. */
export type EventSource = 'webhook' | 'pull'

/** An event that has been verified and is to be kept. */
export interface JournalEntry {
  id: string
  source: EventSource
  receivedAtMs: number
  timestampSeconds: number
  secret: string
  rawHeaders: readonly string[]
  body: Uint8Array
  eventType?: string | undefined
  deliveryId?: string | undefined
  occurredAt?: string | undefined
  /**
   * The targets that it is to be forwarded to; remembered with it. A journal that several processes share adds the
   * targets of the others.
   */
  forwardTo?: readonly string[]
}

/** `new`: kept. `duplicate`: the same again. `conflict`: the id is known with another body, and the first is kept. */
export interface Appended {
  outcome: 'new' | 'duplicate' | 'conflict'
  seq: number
}

/** An event as it is kept: the bytes and headers as they came first. */
export interface JournalEvent {
  /** Grows with arrival. */
  seq: number
  id: string
  source: EventSource
  receivedAtMs: number
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  body: Uint8Array
  eventType: string | undefined
  deliveryId: string | undefined
  occurredAt: string | undefined
  /** How often the same event came again. */
  repeats: number
  /** How many other bodies came under the same id; kept aside, never taken. */
  conflicts: number
}

/** Where an event was to be passed on, and how that stands. */
export interface ForwardState {
  url: string
  state: 'pending' | 'delivered' | 'given-up'
  attempts: number
  /** Of the last answer; `null` if none came yet. */
  status: number | null
}

export interface JournalFilter {
  /** Received at or after, and before. */
  sinceMs?: number
  untilMs?: number
  deliveryId?: string
  /** Exact, or with a star, as in `driver.*`. */
  eventTypes?: readonly string[]
  /** The newest so many; all unless given. */
  limit?: number
}

/** The reading half of a journal: the same for a file and for PostgreSQL. */
export interface JournalReader {
  /** Which of these ids are known. */
  has(ids: readonly string[]): Promise<ReadonlySet<string>>
  get(id: string): Promise<JournalEvent | undefined>
  count(): Promise<number>
  /** The state of an event at each of its targets. */
  forwardsOf(seq: number): Promise<ForwardState[]>
  /** Events in order of arrival, read as they are asked for. */
  list(filter?: JournalFilter): AsyncIterable<JournalEvent>
  cursor(name: string): Promise<string | undefined>
  status(): Promise<JournalStatus>
  targets(): Promise<JournalTarget[]>
  close(): Promise<void>
}

/** Who forwards, what waits, and who has a copy. */
export interface JournalStatus {
  /** The processes that forward. */
  members: { host: string | null; pid: number | null; since: string | null; shards: number }[]
  shards: { total: number; owned: number; unowned: number }
  pending: Backlog[]
  /** Servers with a copy; `null` for what the user of the database may not see. */
  standbys: {
    name: string | null
    host: string | null
    state: string | null
    sync: string | null
    behindBytes: number | null
  }[]
}

/** A URL that events of a journal are forwarded to. */
export interface JournalTarget {
  url: string
  /** Which events it gets, such as `driver.*`; `null` if only its listener knows, as of a journal in a file. */
  eventTypes: string[] | null
  /** When a worker named it last; `null` if that is not kept. */
  namedAt: string | null
  /** Whether new events are forwarded to it; `null` if only its listener knows. */
  active: boolean | null
  /** How many events wait for it, and since when the oldest. */
  pending: number
  oldestSeconds: number | null
}

/** What was found out about a journal's engine. */
export interface JournalFinding {
  /** Begins with `journal`. */
  check: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  hint: string | null
}

/** One event on its way to one target. */
export interface PendingForward {
  seq: number
  id: string
  /** Events with the same lane keep their order: the delivery, or the event itself if it has none. */
  lane: string
  /** The right under which a process may forward it, in a journal that several share. */
  claim?: { shard: number; epoch: number }
}

/** What was read of the forwards that wait, and whether there is more. */
export interface Pending {
  forwards: PendingForward[]
  hasMore: boolean
}

/** How a forward ended. */
export interface FinishedForward {
  forward: PendingForward
  url: string
  delivered: boolean
  attempts: number
  status: number | undefined
}

/** A target and what it gets: every event, or those of these types, such as `driver.*`. */
export interface ForwardTarget {
  url: string
  eventTypes?: readonly string[]
}

/** What a process that forwards is told of by a journal that others write as well. */
export interface ForwardingChanges {
  /** There may be more to read; these are all targets of the journal. */
  onChange(urls: readonly string[]): void
  /**
   * Some forwards are no longer this process's: what has not started is dropped, and what is under way is aborted unless
   * its end can still be recorded.
   */
  onWithdrawn(isLost: (forward: PendingForward) => boolean): void
}

/** What is kept about forwarding: which event still has to go where, and what went. */
export interface ForwardLedger {
  /**
   * Whether all events come through this process: then one that was just appended can be forwarded without asking the
   * journal what came before it.
   */
  readonly isSoleWriter: boolean
  /** Takes part in forwarding. */
  join(targets: readonly ForwardTarget[], changes: ForwardingChanges): Promise<void>
  /** Hands over what is still to be forwarded to others, once nothing is under way. */
  leave(): Promise<void>
  /** What waits for a target and is not held in memory, in the order of each lane, so many at most. */
  pending(url: string, held: ReadonlyMap<number, PendingForward>, limit: number): Promise<Pending>
  /** The event of a forward; `undefined` if there is none any more. */
  event(forward: PendingForward): Promise<JournalEvent | undefined>
  /** Whether this process may still send it; asked immediately before each attempt. */
  owns(forward: PendingForward): boolean | Promise<boolean>
  /**
   * Makes the end of a forward durable: delivered with a 2xx, or given up. It is not pending from then on. `false` if
   * another process has taken it over: nothing behind it may then be sent from here.
   */
  finish(finished: FinishedForward): Promise<boolean>
  /** It is no longer held in memory. */
  release(url: string, forward: PendingForward): void
}

/**
 * Why a journal takes nothing: for good, because a write was lost or the format is newer, or until its database answers
 * again, which it finds out by itself.
 */
export type JournalFailure =
  | { kind: 'fatal'; error: DlvError }
  | { kind: 'unavailable'; error: DlvError; sinceMs: number }

export interface Journal extends JournalReader {
  /**
   * Keeps an event; resolves once it is on disk.
   *
   * @throws DlvError if the disk or the database refused
   */
  append(entry: JournalEntry): Promise<Appended>
  /** Moves a cursor; resolves once that is on disk. */
  setCursor(name: string, value: string): Promise<void>
  /** Proves that writing works, leaving no trace that anything reads. */
  probe(): Promise<void>
  forwards: ForwardLedger
  /** Accepts no more writes if a read has shown that the journal cannot be used. */
  abandon(error: unknown): void
  failure(): JournalFailure | undefined
  /** What waits, for each target. */
  backlog(): Promise<Backlog[]>
  /**
   * Resolves once only this process does the work of that name; the signal it resolves with aborts when it no longer
   * does. Never rejects; resolves with an aborted signal if the given one aborts first.
   */
  lead(name: string, signal: AbortSignal): Promise<AbortSignal>
  /** How many of the shards are this process's; 0 if it forwards nothing. */
  ownedShards(): number
  /** How often the database was found on another server than before. */
  failovers(): number
}

/** What waits for one target. */
export interface Backlog {
  url: string
  count: number
  oldestSeconds: number
}

/** One write of events that was committed. */
export interface Committed {
  seconds: number
  events: number
}

export interface JournalOptions {
  /** How long events are kept, 60 days unless given; never less than 30, for which the service may send them again. */
  retentionDays?: number
  /** Size that a file may not outgrow. */
  maxBytes?: number
  /** Called once when nothing can be written any more. */
  onFailure?: (failure: DlvError) => void
  onCommitted?: (committed: Committed) => void
  now?: () => number
}

/** The service may send an event again for so long. */
const minRetentionDays = 30

export function retentionDaysOf({ retentionDays = 60 }: JournalOptions): number {
  return Math.max(retentionDays, minRetentionDays)
}
