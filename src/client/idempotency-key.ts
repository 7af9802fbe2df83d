import { canonicalJson } from '../shared/canonical-json.js'
import { randomId, sha256 } from '../shared/crypto.js'

/** A key older than this may be forgotten by the service before the request arrives: it keeps them for 24 h. */
export const keyLifeMs = 23 * 3_600_000

/** The SHA-256 of an order's canonical JSON, in hexadecimal: equal for orders that mean the same. */
export function bodyHashOf(order: unknown): string {
  return hashOf(canonicalJson(order))
}

/** `bodyHashOf`, from canonical JSON. @internal */
export function hashOf(canonical: string): string {
  return sha256(canonical, 'hex')
}

/**
 * The idempotency key of an order: from its `clientOrderReference` and its canonical body, and a scope if there is one. The same order
 * gives the same key in every run and on every machine, so that it is dispatched once; a changed order gives another.
 *
 * @param identity `bodyHash` is that of `bodyHashOf`, if it is known already
 * @returns `dlv_` and 43 characters of base64url
 */
export function idempotencyKeyOf({
  scope = '',
  order,
  bodyHash = bodyHashOf(order),
}: {
  /** The same order in two scopes has two keys. Accounts need none: the service keeps the keys of each API key apart. */
  scope?: string | undefined
  /** The body of the request. */
  order: unknown
  /** The result of `bodyHashOf`, if it is known already. */
  bodyHash?: string
}): string {
  const reference = (order as { clientOrderReference?: unknown } | null)?.clientOrderReference ?? null
  return derivedKey(['createDelivery', scope, reference, bodyHash])
}

/** The idempotency key of a cancellation: from the delivery, the request's canonical body, and a scope if there is one. */
export function cancelKeyOf({
  scope = '',
  deliveryId,
  body,
}: {
  /** As in `idempotencyKeyOf`. */
  scope?: string | undefined
  /** The delivery to cancel. */
  deliveryId: string
  /** The body of the request, if it has one. */
  body?: unknown
}): string {
  return derivedKey(['cancelDelivery', scope, deliveryId, bodyHashOf(body ?? null)])
}

/** A key that nothing else has. */
export function newIdempotencyKey(): string {
  return `dlv_${randomId()}`
}

function derivedKey(parts: readonly unknown[]): string {
  return `dlv_${sha256(JSON.stringify(parts), 'base64url')}`
}
