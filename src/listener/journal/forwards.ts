import type { JournalEvent } from './event.js'

/** The state of an event's forward to one target. */
export interface ForwardState {
  /** The target. */
  url: string
  /** `given-up`: the last attempt failed, or the target was removed, and the event has not been resent there since. */
  state: 'pending' | 'delivered' | 'given-up'
  /** Number of attempts; 0 while it is pending, or if its target was removed. */
  attempts: number
  /** The status of the last response; `null` if there was none. */
  status: number | null
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

/** Pending forwards that were read, and whether there are more. */
export interface Pending {
  /** In the order of each lane. */
  forwards: PendingForward[]
  /** Whether the limit left some out. */
  hasMore: boolean
}

/** The result of a forward. */
export interface FinishedForward {
  /** The forward that was sent. */
  forward: PendingForward
  /** The target. */
  url: string
  /** Whether the target answered 2xx; given up otherwise. */
  delivered: boolean
  /** Number of attempts. */
  attempts: number
  /** The status of the last response; `undefined` if there was none. */
  status: number | undefined
}

/** A target and what it gets: every event, or those of these types, such as `driver.*`. */
export interface ForwardTarget {
  /** The address that events are posted to. */
  url: string
  /** Exact types, or patterns with a star. Default: every event. */
  eventTypes?: readonly string[]
  /** The account whose events it gets. Default: those of each account that is listened for. */
  account?: string
}

/** Callbacks for a process that forwards from a journal that others write as well. */
export interface ForwardingChanges {
  /** There may be more to read; these are all targets of the journal. */
  onChange(urls: readonly string[]): void
  /**
   * Some forwards are no longer this process's: what has not started is dropped, and what is under way is aborted unless
   * its end can still be recorded.
   */
  onWithdrawn(isLost: (forward: PendingForward) => boolean): void
}

/** The record of forwarding: the targets that each event still has to reach, and the results. */
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
  /** At most `limit` pending events for a target that are not in memory, in the order of each lane. */
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
  /** Makes it durable that an event which was given up for a target has reached it after all. */
  resent(seq: number, url: string): Promise<void>
  /** It is no longer held in memory. */
  release(url: string, forward: PendingForward): void
}
