import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { serviceNowMs } from '../../src/client/service-time.js'
import { startHttpServer } from '../support/http-server.js'

const dayMs = 86_400_000

it.each([
  ['the 502 page of a proxy', (response: ServerResponse) => response.writeHead(502).end('<h1>502 Bad Gateway</h1>')],
  ['a limit', (response: ServerResponse) => response.writeHead(429, { 'retry-after': '30' }).end('{}')],
  ['a body without checkedAt', (response: ServerResponse) => response.end('{"status":"healthy"}')],
])('The clock of a service that is days ahead stays there while GET /health is answered by %s', async (_, answer) => {
  let isWell = true
  const origin = await startHttpServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (!request.url?.endsWith('/health')) return void response.end('{"deliveries":[],"nextCursor":null}')
    if (!isWell) return void answer(response)
    response.end(JSON.stringify({ status: 'healthy', checkedAt: new Date(Date.now() + 3 * dayMs).toISOString() }))
  })
  const baseUrl = `${origin}/delivery/v1`
  const client = createClient({ baseUrl, apiKey: 'dlvk_test' })
  await client.raw({ method: 'GET', path: '/deliveries' })
  const aheadMs = async () => (await serviceNowMs(client, Date.now, { baseUrl })) - Date.now()
  expect(Math.round((await aheadMs()) / dayMs)).toBe(3)
  isWell = false
  expect(Math.round((await aheadMs()) / dayMs)).toBe(3)
})
