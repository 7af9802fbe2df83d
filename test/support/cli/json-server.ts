import type { RequestListener, ServerResponse } from 'node:http'
import { startHttpServer } from '../http-server.js'

/** A service that answers with given JSON. */
export interface JsonServer {
  /** The variables that lead the program there. */
  env: NodeJS.ProcessEnv
  /** Paths that were asked for, below the base URL. */
  asked: string[]
  /** The key of each request; empty without one. */
  keys: string[]
  close(): void
}

/** Starts one: `answer` gives the body for a path, or takes the response over. */
export async function startJsonServer(
  answer: (path: string, response: ServerResponse, method: string | undefined) => string | undefined,
): Promise<JsonServer> {
  const asked: string[] = []
  const keys: string[] = []
  let close = () => {}
  const answering: RequestListener = (request, response) => {
    const path = (request.url ?? '').replace('/delivery/v1', '')
    asked.push(path)
    keys.push((request.headers.authorization ?? '').replace('Bearer ', ''))
    response.setHeader('content-type', 'application/json')
    const body = answer(path, response, request.method)
    if (body !== undefined) response.end(body)
  }
  const origin = await startHttpServer(answering, (end) => {
    close = end
  })
  return { env: { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: 'dlvk_secret' }, asked, keys, close }
}
