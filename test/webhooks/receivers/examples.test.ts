import { serve } from '@hono/node-server'
import { expect, it, onTestFinished } from 'vitest'
import { newSecret, testReceiver } from '../../../src/webhooks/index.js'

const secret = newSecret()

// `next build` imports a route where its environment is not set.
const route = await import('../../../examples/receivers/next-route.js')

process.env.WEBHOOK_SECRET = secret

/** Serves each example as its framework is served; its origin. `.ci/frameworks` serves those of Express and Fastify. */
const examples: Record<string, () => Promise<string>> = {
  async 'hono.ts'() {
    const { app } = await import('../../../examples/receivers/hono.js')
    return served((request) => app.fetch(request))
  },
  async 'next-route.ts'() {
    return served(route.POST)
  },
}

function served(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`))
    onTestFinished(() => void server.close())
  })
}

it.each(
  Object.keys(examples),
)('the example %s passes every conformance case, with nothing unobserved', async (name) => {
  const origin = await examples[name]?.()
  const report = await testReceiver({ url: `${origin}/hooks`, secret })
  expect(report.brokenRules).toEqual([])
  expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
})
