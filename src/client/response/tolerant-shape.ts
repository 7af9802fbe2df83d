import type { OperationDescriptor } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'

/**
 * Brings the two readings of a list into the one that the contract describes: a bare array for a lookup by reference
 * becomes a page without a next one, and an object with one list where a bare array is expected gives that list, unless
 * it is empty and has another name. An answer that says why there are no quotes has an empty list of them. Everything
 * else stays as it came.
 */
export function tolerantShape(
  { pageOf, path, responses }: OperationDescriptor,
  document: unknown,
  isLookup: boolean,
): unknown {
  if (pageOf !== undefined && isLookup && Array.isArray(document)) return { [pageOf]: document, nextCursor: null }
  const expected = responses[200]
  if (isRecord(document) && document.quotes == null && typeof document.noQuoteReason === 'string')
    return { ...document, quotes: [] }
  const expectsArray = typeof expected === 'object' && 'list' in expected
  if (!expectsArray || typeof document !== 'object' || document === null || Array.isArray(document)) return document
  const lists = Object.entries(document).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [[name, list] = ['', []]] = lists
  return lists.length === 1 && (list.length > 0 || path === `/${name}`) ? list : document
}
