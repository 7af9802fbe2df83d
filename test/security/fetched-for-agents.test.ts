import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { connectAgent } from '../support/mcp/agent.js'

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = []
  const origin = await startHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => answer(request, response))
  })
  return { asked, origin }
}

it('An address of a state on another machine is confirmed as that of the receiver is', async () => {
  const { asked, origin } = await serve((_, response) => response.writeHead(200).end())
  const { call } = await connectAgent(createCli())
  for (const stateUrl of ['http://169.254.169.254/latest/{deliveryId}', 'https://evil.example.com/?id={deliveryId}']) {
    const { data } = await call('receiver_test', { to: `${origin}/hooks`, stateUrl })
    expect(data.confirmation.preview.question).toContain(`read its state from ${new URL(stateUrl).origin}/`)
  }
  // The token is for these addresses only.
  const first = await call('receiver_test', { to: 'https://shop.example.com/', stateUrl: `${origin}/{deliveryId}` })
  const confirm = first.data.confirmation.token
  const other = { to: 'https://shop.example.com/', stateUrl: 'https://evil.example.com/{deliveryId}', confirm }
  expect((await call('receiver_test', other)).data.error.code).toBe('NOT_CONFIRMED')
  expect(asked).toEqual([])
})

it('A state is read from where it was asked for, follows no redirect, and ends at a size', async () => {
  const elsewhere = await serve((_, response) => response.end('{"status":"delivered","processed":1}'))
  let sentBytes = 0
  const receiver = await serve((request, response) => {
    if (request.method === 'POST') return void response.writeHead(200).end()
    if (request.url?.startsWith('/moved')) {
      response.writeHead(307, { location: `${elsewhere.origin}${request.url}` }).end()
      return
    }
    const chunk = Buffer.alloc(65_536, ' ')
    const more = () => {
      while (!response.destroyed && sentBytes < 64 * 1_048_576 && response.write(chunk)) sentBytes += chunk.length
      if (!response.destroyed && sentBytes < 64 * 1_048_576) response.once('drain', more)
      else response.end()
    }
    more()
  })
  const { call } = await connectAgent(createCli())
  for (const path of ['moved', 'endless']) {
    const args = { to: `${receiver.origin}/hooks`, stateUrl: `${receiver.origin}/${path}/{deliveryId}` }
    const { data, isError } = await call('receiver_test', args)
    expect([isError, data.notObservable.length > 0]).toEqual([false, true])
  }
  expect(receiver.asked.some((line) => line.startsWith('GET /moved'))).toBe(true)
  expect(elsewhere.asked).toEqual([])
  expect(sentBytes).toBeLessThan(64 * 1_048_576)
})
