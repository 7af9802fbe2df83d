import type { Client } from '../client/index.js'
import type { WebhookEvent } from '../contract/index.js'
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../sandbox/index.js'
import { clientOf } from './sandbox-client.js'
import { type EventMatch, openInbox, type WaitForEventOptions } from './webhook-inbox.js'

/** What a sandbox for tests is started with. */
export interface TestSandboxOptions extends SandboxOptions {
  /**
   * Where webhooks are sent: URLs of the app under test. Without it they are received, verified and kept in `events`.
   */
  receivers?: readonly string[]
}

/** A service of a test's own, with a client and what its webhooks brought. */
export interface TestSandbox extends RunningSandbox {
  /** A client of the default account. */
  client: Client
  /** Verified webhooks since the last reset, oldest first; empty if `receivers` were given. */
  readonly events: readonly WebhookEvent[]
  /**
   * Resolves with the first event that matches, received before or from now on.
   *
   * @throws UsageError if none came in time, with what came instead
   */
  waitForEvent(match: EventMatch, options?: WaitForEventOptions): Promise<WebhookEvent>
  /** As new: no deliveries, no faults, no snapshots' effects, the clock at now. Receivers stay registered. */
  reset(): Promise<void>
}

/**
 * Starts a sandbox in memory on a free port, without a rate limit, with a receiver that is wired to it. Takes milliseconds.
 *
 * @example
 * await using sandbox = await startTestSandbox()
 * const { deliveryId } = await sandbox.client.createDelivery({ body: order })
 * await sandbox.clock.advance('2h')
 * await sandbox.waitForEvent('delivery.delivered')
 */
export async function startTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const { receivers, ...rest } = options
  const sandbox = await startSandbox({ rateLimit: 'off', ...rest })
  const inbox = await openInbox(() => [sandbox.webhookSecret])
  const client = clientOf(sandbox)
  const closeSandbox = sandbox.close
  const close = async () => {
    await client.close()
    await closeSandbox()
    await inbox.close()
  }
  try {
    for (const url of receivers ?? [inbox.url]) await sandbox.steer('POST', '/endpoints', { url })
  } catch (error) {
    await close()
    throw error
  }
  return Object.assign(sandbox, {
    client,
    events: inbox.events,
    waitForEvent: inbox.waitForEvent,
    async reset() {
      await sandbox.settled()
      await sandbox.steer('POST', '/reset', { keepEndpoints: true })
      inbox.events.length = 0
    },
    close,
    [Symbol.asyncDispose]: close,
  })
}
