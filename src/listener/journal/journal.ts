import type { DlvError } from '../../contract/index.js'

/** How an event came: posted by the service, or fetched from its list of events and signed here. */
export type EventSource = 'webhook' | 'pull'

/** An event that has been verified and is to be kept. */
export interface JournalEntry {
  /** The `webhook-id`. */
  id: string
  /** How it came. */
  source: EventSource
  /** Milliseconds since the epoch, on the listener's clock. */
  receivedAtMs: number
  /** The `webhook-timestamp`, as Unix time. */
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as they came. */
  rawHeaders: readonly string[]
  /** The raw bytes that were verified. */
  body: Uint8Array
  /** Absent for signed JSON that is no event. */
  eventType?: string | undefined
  /** The delivery that it is about; absent if it names none. */
  deliveryId?: string | undefined
  /** As the event says, in RFC 3339; absent for signed JSON that is no event. */
  occurredAt?: string | undefined
  /**
   * The targets that it is to be forwarded to; remembered with it. A journal that several processes share adds the
   * targets of the others.
   */
  forwardTo?: readonly string[]
}

/** `new`: kept. `duplicate`: the same again. `conflict`: the id is known with another body, and the first is kept. */
export interface Appended {
  /** Only a `new` event is forwarded. */
  outcome: 'new' | 'duplicate' | 'conflict'
  /** The number of the event that is kept, the first one for a `duplicate` or `conflict`. */
  seq: number
}

/** An event as it is kept: the bytes and headers as they came first. */
export interface JournalEvent {
  /** Grows with arrival. */
  seq: number
  /** The `webhook-id`. */
  id: string
  /** How it came first. */
  source: EventSource
  /** Milliseconds since the epoch, on the listener's clock. */
  receivedAtMs: number
  /** The `webhook-timestamp`, as Unix time. */
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  /** The raw bytes that were verified. */
  body: Uint8Array
  /** `undefined` for signed JSON that is no event. */
  eventType: string | undefined
  /** The delivery that it is about; `undefined` if it names none. */
  deliveryId: string | undefined
  /** As the event says, in RFC 3339; `undefined` for signed JSON that is no event. */
  occurredAt: string | undefined
  /** How often the same event came again. */
  repeats: number
  /** How many other bodies came under the same id; kept aside, never taken. */
  conflicts: number
}

/** Where an event was to be passed on, and how that stands. */
export interface ForwardState {
  /** The target. */
  url: string
  /** `given-up`: the last attempt failed too, or the target was removed. */
  state: 'pending' | 'delivered' | 'given-up'
  /** How many it took; 0 while it is pending, or if its target was removed. */
  attempts: number
  /** Of the last answer; `null` if none came yet. */
  status: number | null
}

/** Which events of a journal are listed: those that meet every condition given. */
export interface JournalFilter {
  /** Received at or after, in milliseconds since the epoch. */
  sinceMs?: number
  /** Received before, in milliseconds since the epoch. */
  untilMs?: number
  /** Those about this delivery. */
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
  /** The event with this `webhook-id`; `undefined` if it is not kept. */
  get(id: string): Promise<JournalEvent | undefined>
  /** How many events are kept. */
  count(): Promise<number>
  /** The state of an event at each of its targets. */
  forwardsOf(seq: number): Promise<ForwardState[]>
  /** Events in order of arrival, read as they are asked for. */
  list(filter?: JournalFilter): AsyncIterable<JournalEvent>
  /** The value that was last set under this name; `undefined` if none was. */
  cursor(name: string): Promise<string | undefined>
  /** Who forwards, what waits, and who has a copy; a journal in a file knows only what waits. */
  status(): Promise<JournalStatus>
  /** Every URL that events were to be forwarded to. */
  targets(): Promise<JournalTarget[]>
  /** Lets go of the file or the connections. */
  close(): Promise<void>
}

/** Who forwards, what waits, and who has a copy. */
export interface JournalStatus {
  /** The processes that forward. */
  members: {
    /** The machine's name; `null` if the database does not show it. */
    host: string | null
    /** The process's id there; `null` if the database does not show it. */
    pid: number | null
    /** When it connected, in RFC 3339; `null` if the database does not show it. */
    since: string | null
    /** How many shards it forwards. */
    shards: number
  }[]
  /** The parts that forwarding is divided into, and how many of them a process has taken; all 0 for a file. */
  shards: {
    /** How many there are. */
    total: number
    /** Those that a process forwards. */
    owned: number
    /** Those that none does: their events wait. */
    unowned: number
  }
  /** What waits, for each target. */
  pending: Backlog[]
  /** Servers with a copy; `null` for what the user of the database may not see. */
  standbys: {
    /** Its `application_name`. */
    name: string | null
    /** Its IP address; `null` also for a socket on the same machine. */
    host: string | null
    /** As in `pg_stat_replication`, such as `streaming`. */
    state: string | null
    /** Its `sync_state`, such as `sync`, `async` or `quorum`. */
    sync: string | null
    /** How much of the write-ahead log it has not yet on disk. */
    behindBytes: number | null
  }[]
}

/** A URL that events of a journal are forwarded to. */
export interface JournalTarget {
  /** Where events are posted. */
  url: string
  /** Which events it gets, such as `driver.*`; `null` if only its listener knows, as of a journal in a file. */
  eventTypes: string[] | null
  /** When a worker named it last; `null` if that is not kept. */
  namedAt: string | null
  /** Whether new events are forwarded to it; `null` if only its listener knows. */
  active: boolean | null
  /** How many events wait for it, and since when the oldest. */
  pending: number
  /** The age of the oldest that waits; `null` if none does. */
  oldestSeconds: number | null
}

/** What was found out about a journal's engine. */
export interface JournalFinding {
  /** Begins with `journal`. */
  check: string
  /** `problem`: the journal cannot be relied on until it is mended. */
  verdict: 'ok' | 'warning' | 'problem'
  /** What was found, as a sentence. */
  finding: string
  /** What to do about it; `null` if nothing. */
  hint: string | null
}

/** One event on its way to one target. */
export interface PendingForward {
  /** The number of the event in the journal. */
  seq: number
  /** The `webhook-id`. */
  id: string
  /** Events with the same lane keep their order: the delivery, or the event itself if it has none. */
  lane: string
  /** The right under which a process may forward it, in a journal that several share. */
  claim?: {
    /** The part of forwarding that it belongs to. */
    shard: number
    /** Grows whenever the shard changes hands. */
    epoch: number
  }
}

/** What was read of the forwards that wait, and whether there is more. */
export interface Pending {
  /** In the order of each lane. */
  forwards: PendingForward[]
  /** Whether the limit left some out. */
  hasMore: boolean
}

/** How a forward ended. */
export interface FinishedForward {
  /** What was sent. */
  forward: PendingForward
  /** The target. */
  url: string
  /** Whether the target answered 2xx; given up otherwise. */
  delivered: boolean
  /** How many were made. */
  attempts: number
  /** Of the last answer; `undefined` if none came. */
  status: number | undefined
}

/** A target and what it gets: every event, or those of these types, such as `driver.*`. */
export interface ForwardTarget {
  /** Where events are posted. */
  url: string
  /** Exact types, or with a star; every event unless given. */
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
  | {
      /** For good. */
      kind: 'fatal'
      /** What happened, and what to do about it. */
      error: DlvError
    }
  | {
      /** Until the database answers again. */
      kind: 'unavailable'
      /** What happened, and what to do about it. */
      error: DlvError
      /** When it began, in milliseconds since the epoch. */
      sinceMs: number
    }

/** A journal that can be written: verified events, cursors, and what is still to be forwarded. */
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
  /** What is still to be forwarded, and what went. */
  forwards: ForwardLedger
  /** Accepts no more writes if a read has shown that the journal cannot be used. */
  abandon(error: unknown): void
  /** Why nothing can be written; `undefined` while it can. */
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
  /** The target. */
  url: string
  /** How many events wait. */
  count: number
  /** The age of the oldest one. */
  oldestSeconds: number
}

/** One write of events that was committed. */
export interface Committed {
  /** How long the write took. */
  seconds: number
  /** How many were written together. */
  events: number
}

/** How much a journal keeps, and who is told of it. */
export interface JournalOptions {
  /** How long events are kept, 60 days unless given; never less than 30, for which the service may send them again. */
  retentionDays?: number
  /** Size that a file may not outgrow. */
  maxBytes?: number
  /** Called once when nothing can be written any more. */
  onFailure?: (failure: DlvError) => void
  /** Called after each write of events. */
  onCommitted?: (committed: Committed) => void
  /** Milliseconds since the epoch; the system's clock unless given. */
  now?: () => number
}

/** The service may send an event again for so long. */
const minRetentionDays = 30

export function retentionDaysOf({ retentionDays = 60 }: JournalOptions): number {
  return Math.max(retentionDays, minRetentionDays)
}
