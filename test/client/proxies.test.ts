import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type ClientOptions, createClient } from '../../src/client/index.js'
import { testCertificate } from '../support/certificate.js'
import { createCli } from '../support/cli/program.js'
import { trustForTest } from '../support/client/connect-proxy.js'
import {
  type ForwardProxy,
  type ProxyTurn,
  squidPage,
  startForwardProxy,
  tinyproxyPage,
} from '../support/client/forward-proxy.js'
import { hurriedClock } from '../support/client/hurried-clock.js'
import { type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { testOrder } from '../support/orders.js'
import { createTempDir } from '../support/temp-dir.js'

const certificate = testCertificate(['service.test', 'localhost', '127.0.0.1'])
const baseUrl = 'https://service.test/delivery/v1'
const cli = createCli(afterAll)
let service: ScriptedServer

beforeEach(async () => {
  trustForTest(certificate.cert)
  service = await startScriptedServer({ tls: certificate })
})
afterEach(() => service.close())

const startProxy = (turns: ProxyTurn[], tls?: typeof certificate) =>
  startForwardProxy(Number(new URL(service.origin).port), turns, tls)

function open(address: string, options: Partial<ClientOptions> = {}) {
  const client = createClient({
    baseUrl,
    apiKey: 'key-canary',
    clock: hurriedClock(),
    environment: { HTTPS_PROXY: address },
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

const order = (reference: string) => ({ body: testOrder(reference), idempotencyKey: `key-${reference}` })
const env = (proxy: ForwardProxy) => ({
  DLV_BASE_URL: baseUrl,
  DLV_API_KEY: 'dlvk_sbx_key',
  DLV_ENVIRONMENT: 'sandbox',
  DLV_TIMEOUT: '5s',
  HTTPS_PROXY: proxy.url.replace('://', '://ann:s3cret-canary@'),
})

const denied = squidPage('403 Forbidden', 'ERR_ACCESS_DENIED')
const wantsPassword = squidPage(
  '407 Proxy Authentication Required',
  'ERR_CACHE_ACCESS_DENIED',
  'Proxy-Authenticate: Basic realm="Squid"\r\n',
)

test.each([
  ['192.0.2.7', 201],
  ['localhost', 'tls'],
])('A service that is named by its address has to show that address: a certificate of %s gives %s', async (host, outcome) => {
  const named = testCertificate([host])
  trustForTest(named.cert)
  const target = await startScriptedServer({ tls: named })
  onTestFinished(() => target.close())
  const proxy = await startForwardProxy(Number(new URL(target.origin).port), ['tunnel'])
  const client = open(proxy.url, { baseUrl: 'https://192.0.2.7/delivery/v1' })
  const answer = await client.call('createDelivery', order('R-1')).then(
    ({ status }) => status,
    ({ reason }: { reason: string }) => reason,
  )
  expect(answer).toBe(outcome)
})

describe('A proxy that opens no tunnel', () => {
  test.each([
    ['Squid forbids', denied, 'X-Squid-Error: ERR_ACCESS_DENIED 0'],
    ['Squid wants a password', wantsPassword, 'X-Squid-Error: ERR_CACHE_ACCESS_DENIED 0'],
    ['tinyproxy filters', tinyproxyPage('403 Filtered', '403 Filtered'), '(403 Filtered)'],
    ['tinyproxy denies', tinyproxyPage('401 Unauthorized', '401 Unauthorized'), '(401 Unauthorized)'],
  ])('is asked once if %s, is named with its words, and sent nothing', async (_, answer, words) => {
    const proxy = await startProxy([answer])
    const failure = await open(proxy.url)
      .createDelivery(order('R-1'))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'connection', reason: 'proxy-refused' })
    const { message, hint } = failure as { message: string; hint: string }
    expect(message).toContain(`The proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) refused a tunnel to service.test:443`)
    expect(message).toContain(words)
    expect(hint).toContain('Nothing was sent.')
    expect(`${message} ${hint}`).not.toMatch(/may have been dispatched|Tried/)
    expect(proxy.heads).toHaveLength(1)
    expect(service.requests).toEqual([])
  })

  test.each([
    ['Squid cannot reach it', squidPage('503 Service Unavailable', 'ERR_CONNECT_FAIL')],
    ['Squid does not know its name', squidPage('503 Service Unavailable', 'ERR_DNS_FAIL')],
    ['tinyproxy cannot reach it', tinyproxyPage('500 Unable to connect', '500 Unable to connect')],
    ['one answers 502', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'],
    ['one answers 404', 'HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnope'],
    ['one answers 429', 'HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n'],
    ['one closes the connection', 'close'],
    ['one opens it before it reaches anything', 'close-after-200'],
    ['one speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ] satisfies [string, ProxyTurn][])('is asked again if %s, and the order goes once', async (_, turn) => {
    const proxy = await startProxy([turn, turn, 'tunnel'])
    const answer = await open(proxy.url).call('createDelivery', order('R-1'))
    expect(answer).toMatchObject({ attempts: 3, wasLost: false })
    expect(service.requests).toHaveLength(1)
    const lasting = await startProxy([turn])
    const failure = await open(lasting.url)
      .createDelivery(order('R-2'))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      reason: 'proxy',
      message: expect.stringContaining(`The proxy 127.0.0.1:${lasting.port}`),
    })
    expect(JSON.stringify(failure)).not.toContain('may have been')
    expect(lasting.heads).toHaveLength(7)
  })

  test.each([
    ['is down', 'http://127.0.0.1:9', 'nothing is listening there'],
    ['has an unknown name', 'http://no-proxy.invalid:3128', 'the name no-proxy.invalid was not found'],
  ])('is the one that is named if it %s', async (_, address, words) => {
    const client = open(address, { retries: { maxRetries: 1 } })
    await expect(client.getCapabilities()).rejects.toMatchObject({
      reason: 'proxy',
      message: expect.stringContaining(words),
    })
  })

  test('is told by its scheme if that is wrong', async () => {
    const [plain, secure] = [await startProxy(['tunnel']), await startProxy(['tunnel'], certificate)]
    const tried = (address: string) => open(address, { retries: { maxRetries: 0 } }).getCapabilities()
    await expect(tried(plain.url.replace('http:', 'https:'))).rejects.toMatchObject({
      reason: 'proxy',
      hint: expect.stringContaining(`HTTPS_PROXY=${plain.url}`),
    })
    await expect(tried(secure.url)).rejects.toMatchObject({ reason: 'proxy' })
    await tried(secure.url.replace('http:', 'https:'))
  })

  test('that never answers has a time of its own', async () => {
    const proxy = await startProxy(['silence'])
    const startedMs = performance.now()
    const client = open(proxy.url, { clock: undefined, timeoutMs: 300 })
    const failure = await client.createDelivery(order('R-1')).catch((error: unknown) => error)
    expect(performance.now() - startedMs).toBeLessThan(3_000)
    expect(failure).toMatchObject({ reason: 'proxy', hint: expect.stringContaining('Nothing was sent') })
  })

  test('after some tunnels leaves the rest to these: no order waits for a silent one', async () => {
    const proxy = await startProxy(['tunnel', 'tunnel', 'silence'])
    const client = open(proxy.url, { clock: undefined })
    const answers = Array.from({ length: 20 }, (_, at) => client.call('createDelivery', order(`R-${at}`)))
    expect((await Promise.all(answers)).map(({ attempts }) => attempts)).toEqual(Array(20).fill(1))
    expect(service.service.creations).toBe(20)
  })

  test('hears one password once, however many orders wait', async () => {
    const proxy = await startProxy([wantsPassword])
    const client = open(proxy.url)
    const orders = Array.from({ length: 20 }, (_, at) =>
      client.createDelivery(order(`R-${at}`)).catch(({ reason }) => reason),
    )
    expect(new Set(await Promise.all(orders))).toEqual(new Set(['proxy-refused']))
    expect(proxy.heads).toHaveLength(1)
  })
})

describe('SOCKS', () => {
  test('proxies get the name to resolve', async () => {
    const { port } = new URL(service.origin)
    const asked: Buffer[] = []
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write(Uint8Array.from([5, 0]))
        socket.once('data', (request) => {
          asked.push(request)
          import('node:net').then(({ connect }) => {
            const onward = connect(Number(port), '127.0.0.1')
            socket.write(Uint8Array.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
            socket.pipe(onward).pipe(socket)
            onward.on('error', () => socket.destroy())
          })
        })
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = `socks5://127.0.0.1:${(server.address() as { port: number }).port}`
    const client = open(address)
    await client.createDelivery(order('R-1'))
    expect(asked[0]?.toString('latin1')).toContain('service.test')
    await client.close()
  })
})

describe('The program behind a proxy that refuses', () => {
  test.each([
    ['403', denied, 3],
    ['407', wantsPassword, 3],
  ])('(%s) names it in every command, without its password, and never a dispatch', async (_, answer, exitCode) => {
    const file = join(createTempDir(), 'orders.ndjson')
    writeFileSync(file, [1, 2, 3].map((at) => JSON.stringify(testOrder(`B-${at}`))).join('\n'))
    const single = ['--ref', 'R-1', '--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301']
    for (const words of [
      ['capabilities'],
      ['deliveries', 'create', ...single],
      ['deliveries', 'create', '--file', file, '--results', join(createTempDir(), 'results.ndjson')],
      ['deliveries', 'update', 'del_1', '--tip-cents', '200'],
      ['deliveries', 'cancel', 'del_1'],
      ['simulate', 'del_1', '--to', 'delivered'],
    ]) {
      const proxy = await startProxy([answer])
      const { stdout, stderr, exitCode: code } = await cli.run(words, { env: env(proxy) })
      const said = stdout + stderr
      expect(code, `${words.join(' ')}\n${said}`).toBe(exitCode)
      expect(said, words.join(' ')).toContain(`The proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY)`)
      expect(said).not.toMatch(/s3cret|may have been|unknown \(|Tried/)
      expect(proxy.heads).toHaveLength(1)
    }
    expect(service.requests).toEqual([])
  })

  test.each([
    ['socks5h://ann:s3cret@127.0.0.1:1', 'socks5://'],
    ['%', 'HOST:PORT'],
    ['foo:bar:baz', 'HOST:PORT'],
    ['socks4://127.0.0.1:1', 'socks5://'],
    ['ftp://127.0.0.1:1', 'ftp:'],
    ['http://ann:s3cret#1@proxy.test:3128', 'escaped'],
    ['"http://proxy.test:3128"', 'HTTPS_PROXY'],
    ['http://ann:s3cret@proxy.test:99999', '@'],
  ])('is refused before anything is sent for HTTPS_PROXY=%s', async (value, words) => {
    const { stderr, exitCode } = await cli.run(['capabilities'], {
      env: { DLV_BASE_URL: baseUrl, DLV_API_KEY: 'key', HTTPS_PROXY: value },
    })
    expect(exitCode, stderr).toBe(2)
    expect(stderr).toContain('HTTPS_PROXY')
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('s3cret')
  })
})
