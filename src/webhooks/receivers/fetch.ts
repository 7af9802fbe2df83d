import { type ReceiverOptions, receiver } from './receiver.js'

/**
 * A handler of the Fetch standard: `export const POST = fetchReceiver({ … })` in a Next.js route, `Bun.serve`, `Deno.serve`
 * or a worker. Reads the raw body itself, so the request must not have been read.
 *
 * @throws UsageError at once where a secret cannot be used.
 */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const { receive, refuse, maxBodyBytes } = receiver(options)
  return async (request) => {
    const body = request.bodyUsed ? 'parsed' : await rawBodyOf(request, maxBodyBytes)
    const {
      status,
      headers,
      body: text,
    } = body === 'parsed'
      ? refuse(500, 'body_not_raw', 'something has read the body before it could be verified')
      : body === 'too large'
        ? refuse(413, 'body_too_large', `the body has more than ${maxBodyBytes} bytes`)
        : await receive(request.headers, body)
    return new Response(text, { status, headers })
  }
}

async function rawBodyOf(request: Request, maxBytes: number): Promise<Uint8Array | 'too large'> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    length += piece.length
    if (length > maxBytes) return 'too large'
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
