import type { WebhookStatus } from '../trade/webhook-status.js'
import { type Percentiles, percentilesOf } from './metrics.js'

/** The results of the webhooks of a period's events. */
export interface WebhookHealth {
  /** Attempts over all events. */
  attempts: number
  lastDeliveryStatus: Record<WebhookStatus, number>
  /** Seconds from `occurredAt` to the receiver; known from a journal only. */
  received: Percentiles
}

/** Webhooks that went alike. */
export interface WebhookCount {
  attempts: number
  status: WebhookStatus | undefined
  count: number
  /** From the event to the receiver, for each that a listener received. */
  receivedMs: readonly number[]
}

/** Adds up webhooks that went alike, so that no list of their events is needed. */
export class WebhookTally {
  #attempts = 0
  readonly #statuses = new Map<string, number>()
  readonly #receivedMs: number[] = []

  /** @param attempts of all of them together */
  add({ attempts, status, count, receivedMs }: WebhookCount): void {
    this.#attempts += attempts
    if (status !== undefined) this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + count)
    for (const ms of receivedMs) this.#receivedMs.push(ms)
  }

  health(): WebhookHealth {
    return {
      attempts: this.#attempts,
      lastDeliveryStatus: {
        delivered: this.#statuses.get('delivered') ?? 0,
        pending: this.#statuses.get('pending') ?? 0,
        failed: this.#statuses.get('failed') ?? 0,
        no_endpoint_configured: this.#statuses.get('no_endpoint_configured') ?? 0,
      },
      received: percentilesOf(this.#receivedMs),
    }
  }
}
