import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'

/** How long the rest of an unwanted body is read and dropped, so that its sender receives the response. */
const discardMs = 1_000

/** Answers a request whose body was read. */
export function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  answerText(response, status, JSON.stringify(body), headers)
}

/** The same with a body that is JSON already. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> | undefined = undefined,
) {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  // Text leaves in one write with the headers; bytes would take one of their own.
  response.end(text)
}

/**
 * Answers a request before its body was read. The rest is dropped as it comes, for a moment: closing at once would
 * reset the connection, and the answer with it.
 */
export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
) {
  if (request.complete) {
    answer(response, status, body, headers)
    return
  }
  if (response.headersSent || response.destroyed) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    connection: 'close',
    ...headers,
  })
  response.write(bytes)
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, discardMs)
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

/** Resets the connection without an answer; Node can only close one that is encrypted. */
export function reset({ socket }: ServerResponse) {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}
