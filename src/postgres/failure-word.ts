import { codeOf } from './errors.js'

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ENOENT: 'no such socket',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name not found',
  ETIMEDOUT: 'timed out',
  '53300': 'too many connections',
  '57P03': 'it is starting or stopping',
}

/** Why a server could not be reached, in a few words. */
export function failureWord(error: unknown): string {
  const nested: unknown = error instanceof AggregateError ? error.errors[0] : error
  return words[codeOf(nested) ?? ''] ?? (nested instanceof Error ? nested.message : String(nested))
}
