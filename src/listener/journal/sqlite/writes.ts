import type { Appended, EventSource, JournalEntry } from '../event.js'

/** One change of a journal file, as plain data, so that a thread can carry it out: an event, or something smaller. */
export type JournalWrite = EventWrite | SmallWrite

/** A verified event. */
export interface EventWrite {
  values: EventValues
  body: Uint8Array
}

/** The columns of an event besides its body; the headers as JSON. */
export type EventValues = readonly [
  id: string,
  account: string,
  source: EventSource,
  receivedAtMs: number,
  timestampSeconds: number,
  secret: string,
  rawHeaders: string,
  eventType: string | null,
  deliveryId: string | null,
  occurredAt: string | null,
  forwardTo: readonly string[],
]

/** A change that is not an event. */
export type SmallWrite =
  | { kind: 'cursor'; name: string; value: string; onlyIfMissing: boolean }
  | { kind: 'finish'; state: string; attempts: number; status: number | null; atMs: number; url: string; seq: number }
  | { kind: 'resent'; atMs: number; url: string; seq: number }
  | { kind: 'probe'; atMs: number }
  | { kind: 'prune'; beforeMs: number }

/** The result of a group of changes: all of them are on disk, or none is. */
export type GroupOutcome =
  | {
      /** In their order; `undefined` for what is not an event. */
      appended: readonly (Appended | undefined)[]
      seconds: number
    }
  | {
      error: unknown
      /** How many of the changes failed with it, those that were handed over first. */
      failed: number
    }

/** Told how the changes ended that were handed over first, in one transaction or several. */
export type Settle = (outcome: GroupOutcome) => void

/** Writes groups of changes in order, and nothing after one that failed for good. */
export interface GroupWriter {
  /** Whether to write this many changes now, although more may arrive in this turn of the event loop or at its end. */
  takes(size: number, isTurnOver: boolean): boolean
  /** They are settled before it returns, or later; groups that wait for each other may be settled as one. */
  write(group: readonly JournalWrite[]): void
  /** Ends it, once nothing is under way. */
  close(): Promise<void>
}

export function eventWrite(entry: JournalEntry): EventWrite {
  const { id, account = '', source, receivedAtMs, timestampSeconds, secret, eventType, deliveryId, occurredAt } = entry
  return {
    values: [
      id,
      account,
      source,
      receivedAtMs,
      timestampSeconds,
      secret,
      JSON.stringify(entry.rawHeaders),
      eventType ?? null,
      deliveryId ?? null,
      occurredAt ?? null,
      entry.forwardTo ?? [],
    ],
    body: entry.body,
  }
}
