import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventTypes, type KnownEventType, UsageError, type WebhookEvent } from '../contract/index.js'
import { assertKnownOptions, didYouMean, suggestions } from '../shared/word-match.js'
import { expressReceiver, type SampleEvent } from '../webhooks/index.js'

/** A condition for an event: its type, some of its properties, or a predicate. */
export type EventMatch =
  | WebhookEvent['eventType']
  | {
      /** The type of the event. */
      eventType?: string
      /** The delivery that the event is about. */
      deliveryId?: string
    }
  | ((event: WebhookEvent) => boolean)

/** Waits for the first event that matches. A known type in the condition is also the type of the result. */
export interface WaitForEvent {
  /** An event of a known type. */
  <Type extends KnownEventType>(
    match:
      | Type
      | {
          /** The type of the event. */
          eventType: Type
          /** Only an event of this delivery. */
          deliveryId?: string
        },
    options?: WaitForEventOptions,
  ): Promise<SampleEvent<Type>>
  /** Any event. */
  (match: EventMatch, options?: WaitForEventOptions): Promise<WebhookEvent>
}

/** Maximum wait for an event. */
export interface WaitForEventOptions {
  /** In milliseconds of real time. Default 5,000. */
  timeoutMs?: number
}

/** Receives and verifies webhooks in a test, in order of arrival, each event once. */
interface WebhookInbox {
  url: string
  events: WebhookEvent[]
  waitForEvent: WaitForEvent
  close(): Promise<void>
}

/**
 * @param secrets asked for each webhook, so that a rotated secret is known
 * @param whyNothing asked after a wait in vain: the reason if no webhooks are sent here
 */
export async function openInbox(
  secrets: () => readonly string[],
  whyNothing: (url: string) => Promise<string | undefined>,
): Promise<WebhookInbox> {
  const events: WebhookEvent[] = []
  const waiting = new Set<() => void>()
  const receive = expressReceiver({
    secrets: () => [...secrets()],
    onEvent(event) {
      events.push(event)
      for (const look of waiting) look()
    },
  })
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhooks`
  return {
    url,
    events,
    waitForEvent(match: EventMatch, options: WaitForEventOptions = {}) {
      assertKnownOptions('waitForEvent', options, { timeoutMs: 0 })
      const { timeoutMs = 5_000 } = options
      const isWanted = predicateOf(match)
      return new Promise<never>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        const look = () => {
          const found = events.find(isWanted)
          if (found === undefined) return
          end()
          resolve(found as never)
        }
        const timer = setTimeout(async () => {
          end()
          const hint = await whyNothing(url).catch(() => undefined)
          reject(notReceived(match, timeoutMs, events, hint))
        }, timeoutMs)
        waiting.add(look)
        look()
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function predicateOf(match: EventMatch): (event: WebhookEvent) => boolean {
  if (typeof match === 'function') return match
  if (typeof match === 'string') return ({ eventType }) => eventType === match
  if (typeof match !== 'object' || match === null)
    throw new UsageError(`waitForEvent needs an event type, a condition or a function, not ${match}`)
  assertKnownOptions('The condition of waitForEvent', match, { eventType: 0, deliveryId: 0 })
  return (event) =>
    (match.eventType === undefined || event.eventType === match.eventType) &&
    (match.deliveryId === undefined || deliveryIdOf(event) === match.deliveryId)
}

function deliveryIdOf(event: WebhookEvent): unknown {
  return 'delivery' in event ? (event.delivery as { deliveryId?: unknown } | undefined)?.deliveryId : undefined
}

function notReceived(
  match: EventMatch,
  timeoutMs: number,
  events: readonly WebhookEvent[],
  hint: string | undefined,
): UsageError {
  const wanted = typeof match === 'function' ? 'No matching event' : `No event ${JSON.stringify(match)}`
  const { eventType: type, deliveryId } = typeof match === 'object' ? match : { eventType: match }
  const isKnown = (eventTypes as readonly unknown[]).includes(type)
  const meant = typeof type === 'string' && !isKnown ? didYouMean(suggestions(type, eventTypes, 1)) : undefined
  const came = events.filter((event) => deliveryId === undefined || deliveryIdOf(event) === deliveryId)
  const types = came.map(({ eventType }) => eventType).join(', ') || 'none'
  const others = events.length - came.length
  const received = others === 0 ? types : `${types} of this delivery, ${others} of others`
  return new UsageError(`${wanted} came within ${timeoutMs} ms; received: ${received}`, {
    hint:
      hint ??
      meant ??
      'Deliveries move when the clock moves: sandbox.clock.advance("1h"), or with metadata.sandbox_pace "robo".',
  })
}
