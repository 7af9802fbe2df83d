import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../../src/sandbox/index.js'
import { startHttpServer } from '../http-server.js'

/** A service whose accounts get new keys, as a user rotates them. */
export interface RotatingService {
  baseUrl: string
  sandbox: RunningSandbox
  /** Makes a key one of an account: `marketplace` or `ownedfleet`. */
  give(key: string, account: string): void
  revoke(key: string): void
  /** While `true`, every request is answered with 503. */
  isDown: boolean
  /** `METHOD path key` of each request. */
  requests: string[]
}

/** Puts a sandbox behind keys that a test gives and takes. */
export async function startRotatingService(): Promise<RotatingService> {
  const sandbox = await startSandbox({ rateLimit: 'off' })
  onTestFinished(() => sandbox.close())
  const accounts = new Map<string, string>()
  const service: RotatingService = {
    baseUrl: '',
    sandbox,
    give: (key, account) => void accounts.set(key, account),
    revoke: (key) => void accounts.delete(key),
    isDown: false,
    requests: [],
  }
  const origin = await startHttpServer(async (request, response) => {
    const key = String(request.headers['x-api-key'] ?? request.headers.authorization ?? '').replace(/^Bearer /, '')
    service.requests.push(`${request.method} ${request.url} ${key}`)
    if (service.isDown) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('down')
      return
    }
    const account = accounts.get(key)
    const headers = new Headers(request.headers as Record<string, string>)
    const known = account === undefined ? 'dlvk_unknown' : `dlvk_sbx_${account}`
    if (headers.has('x-api-key')) headers.set('x-api-key', known)
    if (headers.has('authorization')) headers.set('authorization', `Bearer ${known}`)
    const body = await bodyOf(request)
    const answer = await sandbox.fetch(
      new Request(new URL(String(request.url), sandbox.baseUrl), {
        method: request.method ?? 'GET',
        headers,
        ...(body.length === 0 ? {} : { body }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  })
  service.baseUrl = `${origin}${new URL(sandbox.baseUrl).pathname}`
  return service
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
