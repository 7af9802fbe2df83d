import { createServer, type RequestListener, type Server } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { type PostConnections, post, postConnections } from '../../src/webhooks/index.js'
import { startHttpServer } from '../support/http-server.js'

async function startTestServer(
  answer: RequestListener,
): Promise<{ url: string; server: Server; connections: () => number }> {
  let connections = 0
  const server = createServer(answer).on('connection', () => connections++)
  return { url: await startHttpServer(server), server, connections: () => connections }
}

function kept(): PostConnections {
  const connections = postConnections(4)
  onTestFinished(() => connections.close())
  return connections
}

const request = { headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000 }

it('counts a response from its status line on if its body is not wanted', async () => {
  const { url } = await startTestServer((_, response) => void response.writeHead(204).flushHeaders())
  const drip = await startTestServer((_, response) => void response.writeHead(202).write('the first of many'))
  const connections = kept()
  expect(await post({ ...request, url, connections, responseMaxBytes: 0 })).toMatchObject({ status: 204 })
  expect(await post({ ...request, url: drip.url, connections, responseMaxBytes: 0 })).toMatchObject({ status: 202 })
})

it('times out if the body that is wanted never ends', async () => {
  const { url } = await startTestServer((_, response) => void response.writeHead(200).write('the first of many'))
  expect(await post({ ...request, url, timeoutMs: 100 })).toMatchObject({ answered: false, failure: 'timeout' })
})

it('keeps a connection for the next request, and opens another if the kept one was closed meanwhile', async () => {
  const {
    url,
    server,
    connections: opened,
  } = await startTestServer((incoming, response) => {
    incoming.resume()
    response.end('done')
  })
  const connections = kept()
  const send = () => post({ ...request, url, connections })
  expect(await send()).toMatchObject({ status: 200, body: Buffer.from('done') })
  expect(await send()).toMatchObject({ status: 200 })
  expect(opened()).toBe(1)
  // The server lets go of it at the very moment at which the next request is written.
  server.closeIdleConnections()
  expect(await send()).toMatchObject({ status: 200 })
  expect(opened()).toBe(2)
})

it('reads no more of a response than it keeps and a little beyond', async () => {
  const { url } = await startTestServer((_, response) => {
    const piece = Buffer.alloc(65_536)
    const pour = () => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', pour)
    }
    pour()
  })
  const outcome = await post({ ...request, url, responseMaxBytes: 1_000 })
  expect(outcome.answered && outcome.body.length).toBe(1_000)
})
