import { dayMs, minuteMs } from '../shared/durations.js'

/** Maximum difference between a signature's time and the receiver's, in seconds. */
export const webhookToleranceSeconds = 300

/** Limits of the contract, with their units in the names. */
export const limits = {
  defaultRequestsPerSecond: 20,
  pageSizeMin: 1,
  pageSizeMax: 100,
  pageSizeDefault: 50,
  clientOrderReferenceMaxLength: 128,
  idempotencyKeyMaxLength: 128,
  idempotencyRetentionHours: 24,
  instructionsMaxLength: 280,
  eventRetentionDays: 30,
  eventsDefaultSinceHours: 24,
  webhookToleranceSeconds,
  webhookResponseTimeoutSeconds: 10,
  webhookAttempts: 8,
  // Bounds of this program: the contract leaves both open.
  cancelReasonMaxLength: 64,
  cancelReasonNotesMaxLength: 500,
} as const

/** Seconds to wait before attempts 1 to 8 of a webhook, each counted from the previous failure. */
export const webhookRetryDelaysSeconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const

/** Length in Unicode code points. */
export function codePointLength(text: string): number {
  return text.replace(/[\u{10000}-\u{10ffff}]/gu, '_').length
}

/** The oldest `since` to ask for events by: the limit of the service, less a minute for the way to it. */
export function oldestSinceMs(serviceNowMs: number): number {
  return serviceNowMs - limits.eventRetentionDays * dayMs + minuteMs
}
