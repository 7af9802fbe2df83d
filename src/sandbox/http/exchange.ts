/** A request as the shell sees it, over a socket or within the process. */
export interface HttpExchange {
  method: string
  /** The path as it was sent, still percent-encoded. */
  path: string
  /** The query with its `?`, or nothing. */
  search: string
  /** By lower-case name. */
  header(name: string): string | undefined
  /** The body's bytes; `'too large'` past the limit. */
  body(): Promise<Uint8Array | 'too large'>
  /** The result of `body` so far. */
  received: Uint8Array | 'too large' | undefined
  /** The caller's address; absent if the caller is in this process. */
  address: string | undefined
  /** The address of this machine that the caller reached; absent if the caller is in this process. */
  reachedAt: string | undefined
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

/** Ways of not answering properly. */
type TransportFault = 'HANG' | 'RESET' | 'TRUNCATE'

/** A response to send. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  transport?: TransportFault | undefined
}

/** The most that a request body may hold. */
export const MAX_BODY_BYTES = 1_048_576

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return rawJsonAnswer(status, JSON.stringify(value), headers)
}

/** An answer whose body is JSON already. */
export function rawJsonAnswer(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body }
}
