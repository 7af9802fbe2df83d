import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { post, replayEvents } from '../../src/webhooks/index.js'
import { testCertificate } from '../support/certificate.js'
import { type ProxyTurn, squidPage, startForwardProxy } from '../support/client/forward-proxy.js'
import { startHttpServer } from '../support/http-server.js'

const certificate = testCertificate(['hooks.test'])
const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

/** A receiver behind TLS that only a proxy reaches. */
async function startReceiver(turns: ProxyTurn[]) {
  const bodies: string[] = []
  const server = createTlsServer(certificate, (incoming, response) => {
    incoming.setEncoding('utf8').on('data', (text: string) => bodies.push(`${incoming.headers.host} ${text}`))
    incoming.on('end', () => response.writeHead(204).end())
  })
  const { port } = new URL(await startHttpServer(server as never))
  return { proxy: await startForwardProxy(Number(port), turns), bodies }
}

const request = { headers: { 'webhook-id': 'evt_1' }, body: Buffer.from('{"a":1}'), timeoutMs: 5_000 }
const url = 'https://hooks.test/in?task=c'

it('reaches a receiver on another machine through a tunnel, and trusts what the receiver is trusted by', async () => {
  const { proxy, bodies } = await startReceiver(['tunnel'])
  vi.stubEnv('HTTPS_PROXY', proxy.url)
  expect(await post({ ...request, url, ca: certificate.cert })).toMatchObject({ answered: true, status: 204 })
  expect(bodies).toEqual(['hooks.test {"a":1}'])
  expect(proxy.heads[0]).toMatch(/^CONNECT hooks\.test:443 HTTP\/1\.1/)
  const untrusted = await post({ ...request, url })
  expect(untrusted).toMatchObject({ failure: 'tls', message: expect.stringContaining('NODE_EXTRA_CA_CERTS') })
  vi.stubEnv('NO_PROXY', '.test')
  expect(await post({ ...request, url, timeoutMs: 500 })).toMatchObject({ answered: false })
  expect(proxy.heads).toHaveLength(2)
})

it('names the proxy that refuses, asks it for nothing more with a password that it refused, and sends nothing', async () => {
  const refusal = squidPage(
    '407 Proxy Authentication Required',
    'ERR_CACHE_ACCESS_DENIED',
    'Proxy-Authenticate: Basic realm="Squid"\r\n',
  )
  const { proxy, bodies } = await startReceiver([refusal])
  vi.stubEnv('https_proxy', proxy.url.replace('://', '://ann:s3cret-canary@'))
  const sign = 'verbatim' as const
  const events = [1, 2, 3].map((at) => ({ id: `evt_${at}`, body: Buffer.from('{}'), rawHeaders: [] }))
  const results = await Array.fromAsync(
    replayEvents({ url, events, sign, afterFailure: 'other-deliveries', retryDelaysMs: [1, 1, 1] }),
  )
  expect(results.length).toBeGreaterThan(0)
  for (const { error } of results) {
    expect(error).toMatch(/The proxy 127\.0\.0\.1:\d+ \(https_proxy\) refused a tunnel to hooks\.test:443: HTTP 407/)
    expect(error).not.toContain('canary')
  }
  expect(proxy.heads).toHaveLength(1)
  expect(bodies).toEqual([])
})

it('says that a proxy is down, and not the receiver', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1')
  const failed = await post({ ...request, url })
  expect(failed).toMatchObject({
    failure: 'proxy',
    message: expect.stringMatching(/The proxy 127\.0\.0\.1:1 .*nothing is listening/),
  })
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  expect(await post({ ...request, url: 'http://hooks.test/in' })).toMatchObject({ failure: 'proxy' })
})

it('asks the proxy itself for what is called by http, and never for this machine', async () => {
  const seen: string[] = []
  const proxy = await startHttpServer(
    createServer((incoming, response) => {
      seen.push(`${incoming.url} ${incoming.headers.host} ${incoming.headers['proxy-authorization']}`)
      response.writeHead(seen.length > 1 ? 407 : 202, { 'proxy-authenticate': 'Basic realm="x"' }).end()
    }),
  )
  vi.stubEnv('HTTP_PROXY', proxy.replace('://', '://a:b@'))
  const plain = 'http://hooks.test:8080/in?task=c'
  expect(await post({ ...request, url: plain })).toMatchObject({ status: 202 })
  expect(seen).toEqual([`${plain} hooks.test:8080 Basic ${Buffer.from('a:b').toString('base64')}`])
  expect(await post({ ...request, url: plain })).toMatchObject({ failure: 'proxy' })
  const here = createServer((_, response) => void response.writeHead(204).end())
  await new Promise<void>((resolve) => here.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void here.close())
  const { port } = here.address() as { port: number }
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family }) => family === 'IPv4')
  for (const { address } of [...own, { address: 'localhost' }])
    expect(await post({ ...request, url: `http://${address}:${port}/` })).toMatchObject({ status: 204 })
  expect(seen).toHaveLength(2)
})

it('names a variable that names no proxy', async () => {
  vi.stubEnv('HTTPS_PROXY', 'foo:bar:baz')
  const failed = await post({ ...request, url })
  expect(failed).toMatchObject({
    failure: 'proxy',
    message: expect.stringContaining('HTTPS_PROXY is not the address of a proxy'),
  })
})
