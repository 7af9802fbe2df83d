import { canonicalJson } from '../../contract/index.js'
import { hashFraction } from './hash.js'
import { Refusal } from './refusal.js'

/**
 * Cursors of a list that is read in the order of a key: the last key of the page before, bound to the filters of the
 * list, so that a cursor of another query is refused and no row is skipped or seen twice.
 */

/** A cursor that continues after `key` in the list that these filters give. */
export function writeCursor(list: string, filters: object, key: string): string {
  return Buffer.from(JSON.stringify([fingerprint(list, filters), key])).toString('base64url')
}

/** The key to continue after; throws `VALIDATION_ERROR` 400 for a cursor that is broken or of another query. */
export function readCursor(list: string, filters: object, cursor: string): string {
  const parts = decoded(cursor)
  if (parts === undefined) throw refusal('is no cursor of this service')
  if (parts[0] !== fingerprint(list, filters)) throw refusal('belongs to a list with other filters')
  return parts[1]
}

function decoded(cursor: string): [string, string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 2) return undefined
    const [print, key] = parts as unknown[]
    return typeof print === 'string' && typeof key === 'string' ? [print, key] : undefined
  } catch {
    // Not JSON: somebody else's cursor.
    return undefined
  }
}

function fingerprint(list: string, filters: object): string {
  return Math.floor(hashFraction(list, canonicalJson(filters)) * 2 ** 32).toString(36)
}

function refusal(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The cursor ${message}.`, {
    fieldErrors: [{ field: 'query.cursor', code: 'INVALID_CURSOR', message }],
  })
}
