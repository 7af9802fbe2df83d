import { hash } from 'node:crypto'
import { limits } from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { hourMs } from '../../shared/durations.js'
import { Refusal } from '../core/refusal.js'
import { timestamp } from '../core/times.js'
import type { Engine } from '../engine/engine.js'

const RETENTION_MS = limits.idempotencyRetentionHours * hourMs
/** How long a request may hold its key beyond its own delay before another may take over. */
const CLAIM_GRACE_MS = 30_000

/** A request's idempotency key, and the meaning of the request. */
export interface IdempotencyKey {
  accountId: string
  key: string
  fingerprint: string
}

/** Two requests mean the same if method, path and canonical body do. */
export function fingerprintOf(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method} ${path} ${canonicalJson(body ?? null)}`, 'base64url')
}

/**
 * Looks a key up: the stored answer if the request was executed, nothing if it is new. Throws if the key
 * belongs to another request, or to the same one that is still being executed by somebody else.
 */
export function findReplay(
  engine: Engine,
  key: IdempotencyKey,
  nowMs: number,
  holdsClaim: boolean,
): string | undefined {
  const known = engine.store.idempotency.get(key.accountId, key.key)
  if (known === undefined || nowMs - known.createdAtMs >= RETENTION_MS) return undefined
  const isAbandoned = known.body === undefined && engine.realNowMs() >= (known.inFlightUntilRealMs ?? 0)
  if (isAbandoned || (holdsClaim && known.body === undefined)) return undefined
  if (known.fingerprint !== key.fingerprint) throw reused(known.createdAtMs)
  if (known.body === undefined) throw conflict()
  return known.body
}

/** Holds a key while its request waits, for everybody on the file to see. */
export function claimKey(engine: Engine, key: IdempotencyKey, nowMs: number, delayMs: number): void {
  engine.store.idempotency.save(key.accountId, key.key, {
    fingerprint: key.fingerprint,
    createdAtMs: nowMs,
    body: undefined,
    inFlightUntilRealMs: engine.realNowMs() + delayMs + CLAIM_GRACE_MS,
  })
}

export function keepAnswer(engine: Engine, key: IdempotencyKey, nowMs: number, body: string): void {
  const answer = { fingerprint: key.fingerprint, createdAtMs: nowMs, body, inFlightUntilRealMs: undefined }
  engine.store.idempotency.save(key.accountId, key.key, answer)
}

/** `firstUsedAtMs` is in virtual time; absent for a magic key. */
export function reused(firstUsedAtMs?: number): Refusal {
  const message = 'This Idempotency-Key was used for another request; nothing was executed.'
  const details = firstUsedAtMs === undefined ? {} : { details: { firstUsedAt: timestamp(firstUsedAtMs) } }
  return new Refusal('IDEMPOTENCY_KEY_REUSED', message, details)
}

export function conflict(): Refusal {
  return new Refusal('IDEMPOTENCY_CONFLICT', 'A request with this Idempotency-Key is still being executed.', {
    retryAfterSeconds: 1,
  })
}
