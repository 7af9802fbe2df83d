import type { z } from 'zod'
import { canonicalJson } from '../../shared/canonical-json.js'
import { hashFraction } from './hash.js'
import { Refusal } from './refusal.js'

/**
 * Cursors of a list that is read in the order of a key: the last key of the page before, bound to the list and its
 * filters, so that a cursor of another query is refused and no row is skipped or seen twice.
 */

/** A cursor that continues after `key` in the list that these filters give. */
export function writeCursor(list: string, filters: object, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([fingerprint(list, filters), ...key])).toString('base64url')
}

/** The key to continue after; throws `VALIDATION_ERROR` 400 for a cursor that is broken or of another query. */
export function readCursor<Key>(list: string, filters: object, shape: z.ZodType<Key>, cursor: string): Key {
  const [made, ...rest] = decoded(cursor)
  if (typeof made !== 'string') throw refusal('is not a cursor of this service')
  if (made !== fingerprint(list, filters)) throw refusal('belongs to a list with other filters')
  const key = shape.safeParse(rest)
  if (!key.success) throw refusal('is not a cursor of this service')
  return key.data
}

function decoded(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    // Not JSON: somebody else's cursor.
    return []
  }
}

function fingerprint(list: string, filters: object): string {
  return Math.floor(hashFraction(list, canonicalJson(filters)) * 2 ** 32).toString(36)
}

function refusal(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The cursor ${message}.`, {
    status: 400,
    fieldErrors: [{ field: 'query.cursor', code: 'INVALID_CURSOR', message }],
  })
}
