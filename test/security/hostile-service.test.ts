import { readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient, fetchTransport } from '../../src/client/index.js'
import { readScenario } from '../../src/scenarios/index.js'
import { referenceApp } from '../../src/scenarios/moments.js'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const cli = createCli(afterAll)
const key = 'dlvk_other-words/not\\a-known"shape'
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const at = '2026-03-02T15:00:00.000Z'
let service: JsonServer
let answer: (path: string) => { status?: number; body: string }
beforeAll(async () => {
  service = await startJsonServer((path, response) => {
    const { status = 200, body } = answer(path)
    response.statusCode = status
    return body
  })
})
afterAll(() => service.close())
const run = (...words: string[]) =>
  cli.run(words, { env: { ...service.env, DLV_API_KEY: key, DLV_MAX_RETRIES: '0', DLV_WEBHOOK_SECRET: secret } })

describe('A key that a service reflects', () => {
  const escaped = JSON.stringify(key).slice(1, -1).replace('d', '\\u0064')
  const fieldErrors = `[{"field":"a.${escaped}","code":"${escaped}","message":"${escaped}"}]`
  const details = `{"${escaped}":"${escaped}","fieldErrors":${fieldErrors},"hint":"${escaped}"}`
  const reflected = `{"error":{"code":"${escaped}","message":"no ${escaped}","requestId":"${escaped}","details":${details}}}`

  test.each([
    ['deliveries', 'get', 'del_1', '--json'],
    ['deliveries', 'get', 'del_1', '--verbose'],
    ['deliveries', 'list', '--json'],
    ['doctor', '--json'],
    ['api', 'GET', '/x'],
  ])('is struck out: %s %s', async (...words) => {
    for (const body of [reflected, `<html>${key}</html>`]) {
      answer = () => ({ status: 422, body })
      const { exitCode, stdout, stderr } = await run(...words)
      expect(exitCode).not.toBe(0)
      for (const text of [key, JSON.stringify(key).slice(1, -1), 'known\\"shape'])
        expect(stdout + stderr).not.toContain(text)
    }
  })

  /** Each form of a text in which somebody still reads it, with the letters that must not be left of it. */
  const formsOf = (text: string) => {
    const base64 = Buffer.from(text).toString('base64')
    return [
      text,
      [...text].join('\u0007'),
      [...text].join('\u001b[1m'),
      [...text].join('\u200b'),
      text.toUpperCase(),
      encodeURIComponent(text),
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''),
      base64,
      encodeURIComponent(base64),
      Buffer.from(text).toString('base64url'),
      Buffer.from(`user:${text}`).toString('base64'),
    ]
  }

  test.each([
    ['the key', key],
    ['another key', 'dlvk_sbx_OTHER0account'],
    ['a signing secret', secret],
  ])('is in no trace, as a value or a name, however it is written: %s', async (_, reflected) => {
    // Of another account's key only what looks like one can be known.
    const forms = formsOf(reflected).filter((_, at) => reflected === key || ![6, 10].includes(at))
    for (const [at, form] of forms.entries()) {
      const delivery = { deliveryId: 'del_1', clientOrderReference: 'A', createdAt: at, updatedAt: at, [form]: form }
      answer = () => ({ body: JSON.stringify({ ...delivery, status: form, note: { [form]: [form] } }) })
      const { stderr } = await run('deliveries', 'get', 'del_1', '--verbose', '-q')
      expect(stderr).toContain('< 200')
      const screen = stderr.replaceAll(/\u001b\[\d*m|[\u0000-\u001f\u200b]/g, '')
      for (const part of [reflected.slice(8), encodeURIComponent(reflected.slice(8)), form.slice(-12)])
        expect([at, screen.toLowerCase().includes(part.toLowerCase())]).toEqual([at, false])
    }
  })

  test('is struck out of what is no answer, whatever its status', async () => {
    answer = () => ({ body: `<html>${key}</html>` })
    const { stdout, stderr } = await run('deliveries', 'get', 'del_1', '--json')
    expect(stderr).toContain('[redacted]')
    expect(stdout + stderr).not.toContain('known')
  })
})

describe('What a service says that nobody knows is an error, not a defect:', () => {
  const delivery = {
    deliveryId: 'del_1',
    clientOrderReference: 'A-1',
    status: 'delivered',
    pricing: { currency: 'gold coins', deliveryFeeCents: 100, totalPriceCents: 100 },
    createdAt: at,
    updatedAt: at,
  }
  const eventOf = (eventId: string, eventType = 'delivery.delivered', occurredAt = at) => ({
    eventId,
    eventType,
    occurredAt,
    livemode: false,
    deliveryId: 'del_1',
    data: { eventId, eventType, occurredAt, livemode: false, delivery },
  })
  const events = (...some: object[]) => JSON.stringify({ events: some, nextCursor: null })
  const isDefect = ({ exitCode, stderr }: { exitCode: number | null; stderr: string }) =>
    exitCode === 1 || stderr.includes('bug in dlv')

  test.each(['soon', ''])('a clock that says "%s"', async (checkedAt) => {
    answer = (path) => ({ body: path === '/health' ? JSON.stringify({ status: 'healthy', checkedAt }) : events() })
    for (const words of [
      ['report'],
      ['events', 'list'],
      ['webhooks', 'gaps'],
      ['deliveries', 'list', '--from', '2h'],
    ]) {
      const ended = await run(...words)
      expect(isDefect(ended), `${words}: ${ended.stderr}`).toBe(false)
    }
  })

  test('a currency, an id with a NUL and a time at the end of time', async () => {
    const listed = events(
      eventOf('evt_1', 'delivery.accepted'),
      eventOf('evt_\u0000', 'delivery.driver_assigned'),
      eventOf('evt_3'),
      eventOf('evt_4', 'delivery.eta_updated', '+275760-09-13T00:00:00.000Z'),
    )
    answer = (path) => ({
      body:
        path === '/health'
          ? '{"status":"healthy","checkedAt":"2026-03-02T16:00:00Z"}'
          : path.startsWith('/events')
            ? listed
            : '{}',
    })
    const page = join(cli.home, 'report.html')
    for (const words of [
      ['report', '--from', '2026-03-01', '--html', page],
      ['report', '--from', '2026-03-01', '--json'],
      ['events', 'list', '--json'],
      ['webhooks', 'gaps', '--json'],
    ]) {
      const ended = await run(...words)
      expect(isDefect(ended), `${words}: ${ended.stderr}`).toBe(false)
    }
    expect(readFileSync(page, 'utf8')).toContain('1.00 gold coins')
  })
})

test('Half a character, as of a name cut in an emoji, hides no rows from jq', async () => {
  const cut = {
    deliveryId: 'del_\ud83c',
    clientOrderReference: 'A-1',
    status: 'accepted',
    createdAt: at,
    updatedAt: at,
  }
  const deliveries = [cut, { ...cut, deliveryId: 'del_2' }]
  answer = () => ({ body: JSON.stringify({ deliveries, nextCursor: null }) })
  const list = ['deliveries', 'list', '--from', '2026-03-01']
  expect((await run(...list, '--jq', '.[].deliveryId')).stdout).toBe('del_\ufffd\ndel_2\n')
  expect((await run(...list, '--json')).stdout).not.toContain('\\ud83c')
})

describe('A scenario', () => {
  test.each([
    'a: &a [*a]',
    '&a\nname: x\nsteps: *a',
    'x: &x {y: *x}',
  ])('whose alias stands in itself is refused: %j', async (text) => {
    await expect(readScenario(text, 'x.yaml')).rejects.toThrow('an alias stands inside what it names')
  })
})

describe('A raw path', () => {
  test('with a % that encodes nothing is asked for as it is', async () => {
    answer = () => ({ status: 404, body: '{"error":{"code":"NOT_FOUND","message":"none","requestId":"req_1"}}' })
    expect((await run('api', 'GET', '/deliveries/%zz')).exitCode).toBe(4)
  })

  test.each([
    '/.\t./x',
    '/\t../x',
    '/a/.\n\r./../x',
    '/%2e\t%2E/x',
    '/..\t',
  ])('that leaves the base URL is refused: %j', async (path) => {
    const sent: string[] = []
    const transport = fetchTransport(async (request) => {
      sent.push(request.url)
      return new Response('{}')
    })
    const client = createClient({ baseUrl: 'https://service.test/delivery/v1', apiKey: key, transport })
    await expect(async () => client.raw({ method: 'GET', path })).rejects.toThrow('leaves the base URL')
    const { exitCode } = await run('api', 'GET', path)
    expect([exitCode, sent]).toEqual([2, []])
  })
})

describe('A request target that is no URL', () => {
  const sandbox = serveSandbox()
  const listening = ['webhooks', 'listen', '--port', '0', '--admin-port', '0', '-P', 'local']
  const addressOf = async (words: readonly string[], name = 'url') => {
    const running = createCli().start([...words, '-o', 'ndjson'])
    return String(JSON.parse(await running.line((line) => line.includes('"ready"')))[name])
  }
  const servers: readonly [name: string, start: () => Promise<string>][] = [
    ['the sandbox', async () => sandbox.env().DLV_BASE_URL ?? ''],
    ['dlv ui', () => addressOf(['ui', '--port', '0', '-P', 'local'])],
    ['a listener', () => addressOf(listening)],
    ['its admin port', () => addressOf(listening, 'adminUrl')],
    [
      'the app of a scenario',
      async () => {
        const app = await referenceApp([secret])
        onTestFinished(() => app.close())
        return app.url
      },
    ],
  ]

  test.each(servers)('is refused by %s, which goes on', async (_, start) => {
    const { hostname, port } = new URL(await start())
    for (const target of ['http://[', 'http://[::1', '//[', '*', '/state/%zz', '/%zz', '/%', '/ui/api/%ff']) {
      const socket = createConnection(Number(port), hostname)
      socket.end(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
      let text = ''
      for await (const chunk of socket) text += chunk
      expect(text, target).toMatch(/^HTTP\/1\.1 40[0-9] /)
    }
  })
})

describe('The sandbox', () => {
  const sandbox = serveSandbox()
  const origin = () => new URL(sandbox.env().DLV_BASE_URL ?? '').origin

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1:1',
    'http://app.localhost',
    'null',
  ])('is not steered by a page of %s', async (page) => {
    const response = await fetch(`${origin()}/_sandbox/status`, { headers: { Origin: page } })
    expect(response.status).toBe(403)
    const own = await fetch(`${origin()}/_sandbox/status`, { headers: { Origin: origin() } })
    expect(own.status).not.toBe(403)
  })
})

test('A name under .localhost gets no key in clear: a resolver may ask the network for it', async () => {
  writeFileSync(join(cli.home, 'key'), key)
  const { exitCode, stderr } = await cli.run(['capabilities'], {
    env: { DLV_BASE_URL: 'http://service.localhost:4010/delivery/v1', DLV_API_KEY: key },
  })
  expect(exitCode, stderr).toBe(2)
})
