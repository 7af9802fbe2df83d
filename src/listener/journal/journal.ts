import type { DlvError } from '../../contract/index.js'
import type { Appended, JournalEntry } from './event.js'
import type { ForwardLedger } from './forwards.js'
import type { Backlog, JournalReader } from './reader.js'

/**
 * Why a journal takes nothing: for good, because a write was lost or the format is newer, or until its database answers
 * or its disk has room again, which it finds out by itself.
 */
export type JournalFailure =
  | {
      /** For good. */
      kind: 'fatal'
      /** The failure, and how to fix it. */
      error: DlvError
    }
  | {
      /** Until the database answers, or the disk has room again. */
      kind: 'unavailable'
      /** The failure, and how to fix it. */
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
  /** Moves a cursor, or only creates it; resolves once that is on disk. */
  setCursor(name: string, value: string, onlyIfMissing?: boolean): Promise<void>
  /** Proves that writing works, leaving no trace that anything reads. */
  probe(): Promise<void>
  /** The pending and finished forwards. */
  forwards: ForwardLedger
  /** Accepts no more writes if a read has shown that the journal cannot be used. */
  abandon(error: unknown): void
  /** Why nothing can be written; `undefined` while it can. */
  failure(): JournalFailure | undefined
  /** The number of pending events, for each target. */
  backlog(): Promise<Backlog[]>
  /**
   * Resolves once only this process does the work of that name; the signal it resolves with aborts when it no longer
   * does. Never rejects; resolves with an aborted signal if the given one aborts first.
   */
  lead(name: string, signal: AbortSignal): Promise<AbortSignal>
  /** Number of this process's shards; 0 if it forwards nothing, `undefined` if the journal is not shared. */
  ownedShards(): number | undefined
  /** Number of failovers: times that the database was found on another server. */
  failovers(): number
}

/** Why it takes nothing any more; `undefined` while there is hope. */
export function fatalFailure(journal: Pick<Journal, 'failure'>): DlvError | undefined {
  const failure = journal.failure()
  return failure?.kind === 'fatal' ? failure.error : undefined
}

/** One write of events that was committed. */
export interface Committed {
  /** Duration of the write. */
  seconds: number
  /** Number of events written together. */
  events: number
}

/** Options of a journal: retention and callbacks. */
export interface JournalOptions {
  /** How long events are stored. Default 60 days; at least 30, for which the service may send them again. */
  retentionDays?: number
  /** The accounts whose events are read and forwarded; those of others are left alone. Default: all. */
  accounts?: readonly string[] | undefined
  /** Size that a file may not outgrow. */
  maxBytes?: number
  /** Called once when nothing can be written any more. */
  onFailure?: ((failure: DlvError) => void) | undefined
  /** Called when nothing can be written for a time, and with `undefined` once it can again. */
  onOutage?: ((failure: DlvError | undefined) => void) | undefined
  /** Called after each write of events. */
  onCommitted?: ((committed: Committed) => void) | undefined
  /** The time in milliseconds since the epoch. Default: the system's clock. */
  now?: () => number
}

/** The service may send an event again within this time. */
const minRetentionDays = 30

export function retentionDaysOf({ retentionDays = 60 }: JournalOptions): number {
  return Math.max(retentionDays, minRetentionDays)
}
