import { chmodSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import type { RunningProcess } from '../support/cli/running-program.js'
import { startHttpServer } from '../support/http-server.js'
import { connectAgent } from '../support/mcp/agent.js'
import { serveUi } from '../support/ui/inspector.js'
import { until } from '../support/until.js'

interface Heard {
  method: string
  path: string
  /** Headers and body: everything in which a key could be. */
  text: string
}

const key = 'dlvk_sbx_marketplace'
const order = { ...JSON.parse(readFileSync('examples/order.json', 'utf8')), clientOrderReference: 'PREVIEWED' }

/** A stranger on a loopback port, such as a tunnel to the real service: answers everything and keeps what it was sent. */
async function stranger(answer?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>) {
  const heard: Heard[] = []
  const origin = await startHttpServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = `${request.url}\n${JSON.stringify(request.headers)}\n${Buffer.concat(pieces)}`
    heard.push({ method: request.method ?? '', path: request.url ?? '', text })
    if (await answer?.(request, response)) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answerOf(request)))
  })
  return {
    heard,
    port: Number(new URL(origin).port),
    env: { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: key },
    control: () => heard.filter(({ path }) => path.startsWith('/_sandbox')),
  }
}

/** A service that says yes to everything. */
function answerOf({ method, url = '' }: IncomingMessage): unknown {
  if (url.startsWith('/_sandbox/ready')) return { ready: true, proof: 'yes' }
  if (url.startsWith('/_sandbox')) return { endpoints: [], attempts: [], snapshots: [], secrets: [] }
  if (url.endsWith('/health')) return { status: 'healthy', checkedAt: new Date().toISOString() }
  if (url.endsWith('/capabilities')) return { accountType: 'marketplace', capabilities: { quotes: true } }
  if (url.endsWith('/quotes'))
    return {
      quotes: [{ quoteId: 'qot_1', totalPriceCents: 1_234, currency: 'USD' }],
      expiresAt: '2030-01-01T00:00:00Z',
    }
  if (method === 'POST') return { deliveryId: 'del_1', status: 'accepted', pricing: { totalPriceCents: 999 } }
  return { deliveries: [], events: [], nextCursor: null }
}

/** A served sandbox of this user, in a process of its own: the secret is in the data directory. */
const withFile = { DLV_SANDBOX_SECRET: '' }
let cli: Cli
let served: RunningProcess
let address = ''

beforeAll(async () => {
  cli = createCli(afterAll)
  served = cli.startProcess(['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json'], { env: withFile })
  address = JSON.parse(await served.line((line) => line.includes('"ready"'))).baseUrl
})
afterAll(() => served.kill())

/** Passes challenges on to the served sandbox, as a relay on another port would. */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (request.url?.startsWith('/_sandbox/ready') !== true) return false
  const answer = await fetch(new URL(request.url, address))
  response.setHeader('content-type', 'application/json')
  response.end(await answer.text())
  return true
}

describe('A stranger on a loopback port', () => {
  it.each([
    ['sandbox reset --yes'],
    ['sandbox clock advance 1h'],
    ['sandbox faults --outage'],
    ['sandbox seed --count 1'],
    ['sandbox endpoints add http://127.0.0.1:1/hooks'],
    ['sandbox rotate-secret'],
    ['sandbox snapshot save mine'],
    ['sandbox status'],
  ])('gets a challenge from dlv %s, and neither a control request nor a key', async (words) => {
    for (const answer of [undefined, passOn]) {
      const { env, heard } = await stranger(answer)
      const { exitCode, stderr } = await cli.run(words.split(' '), { env: { ...env, ...withFile } })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did not prove that it is your sandbox')])
      expect(heard.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual(['GET /_sandbox/ready'])
      expect(heard.filter(({ text }) => text.includes(key))).toEqual([])
    }
  })

  it('is asked nothing at all on production, and has nothing to relay without a secret of this user', async () => {
    const { env, heard } = await stranger()
    const production = { ...env, DLV_ENVIRONMENT: 'production' }
    expect((await cli.run(['sandbox', 'status'], { env: production })).exitCode).toBe(2)
    expect(heard).toEqual([])
  })

  it('gets no control requests and no key in an address from dlv ui', async () => {
    // The stranger of the page's own check: whatever answers 2xx.
    for (const answer of [undefined, passOn]) {
      const { env, heard, control } = await stranger(answer)
      const page = await serveUi('test', { env: { ...env, ...withFile } })
      const watching = new AbortController()
      const stream = await fetch(`${page.origin}/ui/stream`, {
        headers: { authorization: `Bearer ${page.token}` },
        signal: watching.signal,
      })
      expect(stream.status).toBe(200)
      await until('the page to follow the service', () => heard.some(({ path }) => /events|changes/.test(path)))
      watching.abort()
      await page.close()
      expect(new Set(control().map(({ path }) => path.split('?')[0]))).toEqual(new Set(['/_sandbox/ready']))
      expect(
        heard.filter(({ path, text }) => path.includes(key) || (path.includes('_sandbox') && text.includes(key))),
      ).toEqual([])
    }
  })

  it('gets no control requests from completion and exports', async () => {
    const { env, control } = await stranger(passOn)
    const options = { env: { ...env, ...withFile } }
    await cli.run(['__complete', '--', 'dlv', 'sandbox', 'snapshot', 'restore', ''], options)
    await cli.run(['__complete', '--', 'dlv', 'deliveries', 'create', '--store', ''], options)
    await cli.run(['webhooks', 'log', 'evt_1', '--as', 'curl'], options)
    expect(new Set(control().map(({ path }) => path.split('?')[0]))).toEqual(new Set(['/_sandbox/ready']))
  })

  it('is never sent an order as a rehearsal by an agent, and no write without --allow-writes', async () => {
    const { env, heard } = await stranger(passOn)
    const reading = await connectAgent(cli, [], { env: { ...env, ...withFile } })
    expect((await reading.client.listTools()).tools.map(({ name }) => name)).not.toContain('delivery_create')
    const writing = await connectAgent(cli, ['--allow-writes'], { env: { ...env, ...withFile } })
    for (const clientOrderReference of ['PREVIEWED-1', 'PREVIEWED-2']) {
      const { data } = await writing.call('delivery_create', { order: { ...order, clientOrderReference } })
      expect(data.confirmation.preview).toMatchObject({ totalCents: 1_234 + 400 })
    }
    expect(heard.filter(({ method, path }) => method === 'POST' && path.endsWith('/deliveries'))).toEqual([])
  })
})

describe('A served sandbox', () => {
  const remote = () => ({ DLV_BASE_URL: address, DLV_API_KEY: key, ...withFile })

  it('proves itself by a secret that only this user can read, and is then controlled', async () => {
    const { now } = await cli.json<{ now: string }>(['sandbox', 'clock'], { env: remote() })
    const advanced = await cli.json<{ now: string }>(['sandbox', 'clock', 'advance', '2h'], { env: remote() })
    expect(Date.parse(advanced.now) - Date.parse(now)).toBeGreaterThanOrEqual(7_200_000)
    const named = { ...remote(), DLV_BASE_URL: address.replace('127.0.0.1', 'localhost') }
    expect((await cli.run(['sandbox', 'status'], { env: named })).exitCode).toBe(0)
    const secret = join(cli.home, '.local/share/dlv/sandbox.secret')
    expect(statSync(secret).mode & 0o777).toBe(0o600)
    // One that others can read proves nothing.
    chmodSync(secret, 0o644)
    const exposed = await cli.run(['sandbox', 'status'], { env: remote() })
    chmodSync(secret, 0o600)
    expect([exposed.exitCode, exposed.stderr]).toEqual([2, expect.stringContaining('sandbox.secret')])
  })

  it('of another user is not controlled, unless both know a secret that was given to them', async () => {
    const other = createCli()
    const refused = await other.run(['sandbox', 'reset', '--yes'], { env: remote() })
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('DLV_SANDBOX_SECRET')])
    const shared = { DLV_SANDBOX_SECRET: 'a secret of this project' }
    const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json']
    const theirs = createCli().startProcess(words, { env: shared })
    const { baseUrl } = JSON.parse(await theirs.line((line) => line.includes('"ready"')))
    const env = { ...remote(), DLV_BASE_URL: baseUrl }
    expect((await other.run(['sandbox', 'reset', '--yes'], { env: { ...env, ...shared } })).exitCode).toBe(0)
    const wrong = { ...env, DLV_SANDBOX_SECRET: 'another secret of theirs' }
    expect((await other.run(['sandbox', 'reset', '--yes'], { env: wrong })).exitCode).toBe(2)
    const short = await other.run(['sandbox', 'reset', '--yes'], { env: { ...env, DLV_SANDBOX_SECRET: 'guess' } })
    expect([short.exitCode, short.stderr]).toEqual([2, expect.stringContaining('has 5 characters')])
    await theirs.kill()
  })

  it('is named its account by the id, and leads no request elsewhere', async () => {
    const elsewhere = await stranger()
    const shared = { DLV_SANDBOX_SECRET: 'a secret of this project' }
    const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json']
    const theirs = cli.startProcess(words, { env: shared })
    const { baseUrl } = JSON.parse(await theirs.line((line) => line.includes('"ready"')))
    const proxy = await stranger(async (request, response) => {
      if (request.url?.startsWith('/_sandbox/ready') === true) {
        response.end(await (await fetch(new URL(request.url, baseUrl))).text())
        return true
      }
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}${request.url}` }).end()
      return true
    })
    const env = { ...proxy.env, ...shared, DLV_API_KEY: 'dlvk_sbx_ownedfleet' }
    const { exitCode, stderr } = await cli.run(['sandbox', 'endpoints', 'add', 'http://127.0.0.1:1/'], { env })
    expect([exitCode !== 0, stderr]).toEqual([true, expect.stringContaining('answered 307')])
    expect(elsewhere.heard).toEqual([])
    const [, registration] = proxy.heard
    expect(registration?.text).toContain('"account":"acc_ownedfleet"')
    expect(registration?.text).not.toContain('dlvk_sbx_ownedfleet')
    await theirs.kill()
  })
})
