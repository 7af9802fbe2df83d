import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ReceiverAnswer, type ReceiverOptions, receiver } from './receiver.js'

/**
 * A handler for Express, Connect and plain `node:http`: `app.post('/hooks', expressReceiver({ … }))`. It reads the raw
 * body itself, so mount it before `express.json()`; a body that `express.raw()` has read is taken as well.
 *
 * @throws UsageError at once where a secret cannot be used.
 */
export function expressReceiver(options: ReceiverOptions) {
  const { receive, refuse, maxBodyBytes } = receiver(options)
  return async (request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<void> => {
    const body = await rawBodyOf(request, maxBodyBytes)
    if (body === 'aborted') return
    if (body === 'too large') {
      write(response, refuse(413, 'body_too_large', `the body has more than ${maxBodyBytes} bytes`), true)
      return
    }
    if (body === 'parsed') {
      const message =
        'something has parsed the body before it could be verified: mount the receiver before express.json()'
      write(response, refuse(500, 'body_not_raw', message))
      return
    }
    write(response, await receive(request.rawHeaders, body))
  }
}

async function rawBodyOf(request: IncomingMessage & { body?: unknown }, maxBytes: number) {
  if (request.body instanceof Uint8Array) return request.body
  if (request.readableEnded) return 'parsed'
  const pieces: Buffer[] = []
  let length = 0
  return new Promise<Buffer | 'too large' | 'aborted'>((resolve) => {
    request.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > maxBytes) resolve('too large')
      else pieces.push(piece)
    })
    request.once('end', () => resolve(Buffer.concat(pieces)))
    request.once('close', () => resolve('aborted'))
    request.once('error', () => resolve('aborted'))
  })
}

function write(response: ServerResponse, { status, headers, body }: ReceiverAnswer, close = false) {
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(close ? { connection: 'close' } : {}),
  })
  response.end(body)
}
