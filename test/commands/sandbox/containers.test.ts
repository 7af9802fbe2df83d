import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'

/** An address of this machine that is not its loopback one. */
const remote = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

interface Served {
  baseUrl: string
  apiKey: string
}

/** The status of a request with these headers; `fetch` would not send another Host. */
function statusOf(url: string, headers: Record<string, string>, body?: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request(url, { method, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function served(...words: string[]) {
  const sandbox = createCli().start(['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json', ...words])
  const { baseUrl, apiKey } = JSON.parse(await sandbox.line((line) => line.includes('ready'))) as Served
  const { origin } = new URL(baseUrl)
  const service = (headers: Record<string, string>) =>
    statusOf(`${baseUrl}/capabilities`, { authorization: `Bearer ${apiKey}`, ...headers })
  const control = (headers: Record<string, string>) => statusOf(`${origin}/_sandbox/clock`, headers)
  const register = (url: string) => statusOf(`${origin}/_sandbox/endpoints`, {}, { url })
  return { sandbox, baseUrl, service, control, register }
}

describe('sandbox start --allow-host', () => {
  it('answers to the names that are given, service and control alike, and to no other', async () => {
    const { sandbox, service, control } = await served(
      '--host',
      '0.0.0.0',
      '--allow-host',
      'sandbox',
      '--allow-host',
      'Shop.test',
    )
    for (const host of ['sandbox', 'sandbox:4010', 'shop.test', 'SHOP.TEST:80', '127.0.0.1'])
      expect([host, await service({ host }), await control({ host })]).toEqual([host, 200, 200])
    for (const host of ['evil.test', 'sandbox.evil.test', 'notsandbox'])
      expect([host, await service({ host }), await control({ host })]).toEqual([host, 403, 403])
    expect((await sandbox.kill('SIGTERM')).stderr).toMatch(/warning: .*as sandbox can.*\n.*as Shop\.test can/)
  })

  it('refuses pages of other origins under an allowed name', async () => {
    const { sandbox, service, control } = await served('--allow-host', 'sandbox')
    for (const [origin, status] of [
      ['http://sandbox:4010', 200],
      ['http://evil.test', 403],
      ['null', 403],
    ] as const)
      expect([origin, await service({ host: 'sandbox', origin }), await control({ host: 'sandbox', origin })]).toEqual([
        origin,
        status,
        status,
      ])
    await sandbox.kill('SIGTERM')
  })

  it.each(['http://sandbox', 'sandbox:4010', 'a b', '*', '*.test'])('refuses %j as a name', async (name) => {
    const { exitCode, stderr } = await createCli().run(['sandbox', 'start', '--port', '0', '--allow-host', name])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`"${name}" is not a host name`)
  })

  it.skipIf(remote === undefined)('is needed at every address of this machine, as in a container', async () => {
    const { sandbox, baseUrl } = await served('--host', '0.0.0.0')
    const url = `${baseUrl.replace('127.0.0.1', remote ?? '')}/health`
    for (const [host, status] of [
      ['localhost:4010', 200],
      ['127.0.0.1:4010', 200],
      ['evil.test', 403],
      [remote ?? '', 403],
    ] as const)
      expect([host, await statusOf(url, { host })]).toEqual([host, status])
    await sandbox.kill('SIGTERM')
  })

  it('is silent without these flags', async () => {
    const { sandbox, service } = await served('--quiet')
    expect(await service({ host: 'sandbox' })).toBe(403)
    expect((await sandbox.kill('SIGTERM')).stderr).toBe('')
  })
})

describe('sandbox start --allow-http-receivers', () => {
  it('takes http to private networks and bare names, and to no public address', async () => {
    const { sandbox, register } = await served('--allow-http-receivers')
    const near = [
      'http://shop:3000/hooks',
      'http://10.1.2.3/',
      'http://172.16.0.1/',
      'http://172.31.255.1/',
      'http://192.168.0.9:8080/',
    ]
    for (const url of near) expect([url, await register(url)]).toEqual([url, 201])
    const far = [
      'http://shop.example.com/',
      'http://172.32.0.1/',
      'http://11.0.0.1/',
      'http://10.0.0.1.evil.test/',
      'http://8.8.8.8/',
    ]
    for (const url of far) expect([url, await register(url)]).toEqual([url, 400])
    expect((await sandbox.kill('SIGTERM')).stderr).toContain('warning: Webhooks may go by http, unencrypted')
  })

  it('is off by default', async () => {
    const { sandbox, register } = await served()
    expect(await register('http://shop:3000/hooks')).toBe(400)
    expect(await register('https://shop.example.com/')).toBe(201)
    await sandbox.kill('SIGTERM')
  })
})
