import { RegExpRouter } from 'hono/router/reg-exp-router'
import { percentDecoded } from '../../shared/byte-codes.js'

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

/** Answers one kind of request; path parameters by name, decoded. */
type RouteHandler<Result> = (exchange: HttpExchange, parameters: Readonly<Record<string, string>>) => Result

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
export type RouteMethod = (typeof methods)[number]

/** The match of a path: a handler, the methods allowed there instead, or nothing. */
type Match<Result> =
  | { handler: RouteHandler<Result>; parameters: Record<string, string> }
  | { allow: string[] }
  | undefined

/** Finds the handler of a request. Paths name their parameters in braces, as the contract does. */
export class Router<Result> {
  private readonly router = new RegExpRouter<RouteHandler<Result>>()

  add(method: RouteMethod, path: string, handler: RouteHandler<Result>): void {
    this.router.add(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), handler)
  }

  find(method: string, path: string): Match<Result> {
    const found = this.look(method === 'HEAD' ? 'GET' : method, path)
    if (found !== undefined) return found
    const allow = methods.filter((other) => this.look(other, path) !== undefined)
    return allow.length === 0 ? undefined : { allow: allow.includes('GET') ? [...allow, 'HEAD'] : allow }
  }

  private look(method: string, path: string) {
    const [matches, stash] = this.router.match(method, path)
    const [match] = matches
    if (match === undefined) return undefined
    const [handler, places] = match
    const parameters: Record<string, string> = {}
    for (const [name, place] of Object.entries(places)) {
      const encoded = (typeof place === 'number' ? stash?.[place] : place) ?? ''
      // A broken escape is left as it is: it names nothing that exists.
      parameters[name] = percentDecoded(encoded) ?? encoded
    }
    return { handler, parameters }
  }
}
