import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, fetchTransport } from '../../src/client/index.js'
import { startHttpServer } from '../support/http-server.js'

async function serve(answer: RequestListener) {
  let requests = 0
  const origin = await startHttpServer((request, response) => {
    requests++
    answer(request, response)
  })
  return { baseUrl: `${origin}/delivery/v1`, requests: () => requests }
}

const clientOf = (baseUrl: string) => createClient({ baseUrl, apiKey: 'dlvk_secret', transport: fetchTransport() })

describe('fetchTransport()', () => {
  it('takes the fetch that is global when a request is sent, as one that msw has replaced', async () => {
    const client = clientOf('https://api.example.com/delivery/v1')
    const own = globalThis.fetch
    onTestFinished(() => {
      globalThis.fetch = own
    })
    globalThis.fetch = async (request) => {
      expect((request as Request).url).toBe('https://api.example.com/delivery/v1/health')
      return Response.json({ status: 'healthy', checkedAt: '2026-03-02T15:00:00Z' })
    }
    expect(await client.getHealth()).toMatchObject({ status: 'healthy' })
  })

  it('follows no redirect: the key goes to nobody else', async () => {
    const other = await serve((_, response) => response.end('{}'))
    const service = await serve((_, response) => response.writeHead(307, { location: other.baseUrl }).end())
    await expect(clientOf(service.baseUrl).getCapabilities()).rejects.toMatchObject({ reason: 'redirect' })
    expect([service.requests(), other.requests()]).toEqual([1, 0])
  })

  it('ends the request when the call is aborted', async () => {
    const controller = new AbortController()
    let closed: Promise<unknown> | undefined
    const service = await serve((request) => {
      closed = once(request.socket, 'close')
      controller.abort(new Error('enough'))
    })
    const call = clientOf(service.baseUrl).getCapabilities({}, { signal: controller.signal })
    await expect(call).rejects.toThrow('enough')
    await closed
  })

  it('is told at once if it gets no function', () => {
    expect(() => fetchTransport('https://api.example.com' as unknown as typeof fetch)).toThrow('takes a fetch function')
  })
})
