import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SandboxFaultRules, startSandbox } from '../../src/sandbox/index.js'
import { createCli } from '../support/cli/program.js'
import { freePort } from '../support/free-port.js'
import {
  changedReceiver,
  clientCommand,
  installed,
  installedForTests,
  type Language,
  languages,
  newFolder,
  receiverCommand,
  startReceiver,
  testCommand,
} from '../support/languages/languages.js'

const examples: Record<Language, { test: string; receiver: string }> = {
  python: { test: 'test_order.py', receiver: 'receiver.py' },
  go: { test: 'order_test.go', receiver: 'receiver.go' },
  ruby: { test: 'order_test.rb', receiver: 'receiver.rb' },
  php: { test: 'OrderTest.php', receiver: 'receiver.php' },
  java: { test: 'OrderTest.java', receiver: 'Receiver.java' },
}

/** A proxy at which nothing listens: requests to this machine do not go there. */
const deadProxy = { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' }

/** How a program ended, and what it printed. */
async function run(words: readonly string[], env: NodeJS.ProcessEnv, cwd = newFolder()) {
  const [program = '', ...rest] = words
  const own = { XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd }
  const options = { cwd, env: { ...process.env, ...own, ...env }, maxBuffer: 2 ** 24 }
  return promisify(execFile)(program, rest, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** The variable that names the command of PHP's app: the others take their port from the test. */
const commandOf = (language: Language, port: number) =>
  language === 'php' ? { APP: `php -S 127.0.0.1:${port} receiver.php` } : {}

/** A file of orders, one a line. */
function orderFile(...orders: readonly object[]): string {
  const file = join(newFolder(), 'orders.ndjson')
  writeFileSync(file, orders.map((order) => `${JSON.stringify(order)}\n`).join(''))
  return file
}

/** The URL of a server that ends with the test. */
async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Faults that a client must survive without a second driver: they meet about ten of the orders. */
const faults: SandboxFaultRules = {
  seed: 7,
  rules: [
    { operation: 'createDelivery', force: 'TIMEOUT_AFTER_COMMIT', probability: 0.04 },
    { operation: 'createDelivery', force: 'RESET', probability: 0.03 },
    { operation: 'createDelivery', force: 'SERVICE_UNAVAILABLE; retry_after=1', probability: 0.01 },
    { operation: 'createDelivery', force: 'RATE_LIMIT_EXCEEDED; retry_after=1', probability: 0.01 },
    { operation: 'listDeliveries', force: 'RESET', times: 1 },
  ],
}

describe.each(languages)('in %s', (language) => {
  it.runIf(installed.includes(language))('the client names an order that the service refuses', async () => {
    await using sandbox = await startSandbox({ rateLimit: 'off' })
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const file = orderFile({ ...order, pickup: { storeReference: 'STORE-999' } })
    const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
    const { code, stdout, stderr } = await run(clientCommand(language, file), env)
    expect(stderr).toContain('INVALID_STORE_REFERENCE')
    expect(stdout).toContain('1 orders, 1 refused, 0 deliveries')
    expect(code).toBe(1)
  })

  it.runIf(installed.includes(language))('the client never takes the key to where a redirect leads', async () => {
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const delivery = {
      deliveryId: 'del_elsewhere',
      clientOrderReference: order.clientOrderReference,
      status: 'accepted',
    }
    const keys: unknown[] = []
    const elsewhere = await listening(({ headers }, response) => {
      keys.push(headers.authorization)
      response.end(JSON.stringify({ ...delivery, deliveries: [delivery] }))
    })
    const redirecting = await listening((_request, response) => response.writeHead(302, { location: elsewhere }).end())
    const { code, stdout, stderr } = await run(clientCommand(language, orderFile(order)), {
      DLV_BASE_URL: redirecting,
      DLV_API_KEY: 'key_1',
    })
    expect(keys).toEqual([])
    expect(stderr).toContain(`302 REDIRECT: not followed, check DLV_BASE_URL: ${elsewhere}`)
    expect(stderr).not.toMatch(/Traceback|Stack trace|at Client|client\.rb/)
    expect(stdout).not.toContain('del_elsewhere')
    expect(code).toBe(1)
  })

  it.runIf(installed.includes(language))('the client fails if there are fewer deliveries than orders', async () => {
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const lossy = await listening(({ method }, response) => {
      const { clientOrderReference } = order
      const created = { deliveryId: 'del_1', clientOrderReference, status: 'accepted' }
      response.end(JSON.stringify(method === 'POST' ? created : { deliveries: [], nextCursor: null }))
    })
    const env = { DLV_BASE_URL: lossy, DLV_API_KEY: 'key_1', ...deadProxy }
    const { code, stdout } = await run(clientCommand(language, orderFile(order)), env)
    expect(stdout).toContain('1 orders, 0 refused, 0 deliveries')
    expect(code).toBe(1)
  })

  it.runIf(installed.includes(language))('the client reads a list to its end, past short and empty pages', async () => {
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const orders = ['ONE', 'TWO', 'THREE'].map((clientOrderReference) => ({ ...order, clientOrderReference }))
    const pages = [
      { deliveries: orders.slice(0, 1), nextCursor: 'a+b/c=&d e' },
      { deliveries: [], nextCursor: 'second' },
      { deliveries: orders.slice(1) },
    ]
    const asked: URLSearchParams[] = []
    const service = await listening((request, response) => {
      if (request.method === 'GET') {
        asked.push(new URL(request.url ?? '', 'http://service').searchParams)
        return void response.end(JSON.stringify(pages[asked.length - 1]))
      }
      let body = ''
      request.on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        const { clientOrderReference } = JSON.parse(body)
        response.end(
          JSON.stringify({ deliveryId: `del_${clientOrderReference}`, clientOrderReference, status: 'accepted' }),
        )
      })
    })
    const env = { DLV_BASE_URL: service, DLV_API_KEY: 'key_1', ...deadProxy }
    const { code, stdout } = await run(clientCommand(language, orderFile(...orders)), env)
    expect(stdout).toContain('3 orders, 0 refused, 3 deliveries')
    expect(code).toBe(0)
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, 'a+b/c=&d e', 'second'])
    expect(new Set(asked.map((query) => `${query.get('from')} ${query.get('limit')}`)).size).toBe(1)
  })

  it.runIf(installed.includes(language))(
    'the client goes on after a line without a reference, and finds an order that is there already',
    async () => {
      await using sandbox = await startSandbox({ rateLimit: 'off' })
      const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
      const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
      const created = await fetch(`${sandbox.baseUrl}/deliveries`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': 'of another program' },
        body: JSON.stringify(order),
      })
      const { deliveryId } = (await created.json()) as { deliveryId: string }
      const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
      const known = await run(clientCommand(language, orderFile(order)), env)
      expect(known.stdout).toContain(`${order.clientOrderReference} ${deliveryId} `)
      expect(known.stdout).toContain('1 orders, 0 refused, 1 deliveries')
      expect(known.code).toBe(0)
      const { clientOrderReference: _, ...unnamed } = order
      const mixed = await run(clientCommand(language, orderFile(unnamed, order)), env)
      expect(mixed.stderr).toMatch(/line 1: .*clientOrderReference/)
      expect(mixed.stdout).toContain('2 orders, 1 refused, 1 deliveries')
      expect(mixed.code).toBe(1)
    },
  )

  it.runIf(installed.includes(language))('receiver and client say what they lack', async () => {
    const client = await run(clientCommand(language, '').slice(0, -1), {
      DLV_BASE_URL: 'http://127.0.0.1:9',
      DLV_API_KEY: 'k',
    })
    expect([client.code, client.stderr]).toEqual([1, expect.stringContaining('ORDERS.ndjson')])
    const lost = await run(clientCommand(language, 'examples/order.json'), { DLV_BASE_URL: '', DLV_API_KEY: '' })
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('with DLV_BASE_URL')])
    if (language === 'php') {
      for (const secrets of [[], ['whsec_%']]) {
        const started = await startReceiver(await receiverCommand(language), {
          secrets,
          events: join(newFolder(), 'events'),
        })
        onTestFinished(() => started.stop())
        expect((await fetch(started.url, { method: 'POST', body: '{}' })).status).toBe(500)
      }
      return
    }
    for (const [secret, said] of [
      [' ', 'Set DLV_WEBHOOK_SECRET'],
      ['whsec_%', 'DLV_WEBHOOK_SECRET is malformed'],
    ] as const) {
      const { code, stderr } = await run(await receiverCommand(language), { DLV_WEBHOOK_SECRET: secret, PORT: '0' })
      expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
      expect(stderr).not.toContain('Traceback')
    }
  })

  const printed = async () => (await createCli().run(['webhooks', 'receiver', language, '--test'])).stdout
  const dlv = `${process.execPath} ${join(process.cwd(), 'bin/run.js')}`
  it.runIf(installedForTests.includes(language))('the test is green', async () => {
    const { words, cwd } = testCommand(language, await printed(), examples[language].test)
    changedReceiver(language, (text) => text, cwd)
    expect(await run(words, { DLV: dlv, ...deadProxy }, cwd)).toMatchObject({ code: 0 })
  })

  // The other languages do the same.
  const isTried = language === 'python' || process.env.DLV_LANGUAGES !== undefined
  it.runIf(installedForTests.includes(language) && isTried)(
    'the test is green for an app that prints no URL',
    async () => {
      const { words, cwd } = testCommand(language, await printed(), examples[language].test)
      const port = await freePort()
      const env = { DLV: dlv, APP_URL: `http://127.0.0.1:${port}/webhooks`, ...commandOf(language, port) }
      changedReceiver(language, (text) => text.replace('listening on http', 'ready'), cwd)
      expect(await run(words, env, cwd)).toMatchObject({ code: 0 })
    },
  )

  // It waits 20 s for what never comes.
  it.runIf(installedForTests.includes(language) && process.env.DLV_LANGUAGES !== undefined)(
    'the test is red if the app is broken',
    async () => {
      const { words, cwd } = testCommand(language, await printed(), examples[language].test)
      const deaf = (text: string) => text.replaceAll('webhook-id', 'webhook-ids').replace('WEBHOOK_ID', 'ID')
      changedReceiver(language, deaf, cwd)
      const { code } = await run(words, { DLV: dlv }, cwd)
      expect(code).not.toBe(0)
    },
  )
})

// Most of the time is waiting: the languages wait together.
it.concurrent.each(installed)('the client in %s creates each order once, whatever is lost', async (language) => {
  await using sandbox = await startSandbox({ rateLimit: 'off' })
  const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
  const orders = Array.from({ length: 110 }, (_, at) => ({ ...order, clientOrderReference: `WEB-${at}` }))
  const file = join(newFolder(), 'orders.ndjson')
  // Readers of lines with a limit, such as Go's, end at a long one without a word.
  const lines = orders.map((one, at) => `${JSON.stringify(one)}${at === 50 ? ' '.repeat(70_000) : ''}\n`)
  writeFileSync(file, lines.join(''))
  await sandbox.faults.set(faults)
  const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
  const first = await run(clientCommand(language, file), env)
  expect(first.stderr).toMatch(/trying again/)
  expect(first.stdout.trim().split('\n').at(-1)).toBe('110 orders, 0 refused, 110 deliveries')
  expect(first.code).toBe(0)
  await sandbox.faults.clear()
  const second = await run(clientCommand(language, file), env)
  expect(second.stdout.trim().split('\n').at(-1)).toBe('110 orders, 0 refused, 110 deliveries')
})
