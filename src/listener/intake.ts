import { extra, type WebhookEvent } from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import type { Acceptance } from '../webhooks/index.js'
import type { Forwarder } from './forward/forwarder.js'
import { type Route, targetsOf } from './forward/routes.js'
import { type Appended, accountOf, type EventSource, type ListenerSecret } from './journal/event.js'
import type { Journal } from './journal/journal.js'
import type { EventReceivedRecord, ListenerRecord } from './records.js'

/** A verified event on its way into the journal, from any source. */
export interface Arrival {
  acceptance: Acceptance
  rawHeaders: readonly string[]
  body: Uint8Array
  source: EventSource
  /** The secrets that it was verified with. */
  secrets: readonly ListenerSecret[]
}

interface IntakeOptions {
  /** Where an account's events are kept, and what forwards them. */
  partOf(account: string): { journal: Pick<Journal, 'append'>; forwarder: Pick<Forwarder, 'forward'> }
  routes: readonly Route[]
  secrets(): readonly ListenerSecret[]
  account?: string | undefined
  onRecord(record: ListenerRecord): void
  now(): number
}

/** Keeps verified events, tells of them, and hands new ones to the forwarder. */
export function eventIntake(options: IntakeOptions) {
  /** By account, then by the name of the secret: two accounts may have secrets of one name. */
  const verified = new Map<string, Map<string, number>>()
  return {
    /** Resolves once the event is on disk; rejects with UsageError if the disk refused. */
    async ingest(arrival: Arrival): Promise<Appended> {
      const { acceptance } = arrival
      const { event, id, secretIndex } = acceptance
      const secret = arrival.secrets[secretIndex]?.name ?? ''
      const account = accountOf(arrival.secrets[secretIndex], options.account)
      const receivedAtMs = options.now()
      const urls = targetsOf(options.routes, event?.eventType, account)
      const deliveryId = deliveryIdOf(event)
      const entry = {
        id,
        account,
        source: arrival.source,
        receivedAtMs,
        timestampSeconds: acceptance.timestampSeconds,
        secret,
        rawHeaders: arrival.rawHeaders,
        body: arrival.body,
        eventType: event?.eventType,
        deliveryId,
        occurredAt: event?.occurredAt,
        forwardTo: urls,
      }
      const { journal, forwarder } = options.partOf(account)
      const appended = await journal.append(entry)
      const tell = () => {
        // A pulled event was signed here, and says nothing about the secrets that the service uses.
        if (arrival.source !== 'pull') {
          const counts = verified.get(account) ?? new Map<string, number>()
          if (counts.size === 0) verified.set(account, counts)
          counts.set(secret, (counts.get(secret) ?? 0) + 1)
        }
        options.onRecord(recordOf(arrival, appended, { receivedAtMs, account, ofListener: options.account }))
        if (appended.outcome === 'new') forwarder.forward({ seq: appended.seq, id, lane: deliveryId ?? id }, urls)
      }
      // Senders come first: all whose events were kept together are answered before anything is told of them.
      if (arrival.source === 'webhook') process.nextTick(tell)
      else tell()
      return appended
    },
    /** Number of received events that each secret has verified, in the order of the secrets. */
    countBySecret(): { name: string; account?: string; verified: number }[] {
      const counts = new Map<string, { name: string; account?: string; verified: number }>()
      const count = (account: string, name: string) => {
        const known = { name, ...(account === '' ? {} : { account }), verified: verified.get(account)?.get(name) ?? 0 }
        counts.set(JSON.stringify([account, name]), known)
      }
      for (const one of options.secrets()) count(accountOf(one, options.account), one.name)
      for (const [account, names] of verified) for (const name of names.keys()) count(account, name)
      return [...counts.values()]
    },
  }
}

function recordOf(
  { acceptance, source, secrets }: Arrival,
  { outcome }: Appended,
  { receivedAtMs, account, ofListener }: { receivedAtMs: number; account: string; ofListener: string | undefined },
): EventReceivedRecord {
  const { event, secretIndex } = acceptance
  const verifiedBy = secrets[secretIndex]
  const own = secrets.filter((one) => accountOf(one, ofListener) === account)
  const record: EventReceivedRecord = {
    type: 'event',
    eventId: acceptance.id,
    eventType: event?.eventType ?? null,
    deliveryId: deliveryIdOf(event) ?? null,
    occurredAt: event?.occurredAt ?? null,
    receivedAt: new Date(receivedAtMs).toISOString(),
    verified: true,
    secret: verifiedBy?.name ?? '',
    secretNumber: verifiedBy === undefined ? 1 : own.indexOf(verifiedBy) + 1,
    secretCount: own.length,
    duplicate: outcome !== 'new',
    conflict: outcome === 'conflict',
    source,
    warnings: acceptance.warnings,
    event: event ?? null,
  }
  if (account !== '') record.account = account
  return record
}

/** The delivery that an event is about; read with care, since a verified body still may have any shape. */
export function deliveryIdOf(event: WebhookEvent | undefined): string | undefined {
  const delivery = event === undefined ? undefined : extra(event).delivery
  const deliveryId = isRecord(delivery) ? delivery.deliveryId : undefined
  return typeof deliveryId === 'string' ? deliveryId : undefined
}
