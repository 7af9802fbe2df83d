import type { OperationDescriptor } from '../../contract/index.js'

/**
 * Brings the two readings of a list into the one that the contract describes: a bare array where a page is expected
 * becomes a page without a next one, and an object with one list where a bare array is expected gives that list.
 * Everything else stays as it came.
 */
export function tolerantShape({ pageOf, responses }: OperationDescriptor, document: unknown): unknown {
  if (pageOf !== undefined && Array.isArray(document)) return { [pageOf]: document, nextCursor: null }
  const expected = responses[200]
  const expectsArray = typeof expected === 'object' && 'list' in expected
  if (!expectsArray || typeof document !== 'object' || document === null || Array.isArray(document)) return document
  const lists = Object.values(document).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : document
}
