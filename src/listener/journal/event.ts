import { UsageError } from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { tryParseJson } from '../../shared/json.js'
import type { NamedSecret } from '../../webhooks/index.js'

/** The source of an event: posted by the service, or fetched from its list of events and signed here. */
export type EventSource = 'webhook' | 'pull'

/** An event that has been verified and is to be kept. */
export interface JournalEntry {
  /** The `webhook-id`. */
  id: string
  /** The account whose secret verified it. Default: none, as of a listener that serves only one. */
  account?: string | undefined
  /** The source of the event. */
  source: EventSource
  /** Milliseconds since the epoch, on the listener's clock. */
  receivedAtMs: number
  /** The `webhook-timestamp`, as Unix time. */
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as received. */
  rawHeaders: readonly string[]
  /** The raw bytes that were verified. */
  body: Uint8Array
  /** Absent for signed JSON that is not an event. */
  eventType?: string | undefined
  /** The delivery that it is about; absent if it names none. */
  deliveryId?: string | undefined
  /** As the event says, in RFC 3339; absent for signed JSON that is not an event. */
  occurredAt?: string | undefined
  /**
   * The targets that it is to be forwarded to; remembered with it. A journal that several processes share adds the
   * targets of the others.
   */
  forwardTo?: readonly string[]
}

/**
 * `new`: kept. `duplicate`: the same again. `conflict`: the id is known with another body, and the first is kept. The same id
 * from two accounts is two events.
 */
export interface Appended {
  /** Only a `new` event is forwarded. */
  outcome: 'new' | 'duplicate' | 'conflict'
  /** The number of the event that is kept, the first one for a `duplicate` or `conflict`. */
  seq: number
}

/** An event in the journal, with the bytes and headers of its first arrival. */
export interface JournalEvent {
  /** Grows with arrival. */
  seq: number
  /** The `webhook-id`. */
  id: string
  /** The account whose secret verified it; empty if its listener named none. */
  account: string
  /** The source of the first arrival. */
  source: EventSource
  /** Milliseconds since the epoch, on the listener's clock. */
  receivedAtMs: number
  /** The `webhook-timestamp`, as Unix time. */
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as received. */
  rawHeaders: string[]
  /** The raw bytes that were verified. */
  body: Uint8Array
  /** `undefined` for signed JSON that is not an event. */
  eventType: string | undefined
  /** The delivery that it is about; `undefined` if it names none. */
  deliveryId: string | undefined
  /** As the event says, in RFC 3339; `undefined` for signed JSON that is not an event. */
  occurredAt: string | undefined
  /** Number of further arrivals with the same body. */
  repeats: number
  /** Number of arrivals with another body, which are stored separately and not forwarded. */
  conflicts: number
}

/**
 * Whether an event that came again is the same. The service may print an event in its list otherwise than in its webhook:
 * a pulled one is compared by what it means.
 */
export function isSameBody(first: Uint8Array, second: Uint8Array, byMeaning: boolean): boolean {
  if (Buffer.compare(first, second) === 0) return true
  return byMeaning && meaningOf(first) === meaningOf(second)
}

function meaningOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString()
  const json = tryParseJson(text)
  return json === undefined ? text : canonicalJson(json.value)
}

/** A secret that webhooks are verified with. */
export interface ListenerSecret extends NamedSecret {
  /**
   * The account that it belongs to, and so do the events that it verifies. They are kept, shown, forwarded and signed again
   * apart from those of other accounts. Default: the listener's.
   */
  account?: string
}

/** The account of a secret, and of the events that it verifies; empty if none is named. */
export function accountOf(secret: ListenerSecret | undefined, ofListener: string | undefined): string {
  return secret?.account ?? ofListener ?? ''
}

/**
 * The accounts that a listener serves.
 *
 * @throws UsageError if two of them have the same secret: nobody could say whose an event is
 */
export function accountsServed(secrets: readonly ListenerSecret[], ofListener: string | undefined): string[] {
  const owners = new Map<string, ListenerSecret>()
  for (const one of secrets) {
    const other = owners.get(one.secret)
    if (other !== undefined && accountOf(other, ofListener) !== accountOf(one, ofListener))
      throw new UsageError(
        `the secret "${one.name}" of account ${accountOf(one, ofListener)} is also "${other.name}" of account ${accountOf(other, ofListener)}`,
        { hint: 'Give each account a secret of its own: nobody could say whose an event is.' },
      )
    owners.set(one.secret, one)
  }
  return [
    ...new Set([
      ...(ofListener === undefined ? [] : [ofListener]),
      ...secrets.map((one) => accountOf(one, ofListener)),
    ]),
  ]
}
