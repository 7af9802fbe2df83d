import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHttpServer } from '../http-server.js'

/** A webhook as it reached an app. */
export interface Arrived {
  id: string
  /** The path with its query. */
  path: string
  rawHeaders: string[]
  headers: IncomingMessage['headers']
  body: Buffer
}

/** An app that takes whatever is posted to it; it answers 200 unless told otherwise. Gone after the test. */
export async function startTestApp(
  answer: (arrived: Arrived, response: ServerResponse) => void = (_, response) => response.end('done'),
) {
  const arrived: Arrived[] = []
  const origin = await startHttpServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { rawHeaders, headers } = request
    const [id, path] = [String(headers['webhook-id']), String(request.url)]
    const one = { id, path, rawHeaders, headers, body: Buffer.concat(pieces) }
    arrived.push(one)
    answer(one, response)
  })
  return { arrived, port: Number(new URL(origin).port), url: `${origin}/hooks`, ids: () => arrived.map(({ id }) => id) }
}
