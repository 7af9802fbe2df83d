import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OperationName, operationNames, operationRows } from '../../src/contract/index.js'
import { openApiDocument } from '../../src/contract/openapi/index.js'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { freePort } from '../support/free-port.js'

/**
 * Prism, given the OpenAPI document, as a proxy that compares every response of the sandbox with it. `.ci/openapi` runs
 * this file, because Prism has more packages than the rest of the tests together.
 */
const program = String(process.env.DLV_PRISM)

const order = JSON.parse(readFileSync('examples/order.json', 'utf8')) as Record<string, unknown>
const installationOrder = JSON.parse(readFileSync('examples/order-installation.json', 'utf8')) as Record<
  string,
  unknown
>

let sandbox: RunningSandbox
let prism: ChildProcess
let folder: string
let proxy: string
let references = 0

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, rateLimit: 'off' })
  folder = mkdtempSync(join(tmpdir(), 'dlv-prism-'))
  const document = join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify(openApiDocument({ serverUrl: sandbox.baseUrl })))
  const port = await freePort()
  proxy = `http://127.0.0.1:${port}`
  prism = spawn(process.execPath, [program, 'proxy', document, sandbox.baseUrl, '--port', String(port)], {
    stdio: 'ignore',
  })
  const answers = () =>
    fetch(`${proxy}/health`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await vi.waitUntil(answers, { timeout: 20_000, interval: 100 })
})

afterAll(async () => {
  prism.kill()
  await once(prism, 'exit')
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

interface Violation {
  location: string[]
  message: string
}

interface Call {
  method?: string
  path: string
  body?: unknown
  key?: string
  headers?: Record<string, string>
}

async function call({ method = 'GET', path, body, key = 'dlvk_sbx_ownedfleet', headers = {} }: Call) {
  const answer = await fetch(proxy + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as Violation[]
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, violations }
}

const newOrder = (base = order) => ({ ...base, clientOrderReference: `PRISM-${++references}` })
const testKey = () => ({ 'idempotency-key': `prism-${++references}` })

async function createTestDelivery(): Promise<string> {
  const { body } = await call({ method: 'POST', path: '/deliveries', body: newOrder(), headers: testKey() })
  return String(body.deliveryId)
}

/** A success of each operation; a new operation does not compile until it is called here. */
const successes: Record<OperationName, () => Promise<Call>> = {
  getCapabilities: async () => ({ path: '/capabilities' }),
  getHealth: async () => ({ path: '/health' }),
  createQuote: async () => ({
    method: 'POST',
    path: '/quotes',
    body: { pickup: order.pickup, dropoff: order.dropoff },
  }),
  createDelivery: async () => ({
    method: 'POST',
    path: '/deliveries',
    body: newOrder(installationOrder),
    headers: testKey(),
  }),
  getDelivery: async () => ({ path: `/deliveries/${await createTestDelivery()}` }),
  listDeliveries: async () => ({ path: '/deliveries?from=2020-01-01T00:00:00Z&limit=10' }),
  updateDelivery: async () => ({
    method: 'PATCH',
    path: `/deliveries/${await createTestDelivery()}`,
    body: { tipAmountCents: 700 },
  }),
  cancelDelivery: async () => ({
    method: 'POST',
    path: `/deliveries/${await createTestDelivery()}/cancel`,
    body: { reason: 'customer_cancelled' },
  }),
  simulateDelivery: async () => ({
    method: 'POST',
    path: `/deliveries/${await createTestDelivery()}/simulate`,
    body: { advanceTo: 'delivered' },
  }),
  listDrivers: async () => ({ path: '/drivers?onDuty=true' }),
  getDriver: async () => {
    const { body } = await call({ path: '/drivers' })
    return { path: `/drivers/${(body as unknown as { id: string }[])[0]?.id}` }
  },
  listTeams: async () => ({ path: '/teams' }),
  listInstallations: async () => ({ path: '/installations?state=NC' }),
  getInstallation: async () => ({ path: '/installations/FTBRAGG' }),
  checkServiceability: async () => ({
    method: 'POST',
    path: '/serviceability',
    body: { dropoff: { installation: { code: 'FTBRAGG' } } },
  }),
  listEvents: async () => ({ path: '/events?limit=100' }),
}

describe('Prism, between a client and the sandbox,', () => {
  it.each(operationNames)('finds nothing to object to when %s succeeds', async (name) => {
    const { status, violations } = await call(await successes[name]())
    expect(violations).toEqual([])
    expect(Object.keys(operationRows[name].responses)).toContain(String(status))
  })

  it.each(
    operationNames.flatMap((name) => operationRows[name].errors.map((code) => [name, code] as const)),
  )('finds nothing to object to when %s answers %s', async (name, code) => {
    const request = await successes[name]()
    const { body, violations } = await call({ ...request, headers: { ...request.headers, 'x-sandbox-force': code } })
    expect(body).toMatchObject({ error: { code } })
    expect(violations.filter(({ location }) => location[0] === 'response')).toEqual([])
  })

  it('objects to an answer that the document does not describe', async () => {
    const headers = { authorization: 'Bearer dlvk_sbx_ownedfleet', 'x-sandbox-force': 'GARBAGE' }
    const answer = await fetch(`${proxy}/capabilities`, { headers })
    expect(answer.headers.get('sl-violations')).toMatch(/response/)
  })
})
