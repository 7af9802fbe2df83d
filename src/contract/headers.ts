/** Header names as the contract spells them. Compare them case-insensitively. */
export const headers = {
  authorization: 'Authorization',
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  requestId: 'X-Request-Id',
  rateLimit: 'RateLimit',
  rateLimitPolicy: 'RateLimit-Policy',
  legacyLimit: 'X-RateLimit-Limit',
  legacyRemaining: 'X-RateLimit-Remaining',
  legacyReset: 'X-RateLimit-Reset',
  retryAfter: 'Retry-After',
  /** Not in the contract: `false` says that sending a failed request again changes nothing. */
  shouldRetry: 'X-Should-Retry',
  webhookId: 'webhook-id',
  webhookTimestamp: 'webhook-timestamp',
  webhookSignature: 'webhook-signature',
} as const
