import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/cli/doctor/finding.js'
import type { DriftResult } from '../../src/render/service-views.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli, type InProcessOptions } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { connectAgent } from '../support/mcp/agent.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { serveUi } from '../support/ui/inspector.js'

const key = 'merchant-7f3a'
const sandbox = serveSandbox()

interface Replaced {
  status: number
  body: unknown
}

/**
 * A service that knows a merchant's key, with an account of the sandbox behind it, and a profile in a file that says
 * `sandbox`. It proves nothing: it is somebody else's.
 */
async function labelledSandbox(
  account: string,
  replace: (request: IncomingMessage) => Replaced | undefined = () => undefined,
) {
  const writes: string[] = []
  const origin = await startHttpServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').replace('/delivery/v1', '')
    if (path.startsWith('/_sandbox')) return void outgoing.writeHead(404).end()
    if (incoming.method !== 'GET') writes.push(`${incoming.method} ${path.replace(/del_\w+/, '{id}')}`)
    const replaced = replace(incoming)
    if (replaced !== undefined) {
      outgoing.writeHead(replaced.status, { 'content-type': 'application/json' }).end(JSON.stringify(replaced.body))
      return
    }
    const headers = {
      ...incoming.headers,
      host: new URL(sandbox.running.baseUrl).host,
      authorization: `Bearer ${account}`,
    }
    const onward = httpRequest(new URL(incoming.url ?? '/', sandbox.running.baseUrl), {
      method: incoming.method ?? 'GET',
      headers,
    })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  await sandbox.running.steer('POST', '/reset', {})
  const cli = createCli()
  const baseUrl = `${origin}/delivery/v1`
  const words = ['profiles', 'add', 'shop', '--environment', 'sandbox', '--base-url', baseUrl, '--no-keychain', '--use']
  const env = { DLV_SANDBOX_SECRET: '' }
  const run = (words: readonly string[], options: InProcessOptions = {}) => cli.run(words, { env, ...options })
  return {
    cli,
    env,
    run,
    writes,
    origin,
    /** The profile as somebody wrote it, with nothing asked. */
    write(home = cli.home) {
      const file = join(home, '.config/dlv/config.json')
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const stored = { environment: 'sandbox', baseUrl, keyIn: 'file', apiKey: key, webhookSecrets: [] }
      writeFileSync(file, JSON.stringify({ current: 'shop', profiles: { shop: stored } }), { mode: 0o600 })
    },
    add: () => run([...words, '--api-key-stdin'], { stdin: key }),
    async drift(...words: string[]) {
      const ended = await run(['drift', '-o', 'json', ...words])
      return { ...ended, result: (ended.stdout === '' ? undefined : JSON.parse(ended.stdout)) as DriftResult }
    },
    deliveries: async () => {
      const { baseUrl } = sandbox.running
      const answer = await fetch(`${baseUrl}/deliveries?from=2020-01-01T00:00:00Z`, {
        headers: { authorization: `Bearer ${account}` },
      })
      return ((await answer.json()) as { deliveries: { status: string; clientOrderReference: string }[] }).deliveries
    },
  }
}

const isSimulation = ({ url }: IncomingMessage) => url?.endsWith('/simulate') === true
const notFound = { status: 404, body: { error: { code: 'DELIVERY_NOT_FOUND', message: 'No.', requestId: 'r' } } }

describe('dlv drift on a profile that says sandbox', () => {
  it('creates nothing with a key that is answered SANDBOX_ONLY, and remembers it as a live one', async () => {
    const { drift, deliveries, writes, cli } = await withProfile('dlvk_live_demo')
    const { stderr, result } = await drift()
    expect(await deliveries()).toEqual([])
    expect(writes).toEqual(['POST /deliveries/{id}/simulate', 'POST /serviceability'])
    expect(result.notTried).toEqual([expect.stringContaining('HTTP 403 SANDBOX_ONLY')])
    expect(stderr).toContain('this key is a production key')
    const known = readFileSync(join(cli.home, '.config/dlv/production-keys'), 'utf8')
    expect([known.includes('SANDBOX_ONLY'), known.includes(key)]).toEqual([true, false])
  })

  it('creates nothing where the answer proves nothing', async () => {
    const unclear = { status: 400, body: { error: { code: 'VALIDATION_ERROR', message: 'No.', requestId: 'r' } } }
    for (const answer of [unclear, { status: 404, body: 'Not found' }, { status: 200, body: {} }]) {
      const { drift, deliveries } = await withProfile('dlvk_sbx_marketplace', (request) =>
        isSimulation(request) ? answer : undefined,
      )
      const { result } = await drift('--store', 'STORE-001')
      expect([await deliveries(), result.notTried]).toEqual([[], [expect.stringContaining('did not prove')]])
    }
  })

  it('ends at the first livemode: true or 403, and cancels and names what it created', async () => {
    // A live service that looks for the delivery before it looks at the key.
    let asked = 0
    const { cli, drift, deliveries, writes } = await withProfile('dlvk_live_demo', (request) =>
      isSimulation(request) && asked++ === 0 ? notFound : undefined,
    )
    const { exitCode, stderr, result } = await drift('--store', 'STORE-001')
    expect(await deliveries()).toMatchObject([{ status: 'cancelled' }])
    expect([exitCode, stderr]).toEqual([
      9,
      expect.stringMatching(/DRIFT-\w+-1 \(del_\w+\) was created and cancelled\./),
    ])
    expect(result.notTried).toEqual([expect.stringContaining('HTTP 403 SANDBOX_ONLY')])
    expect(writes.filter((write) => write === 'POST /deliveries')).toHaveLength(1)
    // With an order there already, its events say livemode: true before anything is created.
    asked = 0
    rmSync(join(cli.home, '.config/dlv/production-keys'))
    expect((await drift('--store', 'STORE-001')).result.notTried).toEqual([expect.stringContaining('livemode: true')])
    expect(writes.filter((write) => write === 'POST /deliveries')).toHaveLength(1)
  })

  it('tries the life of a delivery at a store of the account, and says what it could not try', async () => {
    const account = await withProfile('dlvk_sbx_noquotes')
    const none = await account.drift()
    expect(none.result.notTried).toEqual([expect.stringContaining('name one with --store')])
    expect(none.stderr).toContain('Not tried: ')
    const unknown = await account.drift('--store', 'STORE-UNKNOWN')
    expect(unknown.result.notTried.join()).toContain('POST /deliveries answered HTTP 422 INVALID_STORE_REFERENCE')
    const refused = 'the life of a delivery: POST /deliveries answered HTTP 422 NO_ELIGIBLE_PROVIDERS'
    expect((await account.drift('--store', 'STORE-002')).result.notTried).toContain(refused)
    // Once deliveries list shows an order, its store and its address are taken.
    const words = ['--store', 'STORE-002', '--to', '300 E Ave C, Killeen, TX 76541', '--name', 'Maya Reyes']
    const order = [...words, '--phone', '+12545550123', '--ref', 'KILLEEN-1']
    await account.cli.json(['deliveries', 'create', ...order], { env: account.env })
    const { result, exitCode } = await account.drift()
    expect([result.notTried, exitCode]).toEqual([['quotes: POST /quotes answered HTTP 403 QUOTES_NOT_SUPPORTED'], 0])
    const all = await account.deliveries()
    expect(all.map(({ status }) => status).sort()).toEqual(['accepted', 'cancelled', 'delivered'])
    const atStore = await account.run(['deliveries', 'list', '--from', '1h', '--store', 'STORE-002', '-q'])
    expect(atStore.stdout.trim().split('\n')).toHaveLength(3)
  })

  async function withProfile(...given: Parameters<typeof labelledSandbox>) {
    const account = await labelledSandbox(...given)
    account.write()
    return account
  }
})

describe('A live key in a profile that says sandbox', () => {
  it('makes the profile production when it is added, whatever its prefix is', async () => {
    const { add, cli, env, writes } = await labelledSandbox('dlvk_live_demo')
    const { stderr } = await add()
    expect(stderr).toContain(
      'is a live one (the service answered SANDBOX_ONLY), so the profile is production, not sandbox',
    )
    expect(await cli.json(['profiles', 'show'], { env })).toMatchObject({ environment: 'production' })
    expect(writes).toEqual(['POST /deliveries/{id}/simulate'])
    const test = await labelledSandbox('dlvk_sbx_marketplace')
    await test.add()
    expect(await test.cli.json(['profiles', 'show'], { env })).toMatchObject({ environment: 'sandbox' })
  })

  it('is a problem for the doctor, makes the page read-only, and asks a person before an agent writes', async () => {
    const account = await labelledSandbox('dlvk_live_demo')
    account.write()
    const listen = ['webhooks', 'listen', '-o', 'ndjson', '--ui']
    for (const command of [['ui', '-o', 'json'], listen]) {
      const env = { ...account.env, DLV_WEBHOOK_SECRET: newSecret() }
      const page = await serveUi('test', { env, command, before: async ({ home }) => account.write(home) })
      expect(await page.read('/session'), command[0]).toMatchObject({ readOnly: true, environment: 'production' })
      // Neither the page's form nor the template assumes a store of the embedded sandbox.
      expect(JSON.stringify(await page.read('/forms/order'))).not.toContain('STORE-0')
      await page.close()
    }
    expect((await account.run(['deliveries', 'template'])).stdout).not.toContain('STORE-0')
    const doctor = await account.run(['doctor', '-o', 'json'])
    const found = (JSON.parse(doctor.stdout) as Finding[]).find(({ check }) => check === 'environment')
    expect([doctor.exitCode, found]).toMatchObject([
      9,
      { verdict: 'problem', hint: expect.stringContaining('profiles add') },
    ])
    const { call } = await connectAgent(account.cli, ['--allow-writes'], { env: account.env })
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    expect((await call('delivery_create', { order })).data.error.message).toContain('On production a person')
    expect(account.writes).not.toContain('POST /deliveries')
  })
})

describe('A profile of production', () => {
  const words = (baseUrl: string) => ['profiles', 'add', 'live', '--environment', 'production', '--base-url', baseUrl]

  it.each([
    ['a live key', 'dlvk_live_demo', 'ok', /^production; the service treats the key as a live key \(livemode: true in/],
    [
      'a test key',
      'dlvk_sbx_marketplace',
      'warning',
      /treats the key as a test key \(livemode: false in its events\): /,
    ],
  ])('is added and examined by reading alone, with %s', async (_name, account, verdict, said) => {
    const { cli, env, writes, origin } = await labelledSandbox(account)
    const direct = { ...env, DLV_BASE_URL: sandbox.running.baseUrl, DLV_API_KEY: account }
    await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--yes'], { env: direct })
    const reading = { ...env, DLV_API_KEY: key }
    const added = await cli.run([...words(`${origin}/delivery/v1`), '--no-keychain', '--api-key-stdin'], {
      env,
      stdin: key,
    })
    expect([added.exitCode, added.stderr]).toEqual([0, expect.stringContaining('The key works: marketplace account')])
    expect(added.stderr.includes('Its events are those of a test account.')).toBe(verdict === 'warning')
    const { stdout } = await cli.run(['doctor', '-P', 'live', '--json'], { env: reading })
    const found = (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'environment')
    expect(found).toMatchObject({ verdict, finding: expect.stringMatching(said) })
    expect(found?.hint ?? '').toBe(
      verdict === 'ok' ? '' : 'dlv profiles add live --environment sandbox, or with the production key',
    )
    expect(writes).toEqual([])
  })

  it('that has no events yet is not proven, which is no fault', async () => {
    const { cli, env, writes, origin } = await labelledSandbox('dlvk_live_demo')
    await cli.run([...words(`${origin}/delivery/v1`), '--no-keychain', '--api-key-stdin'], { env, stdin: key })
    const { stdout } = await cli.run(['doctor', '-P', 'live', '--json'], { env })
    const found = (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'environment')
    expect(found).toMatchObject({ verdict: 'ok', finding: expect.stringContaining('no events in 30 days') })
    expect(writes).toEqual([])
  })
})
