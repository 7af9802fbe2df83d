import { joinBytes } from '../../shared/join-bytes.js'
import { type ReceiverAnswer, type ReceiverOptions, receiver } from './receiver.js'

/**
 * A handler of the Fetch standard: `export const POST = fetchReceiver({ … })` in a Next.js route, `Bun.serve`, `Deno.serve`
 * or a worker. Reads the raw body itself, so the request must not have been read.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const { receive, refuseTooLarge, refuseParsed, maxBodyBytes } = receiver(options)
  async function answerTo(request: Request): Promise<ReceiverAnswer> {
    if (request.bodyUsed) return refuseParsed('let the receiver read it')
    const body = await rawBodyOf(request, maxBodyBytes)
    return body === 'too-large' ? refuseTooLarge() : receive(request.headers, body)
  }
  return async (request) => {
    const { status, headers, body } = await answerTo(request)
    return new Response(body, { status, headers })
  }
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
