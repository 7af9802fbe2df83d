import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runNode } from '../support/library/run-node.js'

interface Exported {
  name: string
  scope: string
  parent: string | undefined
  attributes: Record<string, unknown>
  events: { name: string; attributes: Record<string, unknown> }[]
  code: number
}

/** Runs calls in a process of its own, since OpenTelemetry is set up for a whole process, and gives its spans. */
async function spansOf(calls: string, { register = true } = {}): Promise<Exported[]> {
  const script = `
    import '@opentelemetry/api'
    import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
    import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
    import { createClient, fetchTransport } from 'dlv-cli/client'
    import { startSandbox } from 'dlv-cli/sandbox'
    const exporter = new InMemorySpanExporter()
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    if (${register}) provider.register()
    new UndiciInstrumentation().setTracerProvider(provider)
    const { baseUrl, apiKey, force, close } = await startSandbox({ rateLimit: 'off' })
    const client = createClient({ baseUrl, apiKey })
    const dropoff = { address: '418 Ramsey Street, Fayetteville, NC 28301', contactName: 'Dana', contactPhone: '+19105550147' }
    const body = { clientOrderReference: 'T-1', pickup: { storeReference: 'STORE-001' }, dropoff }
    ${calls}
    await client.close()
    await close()
    const spans = exporter.getFinishedSpans()
    console.log(JSON.stringify(spans.map(({ name, instrumentationScope, parentSpanContext, attributes, events, status }) => ({
      name, attributes, events, code: status.code, scope: instrumentationScope.name + ' ' + instrumentationScope.version,
      parent: spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.name,
    }))))`
  const { stdout, stderr } = await runNode(['--input-type=module', '--eval', script])
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Exported[]
}

it('Each call is a span around its attempts, whose own spans are those of undici', async () => {
  const spans = await spansOf(`
    await force('SERVICE_UNAVAILABLE; retry_after=0')
    const { deliveryId } = await client.createDelivery({ body })
    await client.createDelivery({ body })
    await client.getDelivery({ deliveryId: 'del_none' }).catch(() => {})
    await client.raw({ method: 'GET', path: '/health' })
  `)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const calls = spans.filter(({ scope }) => scope === `dlv-cli ${version}`)
  const [created, replayed, refused, raw] = calls
  expect(spans.filter(({ parent }) => parent !== undefined).map(({ name, parent }) => `${parent} > ${name}`)).toEqual([
    'dlv createDelivery > POST',
    'dlv createDelivery > POST',
    'dlv createDelivery > POST',
    'dlv getDelivery > GET',
    'dlv GET > GET',
  ])
  expect(created).toMatchObject({
    code: 0,
    attributes: {
      'dlv.operation': 'createDelivery',
      'dlv.attempts': 2,
      'http.request.resend_count': 1,
      'dlv.replayed': false,
      'dlv.delivery_id': expect.stringMatching(/^del_/),
      'dlv.request_id': expect.stringMatching(/^req_/),
      'http.response.status_code': 201,
    },
    events: [
      {
        name: 'retry',
        attributes: {
          'dlv.attempt': 1,
          'http.request.resend_count': 1,
          'dlv.delay_ms': 0,
          'error.type': 'SERVICE_UNAVAILABLE',
        },
      },
    ],
  })
  expect(replayed?.attributes).not.toHaveProperty('http.request.resend_count')
  expect(replayed?.attributes).toMatchObject({ 'dlv.replayed': true, 'dlv.attempts': 1 })
  expect(refused).toMatchObject({
    code: 2,
    attributes: {
      'dlv.delivery_id': 'del_none',
      'dlv.attempts': 1,
      'error.type': 'DELIVERY_NOT_FOUND',
      'http.response.status_code': 404,
    },
    events: [{ name: 'exception', attributes: { 'exception.type': 'ApiError' } }],
  })
  expect(raw).toMatchObject({ name: 'dlv GET', attributes: { 'dlv.attempts': 1, 'http.response.status_code': 200 } })
})

it('A span says why there was no response, without the phone number that a message quotes', async () => {
  const [span] = await spansOf(`
    const transport = fetchTransport(() => Promise.reject(new Error('lost +19105550147')))
    await createClient({ baseUrl, apiKey, transport, retries: { maxRetries: 1, baseDelayMs: 1 } }).getHealth().catch(() => {})
  `)
  expect(span).toMatchObject({
    name: 'dlv getHealth',
    code: 2,
    attributes: { 'error.type': 'other', 'dlv.attempts': 2 },
  })
  expect(span?.events.map(({ name }) => name)).toEqual(['retry', 'exception'])
  expect(JSON.stringify(span)).not.toContain('9105550147')
})

it('There is no span of ours where nothing is registered, and nothing of OpenTelemetry is loaded', async () => {
  const spans = await spansOf('await client.getHealth()', { register: false })
  expect(spans.map(({ name }) => name)).toEqual(['GET'])
  const library = [...globSync('dist/*.js'), ...globSync('dist/{chunks,fetch}/*.js')]
  expect(library.length).toBeGreaterThan(20)
  expect(library.filter((file) => /(?:from|import|require)\W*@opentelemetry/.test(readFileSync(file, 'utf8')))).toEqual(
    [],
  )
})
