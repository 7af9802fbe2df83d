import { UsageError } from '../../contract/index.js'
import { isBytes, joinBytes } from '../../shared/byte-codes.js'
import { isRecord } from '../../shared/json.js'
import { type ReceiverAnswer, type ReceiverOptions, receiver } from './receiver.js'

/** A request of the Fetch standard, or the event of a framework that holds one. */
type RequestHolder =
  | Request
  | {
      /** The request, as in the event of SvelteKit, Astro, React Router and Elysia. */
      request: Request
    }
  | {
      /** The request, as in the event of h3 2. */
      req: Request
    }
  | {
      /** The context's request, as in Hono. */
      req: {
        /** The request as the server got it. */
        raw: Request
      }
    }

/**
 * A handler of the Fetch standard: `export const POST = fetchReceiver({ … })` in a Next.js route, `Bun.serve`, `Deno.serve`
 * or a worker. Reads the raw body itself, so the request must not have been read. Takes the event of SvelteKit, Astro,
 * React Router and Elysia (`{ request }`) and of h3 2 and Hono (`{ req }`) as well.
 *
 * @throws UsageError at once if a secret cannot be used; the handler rejects with one if it is called without a request.
 */
export function fetchReceiver(options: ReceiverOptions): (request: RequestHolder) => Promise<Response> {
  const { receive, refuseTooLarge, refuseParsed, maxBodyBytes } = receiver(options)
  async function answerTo(given: RequestHolder): Promise<ReceiverAnswer> {
    const request = requestIn(given)
    const kept = keptBytes(given)
    if (kept !== undefined) return receive(request.headers, kept)
    if (request.bodyUsed) return refuseParsed("let the receiver read it, as with { parse: 'none' } in Elysia")
    const body = await rawBodyOf(request, maxBodyBytes)
    return body === 'too-large' ? refuseTooLarge() : receive(request.headers, body)
  }
  return async (given) => {
    const { status, headers, body } = await answerTo(given)
    return new Response(body, { status, headers })
  }
}

/** @throws UsageError that names the call, for whatever holds no request: the sender cannot help it */
function requestIn(given: unknown): Request {
  const held = isRecord(given) ? [given.request, given.req, isRecord(given.req) ? given.req.raw : undefined] : []
  const request = [given, ...held].find(isRequest)
  if (request !== undefined) return request
  const isNode = [given, ...held].some((one) => isRecord(one) && 'rawHeaders' in one)
  throw new UsageError('fetchReceiver was called without a Request of the Fetch standard', {
    hint: isNode
      ? "This is a request of Node's own server: use expressReceiver, as handler(request, response)."
      : 'Call its handler as handler(request), with the request as it came.',
  })
}

/** Compared by what it can do: frameworks have requests of their own, and there are several realms. */
function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false
  const { headers, arrayBuffer } = value as Partial<Request>
  return typeof arrayBuffer === 'function' && typeof headers?.get === 'function'
}

/** The bytes that a framework has read and kept beside the request, as Elysia does with `parse: 'arrayBuffer'`. */
function keptBytes(given: unknown): Uint8Array | undefined {
  if (!isRecord(given) || isRequest(given)) return undefined
  const { rawBody, body } = given
  const kept = [rawBody, body].find((one) => isBytes(one) || one instanceof ArrayBuffer)
  return kept === undefined || isBytes(kept) ? kept : new Uint8Array(kept as ArrayBuffer)
}

async function rawBodyOf(request: Request, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    length += piece.length
    if (length > maxBytes) return 'too-large'
    pieces.push(piece)
  }
  return joinBytes(pieces)
}

/** The part of a Hono context that is needed. */
interface ContextLike {
  req: { raw: Request }
}

/**
 * A handler for Hono: `app.post('/hooks', honoReceiver({ … }))`. Reads the raw body itself, so no validator may have
 * read it before.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function honoReceiver(options: ReceiverOptions): (context: ContextLike) => Promise<Response> {
  const receive = fetchReceiver(options)
  return (context) => receive(context)
}
