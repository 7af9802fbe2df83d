import { isBytes } from '../../shared/is-bytes.js'
import type { BodyLike } from './body-like.js'
import { type ReceiverAnswer, type ReceiverOptions, receiver } from './receiver.js'
import { readBody } from './request-body.js'

/** The part of a `node:http` request that is needed. */
interface RequestLike extends BodyLike {
  rawHeaders: readonly string[]
  readableEnded: boolean
  /** The body as an earlier parser left it. */
  body?: unknown
}

/** The part of a `node:http` response that is needed. */
interface ResponseLike {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string): unknown
}

/**
 * A handler for Express, Connect and plain `node:http`: `app.post('/hooks', expressReceiver({ … }))`. It reads the raw
 * body itself, so mount it before `express.json()`; a body that `express.raw()` has read is taken as well.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function expressReceiver(options: ReceiverOptions) {
  const { receive, refuseTooLarge, refuseParsed, maxBodyBytes } = receiver(options)
  return async (request: RequestLike, response: ResponseLike): Promise<void> => {
    const body = await rawBodyOf(request, maxBodyBytes)
    if (body === 'aborted') return
    if (body === 'too-large') write(response, refuseTooLarge(), true)
    else if (body === 'parsed') write(response, refuseParsed('mount the receiver before express.json()'))
    else write(response, await receive(request.rawHeaders, body))
  }
}

async function rawBodyOf(request: RequestLike, maxBytes: number) {
  if (isBytes(request.body)) return request.body
  return request.readableEnded ? 'parsed' : readBody(request, maxBytes)
}

function write(response: ResponseLike, { status, headers, body }: ReceiverAnswer, close = false) {
  response.writeHead(status, {
    ...headers,
    'content-length': new TextEncoder().encode(body).length,
    ...(close ? { connection: 'close' } : {}),
  })
  response.end(body)
}
