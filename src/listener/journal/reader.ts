import type { JournalEvent } from './event.js'
import type { ForwardState } from './forwards.js'

/** Which events of a journal are listed: those that meet every condition given. */
export interface JournalFilter {
  /** Received at or after, in milliseconds since the epoch. */
  sinceMs?: number
  /** Received before, in milliseconds since the epoch. */
  untilMs?: number
  /** Only events of this delivery. */
  deliveryId?: string
  /** Only events of this account. */
  account?: string
  /** Exact, or with a star, as in `driver.*`. */
  eventTypes?: readonly string[]
  /** Only events that were given up for a target. */
  givenUp?: boolean
  /** Only this many of the newest events. Default: all. */
  limit?: number
}

/**
 * The reading half of a journal: the same for a file and for PostgreSQL. It shows the events of the accounts that it was
 * opened for, and of the others only how many there are.
 */
export interface JournalReader {
  /** Which of these ids are known, of one account if it is named. */
  has(ids: readonly string[], account?: string): Promise<ReadonlySet<string>>
  /**
   * The event with this `webhook-id`, of one account if it is named; the first one if several accounts have it, and
   * `undefined` if it is not kept.
   */
  get(id: string, account?: string): Promise<JournalEvent | undefined>
  /** Number of events in the journal. */
  count(): Promise<number>
  /** The accounts that it was not opened for, and how many events of each are left alone. */
  others(): Promise<OtherAccount[]>
  /** The state of an event at each of its targets. */
  forwardsOf(seq: number): Promise<ForwardState[]>
  /** Events in order of arrival, read as they are asked for. */
  list(filter?: JournalFilter): AsyncIterable<JournalEvent>
  /** The value that was last set under this name; `undefined` if none was. */
  cursor(name: string): Promise<string | undefined>
  /** The listeners and forwarders, the pending events, and the standbys. */
  status(): Promise<JournalStatus>
  /** Every URL that events were to be forwarded to. */
  targets(): Promise<JournalTarget[]>
  /** Lets go of the file or the connections. */
  close(): Promise<void>
}

/** An account whose events are left alone. */
export interface OtherAccount {
  /** As it was named to the listener; empty if it named none. */
  account: string
  /** Number of its events. */
  events: number
}

/** The listeners and forwarders, the pending events, and the standbys. */
export interface JournalStatus {
  /** The listener of a journal in a file, or its last run; `null` for a journal in PostgreSQL, which has many. */
  listener: {
    /** Whether it holds the journal now. */
    running: boolean
    /** Its process; `null` if it is not running. */
    pid: number | null
    /** When it started, in RFC 3339; `null` if none has yet. */
    since: string | null
    /** The address that receives webhooks; `null` if it only forwards, or none has started yet. */
    url: string | null
    /** Number of rejected requests, up to a few seconds ago. */
    rejected: number
  } | null
  /** When the newest event was received, in RFC 3339; `null` if there is none. */
  lastEventAt: string | null
  /** The processes that forward a journal in PostgreSQL. */
  members: {
    /** The machine's name; `null` if the database does not show it. */
    host: string | null
    /** The process's id there; `null` if the database does not show it. */
    pid: number | null
    /** When it connected, in RFC 3339; `null` if the database does not show it. */
    since: string | null
    /** Number of shards that it forwards. */
    shards: number
  }[]
  /** The parts that forwarding is divided into, and how many of them a process has taken; all 0 for a file. */
  shards: {
    /** Number of shards. */
    total: number
    /** Shards that a process forwards. */
    owned: number
    /** Shards without a process: their events wait. */
    unowned: number
  }
  /** Pending events, for each target. */
  pending: Backlog[]
  /** Given-up events, for each target. */
  givenUp: GivenUp[]
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
    /** The part of the write-ahead log that it does not have on disk yet. */
    behindBytes: number | null
  }[]
}

/** A URL that events of a journal are forwarded to. */
export interface JournalTarget {
  /** The address that events are posted to, without user, password and query. */
  url: string
  /** Which events it gets, such as `driver.*`; `null` if only its listener knows, as of a journal in a file. */
  eventTypes: string[] | null
  /** When a forwarder named it last; `null` if that is not kept. */
  namedAt: string | null
  /** Whether new events are forwarded to it; `null` if only its listener knows. */
  active: boolean | null
  /** Number of pending events. */
  pending: number
  /** The age of the oldest that waits; `null` if none does. */
  oldestSeconds: number | null
  /** Number of given-up events. */
  givenUp: number
}

/** A finding about a journal's engine. */
export interface JournalFinding {
  /** Begins with `journal`. */
  check: string
  /** `problem`: the journal cannot be relied on until it is mended. */
  verdict: 'ok' | 'warning' | 'problem'
  /** The finding, as a sentence. */
  finding: string
  /** How to fix it; `null` if there is nothing to fix. */
  hint: string | null
}

/** The given-up events of one target. */
export interface GivenUp {
  /** The target, without user, password and query. */
  url: string
  /** Number of events that were not delivered. */
  count: number
}

/** The pending events of one target. */
export interface Backlog {
  /** The target, without user, password and query. */
  url: string
  /** Number of pending events. */
  count: number
  /** The age of the oldest one. */
  oldestSeconds: number
}
