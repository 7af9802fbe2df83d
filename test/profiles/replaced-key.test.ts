import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { serveUi } from '../support/ui/inspector.js'

const sandbox = serveSandbox()

/** A service that knows these keys, with accounts of the sandbox behind them. */
async function merchantService(accounts: Record<string, string>) {
  const refused: IncomingMessage[] = []
  const answered: IncomingMessage[] = []
  const origin = await startHttpServer((incoming, outgoing) => {
    if ((incoming.url ?? '').startsWith('/_sandbox')) return void outgoing.writeHead(404).end()
    const account = accounts[incoming.headers.authorization?.replace('Bearer ', '') ?? '']
    if (account === undefined && !incoming.url?.endsWith('/health')) {
      refused.push(incoming)
      const error = { code: 'UNAUTHORIZED', message: 'The API key is missing or invalid.', requestId: 'req_1' }
      return void outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    }
    answered.push(incoming)
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
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  return { refused, answered, accounts, baseUrl: `${origin}/delivery/v1` }
}

/** A person with a profile of that service, and what an order needs. */
async function personAt(service: Awaited<ReturnType<typeof merchantService>>) {
  const env = { DLV_SANDBOX_SECRET: '' }
  const addKey = async (cli: ReturnType<typeof createCli>, key: string, ...more: string[]) => {
    const words = [
      'profiles',
      'add',
      'shop',
      '--no-keychain',
      '--api-key-stdin',
      '--base-url',
      service.baseUrl,
      ...more,
    ]
    const { exitCode, stderr } = await cli.run(words, { env, stdin: key })
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The key works')])
  }
  const order = async (reference: string) => {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
    const direct = createCli(onTestFinished)
    return direct.json<{ deliveryId: string }>(words, {
      env: { ...sandbox.env(), DLV_API_KEY: 'dlvk_sbx_marketplace' },
    })
  }
  return { env, addKey, order }
}

describe('A key that is replaced while a command runs', () => {
  it('reaches commands that last, which say what they wait for', async () => {
    await sandbox.running.steer('POST', '/reset', {})
    const service = await merchantService({ first: 'dlvk_sbx_marketplace' })
    const { env, addKey, order } = await personAt(service)
    const cli = createCli()
    await order('BEFORE-1')
    await addKey(cli, 'first', '--environment', 'sandbox', '--use')
    const sync = cli.start(['sync', '--follow'], { env })
    await sync.line((line) => line.includes('new event'))
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const listen = cli.start(['webhooks', 'listen', '--pull', '--port', '0', '-o', 'ndjson'], {
      env: { ...env, DLV_WEBHOOK_SECRET: secret },
    })
    await listen.line((line) => line.includes('"ready"'))
    const tail = cli.start(['events', 'tail', '--since', '1h', '--interval', '200ms', '-o', 'ndjson'], { env })
    const watch = cli.start(['deliveries', 'watch', 'BEFORE-1', '--interval', '200ms', '-o', 'ndjson'], { env })
    await tail.line((line) => line.includes('BEFORE-1'))
    await expect.poll(() => service.answered.some(({ url }) => url?.includes('/events?deliveryId='))).toBe(true)
    service.accounts.second = 'dlvk_sbx_marketplace'
    delete service.accounts.first
    await Promise.all(
      [sync, listen, tail, watch].map((running) => running.hasPrinted('profiles add shop --api-key-stdin')),
    )
    await order('AFTER-1')
    await addKey(cli, 'second')
    await Promise.all([
      listen.line((line) => line.includes('AFTER-1')),
      tail.line((line) => line.includes('AFTER-1')),
      ...[sync, tail, watch].map((running) => running.hasPrinted('The service answers again')),
      listen.hasPrinted('The key of profile shop was replaced: continuing with the new one.'),
    ])
    await Promise.all([sync, listen, tail, watch].map((running) => running.kill()))
    const rows = await cli.json(['query', 'SELECT client_order_reference FROM deliveries ORDER BY 1'], { env })
    expect(rows).toEqual([{ client_order_reference: 'AFTER-1' }, { client_order_reference: 'BEFORE-1' }])
  })

  it('reaches the page', async () => {
    await sandbox.running.steer('POST', '/reset', {})
    const service = await merchantService({ first: 'dlvk_sbx_marketplace' })
    const { env, addKey, order } = await personAt(service)
    const { deliveryId } = await order('PAGE-1')
    const page = await serveUi('test', {
      env,
      before: (cli) => addKey(cli, 'first', '--environment', 'sandbox', '--use'),
    })
    service.accounts.second = 'dlvk_sbx_marketplace'
    delete service.accounts.first
    expect((await page.ask(`/deliveries/${deliveryId}`)).status).not.toBe(200)
    const stop = new AbortController()
    await fetch(`${page.origin}/ui/stream`, {
      headers: { authorization: `Bearer ${page.token}` },
      signal: stop.signal,
    })
    const reading = async () => JSON.stringify((await page.read<{ reading: unknown }>('/live')).reading)
    await expect.poll(reading).toContain('Give profile shop another key (dlv profiles add shop --api-key-stdin).')
    stop.abort()
    await addKey(page.cli, 'second', '--same-account')
    expect(JSON.stringify(await page.read(`/deliveries/${deliveryId}`))).toContain('PAGE-1')
  })

  it('is not taken of another account', async () => {
    await sandbox.running.steer('POST', '/reset', {})
    const service = await merchantService({ first: 'dlvk_sbx_marketplace' })
    const { env, addKey, order } = await personAt(service)
    const cli = createCli()
    await order('MINE-1')
    await addKey(cli, 'first', '--environment', 'sandbox', '--use')
    const sync = cli.start(['sync', '--follow'], { env })
    await sync.line((line) => line.includes('new event'))
    service.accounts.other = 'dlvk_sbx_ownedfleet'
    delete service.accounts.first
    await sync.hasPrinted('profiles add shop --api-key-stdin')
    await addKey(cli, 'other')
    const before = service.refused.length
    while (service.refused.length < before + 1) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sync.errors()).not.toContain('continuing with the new one')
    await sync.kill()
  })
})
