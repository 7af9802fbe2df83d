/** What to do next, for refusals whose message by itself leaves a reader at a loss. */
const hints: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Check that the key is complete, is not revoked and belongs to this environment.',
  IDEMPOTENCY_KEY_REUSED:
    'The order changed since this key was used; nothing was executed. Send it with a new key if the change is meant.',
  IDEMPOTENCY_CONFLICT: 'A request with this key is still in flight; ask again shortly.',
  DUPLICATE_ORDER: 'A delivery with this clientOrderReference exists; look it up before you choose another.',
  QUOTE_EXPIRED: 'Ask for a new quote, or send the order without quoteId.',
  SANDBOX_ONLY: 'Simulation needs a sandbox key.',
}

export function hintFor(code: string): string | undefined {
  return Object.hasOwn(hints, code) ? hints[code] : undefined
}
