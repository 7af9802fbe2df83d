import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A webhook as it reached an app. */
export interface Arrived {
  id: string
  rawHeaders: string[]
  headers: IncomingMessage['headers']
  body: Buffer
}

/** An app that takes whatever is posted to it; it answers 200 unless told otherwise. Gone after the test. */
export async function startTestApp(
  answer: (arrived: Arrived, response: ServerResponse) => void = (_, response) => response.end('done'),
) {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { rawHeaders, headers } = request
    const one = { id: String(headers['webhook-id']), rawHeaders, headers, body: Buffer.concat(pieces) }
    arrived.push(one)
    answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { arrived, port, url: `http://127.0.0.1:${port}/hooks`, ids: () => arrived.map(({ id }) => id) }
}
