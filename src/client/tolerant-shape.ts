import { z } from 'zod'
import type { Operation } from '../contract/index.js'

/**
 * Brings the two readings of a list into the one that the row describes: a bare array where a page is expected becomes
 * a page without a next one, and an object with one list where a bare array is expected gives that list. Everything
 * else stays as it came.
 */
export function tolerantShape(row: Operation, document: unknown): unknown {
  if (row.pageOf !== undefined && Array.isArray(document)) return { [row.pageOf]: document, nextCursor: null }
  const expectsArray = row.responses[200] instanceof z.ZodArray
  if (!expectsArray || typeof document !== 'object' || document === null || Array.isArray(document)) return document
  const lists = Object.values(document).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : document
}
