import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testCertificate } from '../support/certificate.js'
import { createCli } from '../support/cli/program.js'
import { type ConnectProxy, startConnectProxy, trustForTest } from '../support/client/connect-proxy.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'

const key = 'dlvk_sbx_canary0network'
const cli = createCli(afterAll)
const certificate = testCertificate(['service.test', 'localhost'])
let secure: ScriptedServer
let plain: ScriptedServer
let proxy: ConnectProxy

beforeAll(async () => {
  secure = await startScriptedServer({ tls: certificate })
  plain = await startScriptedServer()
  proxy = await startConnectProxy(() => Number(new URL(secure.origin).port))
})
afterAll(async () => {
  proxy.close()
  await Promise.all([secure.close(), plain.close()])
})
beforeEach(() => {
  proxy.seen.length = 0
  proxy.bytes.length = 0
  secure.requests.length = 0
  plain.requests.length = 0
})

const capabilities = (env: NodeJS.ProcessEnv) =>
  cli.run(['capabilities', '--json'], { env: { DLV_API_KEY: key, DLV_TIMEOUT: '5s', ...env } })
const trustSecureServer = () => trustForTest(certificate.cert)
const named = { DLV_BASE_URL: 'https://service.test/delivery/v1' }

describe('A proxy in the environment', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('named by %s is used, and sees no key', async (name) => {
    trustSecureServer()
    const { exitCode, stderr } = await capabilities({ ...named, [name]: proxy.url })
    expect(exitCode, stderr).toBe(0)
    expect(proxy.seen).toEqual(['CONNECT service.test:443'])
    expect(secure.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    expect(Buffer.concat(proxy.bytes).includes(key)).toBe(false)
  })

  test.each([
    'service.test',
    '.test',
    '*',
    'other.example, service.test:443',
  ])('is passed by for NO_PROXY=%s', async (exempt) => {
    const env = { ...named, HTTPS_PROXY: proxy.url, NO_PROXY: exempt, DLV_TIMEOUT: '1s' }
    expect((await capabilities(env)).exitCode).toBe(8)
    expect(proxy.seen).toEqual([])
  })

  test('never gets what goes to this machine', async () => {
    const env = { DLV_BASE_URL: plain.baseUrl, HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url }
    expect((await capabilities(env)).exitCode).toBe(0)
    trustSecureServer()
    const local = secure.baseUrl
    expect((await capabilities({ ...env, DLV_BASE_URL: local, HTTPS_PROXY: proxy.url })).exitCode).toBe(0)
    expect(proxy.seen).toEqual([])
  })

  test('that cannot be reached is named as what it is', async () => {
    const { exitCode, stderr } = await capabilities({ ...named, HTTPS_PROXY: 'http://127.0.0.1:9', DLV_TIMEOUT: '2s' })
    expect(exitCode).toBe(8)
    expect(stderr).not.toContain(key)
  })
})

describe('TLS', () => {
  test('trusts an own authority that NODE_EXTRA_CA_CERTS names', async () => {
    const authority = join(cli.home, 'authority.pem')
    writeFileSync(authority, certificate.cert)
    const { exitCode, stderr } = await cli.runProcess(['capabilities'], {
      env: { DLV_API_KEY: key, DLV_BASE_URL: secure.baseUrl, NODE_EXTRA_CA_CERTS: authority },
    })
    expect(exitCode, stderr).toBe(0)
  })

  test('fails at an unknown authority at once, sends nothing, and says what to do', async () => {
    const { exitCode, stderr } = await capabilities({ DLV_BASE_URL: secure.baseUrl })
    expect(exitCode).toBe(8)
    expect(JSON.parse(stderr)).toMatchObject({ error: { hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') } })
    expect(stderr).not.toContain('Tried')
    expect(secure.requests).toEqual([])
  })
})

describe('A base URL', () => {
  test.each([
    'http://service.test/delivery/v1',
    'http://10.0.0.1/delivery/v1',
    'ftp://service.test',
  ])('%s is refused before anything is sent', async (address) => {
    const { exitCode, stderr } = await capabilities({ DLV_BASE_URL: address, HTTP_PROXY: proxy.url })
    expect(exitCode).toBe(2)
    expect(stderr).not.toContain(key)
    expect(proxy.seen).toEqual([])
  })

  test('without a key of its own is refused, so that none is carried away', async () => {
    const { exitCode } = await cli.run(['capabilities'], { env: { DLV_BASE_URL: plain.baseUrl } })
    expect(exitCode).toBe(2)
    expect(plain.requests).toEqual([])
  })
})

describe('A redirect', () => {
  test.each([
    301, 302, 303, 307, 308,
  ])('(%i) to another origin is not followed: neither the key nor the idempotency key go there', async (status) => {
    trustSecureServer()
    const headers = { location: `${secure.baseUrl}/deliveries` }
    plain.play(faults.answer({ status, headers, body: '' }))
    const order = ['--ref', `R-${status}`, '--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301']
    const { exitCode, stderr } = await cli.run(['deliveries', 'create', ...order], {
      env: { DLV_API_KEY: key, DLV_BASE_URL: plain.baseUrl },
    })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('redirect')
    expect(plain.requests).toHaveLength(1)
    expect(secure.requests).toEqual([])
  })
})
