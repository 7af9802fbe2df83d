import { createHash } from 'node:crypto'
import { Refusal } from '../core/refusal.js'

/** The place where a page ended: a time and what breaks its ties. */
export interface CursorPlace {
  atMs: number
  tie: string
}

/** A cursor says where a page ended and belongs to the filters that it was made for. */
export function writeCursor(filters: unknown, place: CursorPlace): string {
  return Buffer.from(JSON.stringify([1, fingerprint(filters), place.atMs, place.tie])).toString('base64url')
}

/** Reads a cursor back, or throws the 400 for one that is broken or was made for other filters. */
export function readCursor(filters: unknown, cursor: string): CursorPlace {
  const [version, made, atMs, tie] = decode(cursor)
  if (version !== 1 || typeof made !== 'string' || !Number.isSafeInteger(atMs) || typeof tie !== 'string') {
    throw refused('is not a cursor of this service')
  }
  if (made !== fingerprint(filters)) throw refused('was made for other filters')
  return { atMs: Number(atMs), tie }
}

function decode(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

function fingerprint(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 16)
}

function refused(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The cursor ${message}.`, {
    status: 400,
    fieldErrors: [{ field: 'query.cursor', code: 'INVALID_CURSOR', message }],
  })
}
