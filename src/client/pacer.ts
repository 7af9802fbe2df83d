import type { HeaderReader } from './transport.js'

/** The right to send one request. */
export interface Permit {
  /** Says how the request ended: with which answer, or without any. Called exactly once. */
  settle(answer?: { status: number; headers: HeaderReader; retryAfterMs?: number | undefined }): void
}

/** Decides when requests may be sent, so that the whole allowance is used and none is refused. */
export interface Pacer {
  /**
   * Resolves when a request may be sent; `undefined` at once where that is known to take longer than `limitMs`, or
   * when the signal aborts.
   */
  acquire(limitMs: number, signal?: AbortSignal): Promise<Permit | undefined>
  /** Milliseconds for which the service has asked everyone to wait; 0 where it has not. */
  heldForMs(): number
}
