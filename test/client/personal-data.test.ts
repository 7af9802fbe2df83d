import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, createClient, type HttpTrace } from '../../src/client/index.js'
import { operationNames, operationRows } from '../../src/contract/index.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const exporter = new InMemorySpanExporter()
const traces: HttpTrace[] = []
const lines: string[] = []
let client: Client

beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  const { baseUrl, apiKey } = sandbox.running
  const write = (line: string) => void lines.push(line)
  client = createClient({ baseUrl, apiKey, onTrace: (one) => traces.push(one), logger: { debug: write, warn: write } })
})
afterAll(async () => {
  trace.disable()
  await client.close()
})

const address = { line1: '417 Persimmon Street', city: 'Fayetteville', state: 'NC', postalCode: '28301-4471' }
const contact = { contactName: 'Theodora Quill', contactPhone: '+19105550147', instructions: 'Beware of Cerberus' }
const unit = { buildingNumber: 'C-4155', room: 'B-2140', unitDesignation: '82nd Signal' }
const dropoff = { ...contact, address, unit }
const personal = [
  ...Object.values({ ...contact, ...unit }),
  '417 Persimmon',
  '28301-4471',
  '(910) 555-0147',
  'theodora@example.com',
  'Moved to Elm Court',
]

it('No trace, log line or span holds personal data of a request or of its answer', async () => {
  const pickup = { storeReference: 'STORE-001' }
  const order = {
    clientOrderReference: 'P-1',
    pickup,
    dropoff,
    metadata: { contact: { mail: 'theodora@example.com' } },
  }
  const { deliveryId } = await client.createDelivery({ body: order })
  const refusals = [
    { dropoff: { ...dropoff, contactPhone: '(910) 555-0147' } },
    { dropoff: { ...dropoff, address: '417 Persimmon Street' } },
    { dropoff: { ...dropoff, contactName: ['Theodora Quill'] } },
    { pickup: { storeReference: 'Theodora Quill' } },
  ]
  for (const change of refusals) {
    const body = { ...order, clientOrderReference: 'P-2', ...change } as never
    await expect(client.createDelivery({ body })).rejects.toMatchObject({ kind: 'api' })
  }
  await client.updateDelivery({
    deliveryId,
    body: { dropoff: { address: '417 Persimmon Street, Fayetteville, NC 28301' } },
  })
  await client.createQuote({ body: { pickup, dropoff } })
  await client.checkServiceability({ body: { dropoff: { address, unit: { ...unit, deliveryPoint: 'mailroom' } } } })
  await client.simulateDelivery({ deliveryId, body: { advanceTo: 'driver_assigned', emitIntermediateEvents: true } })
  const { driver } = await client.getDelivery({ deliveryId })
  await client.listEvents({ query: { deliveryId } })
  await client.raw({
    method: 'GET',
    path: '/deliveries?search=Theodora%20Quill',
    query: { clientOrderReference: 'P-1' },
  })
  await client.raw({ method: 'POST', path: '/quotes', body: '{"dropoff": {"contactName": "Theodora Quill"' })
  await client.cancelDelivery({ deliveryId, body: { reason: 'customer_cancelled', reasonNotes: 'Moved to Elm Court' } })

  const taking = operationNames.filter((name) => operationRows[name].body !== undefined)
  expect(taking.filter((name) => !traces.some(({ operation }) => operation === name))).toEqual([])
  const { name, phoneNumber } = driver ?? {}
  const shown = {
    traces,
    lines,
    spans: exporter.getFinishedSpans().map(({ attributes, events, status }) => ({ attributes, events, status })),
  }
  expect(Object.values(shown).every(({ length }) => length >= traces.length)).toBe(true)
  const text = decodeURIComponent(JSON.stringify(shown).replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  expect([...personal, name ?? '', phoneNumber ?? ''].filter((one) => text.includes(one))).toEqual([])
  expect(traces.map(({ url }) => url).join('\n')).toContain('/deliveries?search=***&clientOrderReference=P-1')
  for (const kept of ['T******* Q****', 'Fayetteville', '28301-****', deliveryId, 'customer_cancelled', 'STORE-001'])
    expect(text).toContain(kept)
})

it('A trace shows the value of each query parameter that the contract has', async () => {
  const names = new Set(operationNames.flatMap((name) => Object.keys(operationRows[name].query?.shape ?? {})))
  traces.length = 0
  await client.raw({ method: 'GET', path: '/none', query: Object.fromEntries([...names].map((name) => [name, 'x'])) })
  expect([...new URL(traces[0]?.url ?? '').searchParams].filter(([, value]) => value !== 'x')).toEqual([])
  expect(names.size).toBeGreaterThan(10)
})
