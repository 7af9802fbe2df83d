import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '../contract/index.js'
import { UsageError } from '../contract/index.js'
import { expressReceiver } from '../webhooks/index.js'

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

/** Maximum wait for an event. */
export interface WaitForEventOptions {
  /** In milliseconds of real time. Default 5,000. */
  timeoutMs?: number
}

/** Receives and verifies webhooks in a test, in order of arrival, each event once. */
interface WebhookInbox {
  url: string
  events: WebhookEvent[]
  waitForEvent(match: EventMatch, options?: WaitForEventOptions): Promise<WebhookEvent>
  close(): Promise<void>
}

/** @param secrets asked for each webhook, so that a rotated secret is known */
export async function openInbox(secrets: () => readonly string[]): Promise<WebhookInbox> {
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
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    events,
    waitForEvent(match, { timeoutMs = 5_000 } = {}) {
      const isWanted = predicateOf(match)
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        const look = () => {
          const found = events.find(isWanted)
          if (found === undefined) return
          end()
          resolve(found)
        }
        const timer = setTimeout(() => {
          end()
          reject(notReceived(match, timeoutMs, events))
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
  return (event) =>
    (match.eventType === undefined || event.eventType === match.eventType) &&
    (match.deliveryId === undefined || deliveryIdOf(event) === match.deliveryId)
}

function deliveryIdOf(event: WebhookEvent): unknown {
  return 'delivery' in event ? (event.delivery as { deliveryId?: unknown } | undefined)?.deliveryId : undefined
}

function notReceived(match: EventMatch, timeoutMs: number, events: readonly WebhookEvent[]): UsageError {
  const wanted = typeof match === 'function' ? 'No matching event' : `No event ${JSON.stringify(match)}`
  const came = events.map(({ eventType }) => eventType)
  return new UsageError(`${wanted} came within ${timeoutMs} ms; received: ${came.join(', ') || 'none'}`, {
    hint: 'Deliveries move when the clock moves: sandbox.clock.advance("1h"), or with metadata.sandbox_pace "robo".',
  })
}
