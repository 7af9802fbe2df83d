import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service that answers with given JSON. */
export interface JsonServer {
  /** The variables that lead the program there. */
  env: NodeJS.ProcessEnv
  /** Paths that were asked for, below the base URL. */
  asked: string[]
  /** The key of each request; empty without one. */
  keys: string[]
  close(): Promise<void>
}

/** Starts one: `answer` gives the body for a path, or takes the response over. */
export async function startJsonServer(
  answer: (path: string, response: ServerResponse, method: string | undefined) => string | undefined,
): Promise<JsonServer> {
  const asked: string[] = []
  const keys: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const path = (request.url ?? '').replace('/delivery/v1', '')
    asked.push(path)
    keys.push((request.headers.authorization ?? '').replace('Bearer ', ''))
    response.setHeader('content-type', 'application/json')
    const body = answer(path, response, request.method)
    if (body !== undefined) response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: { DLV_BASE_URL: `http://127.0.0.1:${port}/delivery/v1`, DLV_API_KEY: 'dlvk_secret' },
    asked,
    keys,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
