import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { type Cli, createCli, type Ended, type ProcessOptions } from '../support/cli/program.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { testOrder } from '../support/orders.js'

const tooDeep = 'nested deeper than 200 levels'

let cli: Cli
let server: ScriptedServer
beforeEach(async () => {
  cli = createCli()
  server = await startScriptedServer()
})
afterEach(() => server.close())

/** Runs in a process of its own, whose stack is a user's, and expects no bug of dlv. */
async function run(words: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', ...options.env }
  const ended = await cli.runProcess(words, { ...options, env })
  expect(ended.stdout + ended.stderr).not.toMatch(/bug in dlv|call stack|RangeError|out of memory/i)
  expect(ended.stderr.length, ended.stderr.slice(0, 1_000)).toBeLessThan(2_000)
  return ended
}

function fileOf(name: string, text: string): string {
  const path = join(cli.home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

describe.each([
  ['1,000,000 nested objects', `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`],
  ['1,000,000 nested arrays', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
  // As deep as a body of the largest size that receivers and the sandbox read.
  ['500,000 nested arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
])('JSON of %s', (_, deep) => {
  const isTooLarge = deep.length > 1_048_576
  /** The JSON of a value with the deep one in the place of the text `DEEP`. */
  const withDeep = (value: unknown) => JSON.stringify(value).replace('"DEEP"', () => deep)
  const deepOrder = (reference: string) => withDeep(testOrder(reference, { metadata: { a: 'DEEP' } }))

  it('is a webhook that is rejected and not kept; the next one is kept', async () => {
    const secret = newSecret()
    const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', DLV_WEBHOOK_SECRET: secret }
    const listener = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson'], { env })
    const { url } = JSON.parse(await listener.line((line) => line.includes('"ready"'))) as { url: string }
    const body = Buffer.from(withDeep({ eventId: 'evt_deep', eventType: 'delivery.accepted', data: 'DEEP' }))
    expect(await postEvent(url, secret, { id: 'evt_deep', body })).toBe(isTooLarge ? 413 : 400)
    const next = testEvent()
    expect(await postEvent(url, secret, next)).toBe(200)
    const { exitCode, stderr } = await listener.kill('SIGTERM')
    expect([exitCode, stderr]).toEqual([143, expect.not.stringMatching(/bug|stack/)])
    const kept = await cli.json<{ eventId: string }[]>(['webhooks', 'log', '--all'], { env })
    expect(kept.map(({ eventId }) => eventId)).toEqual([next.id])
  })

  it('is signed by webhooks sign, and named by webhooks verify', async () => {
    const secret = newSecret()
    const env = { DLV_WEBHOOK_SECRET: secret }
    const file = fileOf('body.json', withDeep({ eventId: 'evt_deep', a: 'DEEP' }))
    const signed = await run(['webhooks', 'sign', '--id', 'evt_deep', '--file', file], { env })
    expect(signed.exitCode).toBe(0)
    const headers = signed.stdout
      .trim()
      .split('\n')
      .flatMap((line) => ['--header', line.replace('\t', ': ')])
    const verified = await run(['webhooks', 'verify', '--file', file, ...headers], { env })
    // The signature is right; what it signs cannot be read.
    expect(verified.exitCode).toBe(isTooLarge ? 9 : 0)
    expect(verified.stderr + verified.stdout).toMatch(isTooLarge ? 'body_too_large' : tooDeep)
  })

  it.each([
    [['deliveries', 'get', 'del_1']],
    [['deliveries', 'list', '--all']],
    [['deliveries', 'create', '--file', 'examples/order.json']],
    [['quotes', 'create', '--file', 'examples/order.json']],
    [['events', 'list']],
    [['health']],
    [['capabilities']],
    [['installations', 'list']],
    [['drivers', 'list']],
    [['api', 'GET', '/deliveries/del_1', '--json']],
  ])('is the response to %j, which says so', async (words) => {
    server.always = faults.answer({ status: 200, headers: {}, body: withDeep({ deliveryId: 'del_1', a: 'DEEP' }) })
    const { exitCode, stderr, stdout } = await run([...words, '--timeout', '10s'])
    expect([exitCode, stderr + stdout]).toEqual([8, expect.stringContaining(tooDeep)])
  })

  it('is beside the events of a list, which a report misses', async () => {
    server.always = faults.answer({ status: 200, headers: {}, body: withDeep({ deliveryId: 'del_1', a: 'DEEP' }) })
    const { exitCode, stderr } = await run(['report', '--timeout', '10s'])
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('events must be a list')])
  })

  it('is one event of a list: replay names it, and the others are sent; gaps counts all', async () => {
    const events = ['evt_1', 'evt_2', 'evt_3'].map((eventId) => {
      const event = { eventId, eventType: 'delivery.accepted', occurredAt: new Date().toISOString() }
      return { ...event, data: { ...event, a: eventId === 'evt_2' ? 'DEEP' : 'b' } }
    })
    server.always = faults.answer({ status: 200, headers: {}, body: withDeep({ events, nextCursor: null }) })
    const env = { DLV_WEBHOOK_SECRET: newSecret() }
    const gaps = await run(['webhooks', 'gaps', '-q'], { env })
    expect([gaps.exitCode, gaps.stdout]).toEqual([9, 'evt_1\nevt_2\nevt_3\n'])
    const app = await startTestApp()
    const replay = await run(['events', 'replay', '--to', app.url], { env })
    expect([app.ids(), replay.stderr]).toEqual([['evt_1', 'evt_3'], expect.stringContaining('evt_2')])
  })

  it.each(['doctor', 'drift'])('is the response to %s, which finds it wrong', async (word) => {
    server.always = faults.answer({ status: 200, headers: {}, body: withDeep({ deliveryId: 'del_1', a: 'DEEP' }) })
    const { exitCode, stdout } = await run([word])
    expect(exitCode).toBe(9)
    expect(stdout.length).toBeLessThan(20_000)
  })

  it('is the response that reports an error, which no service of the contract would give', async () => {
    const body = withDeep({ error: { code: 'X', details: 'DEEP' } })
    server.always = faults.answer({ status: 422, headers: {}, body })
    const { exitCode, stderr } = await run(['deliveries', 'get', 'del_1'])
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining('HTTP 422 that is not an answer of the service')])
  })

  it.each([
    [['deliveries', 'create', '--file'], tooDeep],
    [['deliveries', 'update', 'del_1', '--file'], tooDeep],
    [['quotes', 'create', '--file'], tooDeep],
    [['api', 'POST', '/deliveries', '--input'], tooDeep],
    [['drift', '--har'], 'is not an HTTP archive'],
    [['drift', '--input'], 'neither events nor responses'],
    [['drift', '--baseline'], 'is not a baseline'],
    [['webhooks', 'verify', '--request'], '--request'],
  ])('is the file of %j: named, and nothing is sent', async (words, message) => {
    const env = { DLV_WEBHOOK_SECRET: newSecret() }
    const { exitCode, stderr } = await run([...words, fileOf('order.json', deepOrder('D-1'))], { env })
    expect([exitCode, stderr]).toEqual([words[1] === '--input' ? 0 : 2, expect.stringContaining(message)])
    expect(server.requests).toEqual([])
  })

  it.each([
    ['NDJSON', (rows: readonly string[]) => rows.join('\n')],
    ['an array', (rows: readonly string[]) => `[${rows.join(',')}]`],
  ])('is a row of %s, which fails; the others are created', async (_format, joined) => {
    const rows = [JSON.stringify(testOrder('R-1')), deepOrder('R-2'), JSON.stringify(testOrder('R-3'))]
    const ended = await run(['deliveries', 'create', '-o', 'ndjson', '--file', fileOf('rows.json', joined(rows))])
    expect([ended.exitCode, ended.stdout]).toEqual([9, expect.stringContaining(tooDeep)])
    expect(server.service.creations).toBe(2)
  })

  it.each([
    ['package.items'],
    ['metadata'],
  ])('is a cell of CSV under %s, whose row fails; the others are created', async (column) => {
    const header = ['clientOrderReference', 'pickup.storeReference', 'dropoff.address', 'dropoff.contactName']
    const row = (reference: string, cell: string) =>
      `${reference},STORE-001,"300 Hay St, Fayetteville, NC 28301",Maya,+12025550100,"${cell.replaceAll('"', '""')}"`
    const lines = [
      [...header, 'dropoff.contactPhone', column].join(','),
      row('R-1', ''),
      row('R-2', deep),
      row('R-3', ''),
    ]
    const ended = await run(['deliveries', 'create', '-o', 'ndjson', '--file', fileOf('rows.csv', lines.join('\n'))])
    expect([ended.exitCode, ended.stdout]).toEqual([9, expect.stringContaining(tooDeep)])
    expect(server.service.creations).toBe(2)
  })

  it('is a file of fault rules: named, and the sandbox fails no request', async () => {
    const sandbox = await startSandbox({ rateLimit: 'off' })
    try {
      const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
      const rules = fileOf('rules.json', withDeep([{ status: 500, path: 'DEEP' }]))
      const { exitCode, stderr } = await run(['sandbox', 'faults', '--file', rules], { env })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${rules} is ${tooDeep}`)])
      expect(JSON.parse((await run(['sandbox', 'faults', '--json'], { env })).stdout)).toMatchObject({ rules: [] })
    } finally {
      await sandbox.close()
    }
  })

  it('is a request to the sandbox, which answers 400 and goes on', async () => {
    const sandbox = await startSandbox({ rateLimit: 'off' })
    const post = async (path: string, body: string) => {
      const headers = {
        authorization: `Bearer ${sandbox.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'k',
      }
      return (await fetch(`${sandbox.baseUrl}${path}`, { method: 'POST', headers, body })).status
    }
    try {
      for (const path of ['/deliveries', '/quotes', '/serviceability', '/../../_sandbox/faults'])
        expect(await post(path, deepOrder('D-1')), path).toBe(400)
      expect(await post('/deliveries', JSON.stringify(testOrder('AFTER')))).toBe(201)
    } finally {
      await sandbox.close()
    }
  })

  it('is the config file or the project file, which is refused and not overwritten', async () => {
    const config = fileOf('.config/dlv/config.json', withDeep({ profiles: 'DEEP' }))
    const before = readFileSync(config)
    for (const words of [['profiles', 'list'], ['profiles', 'use', 'local'], ['health']]) {
      const { exitCode, stderr } = await run(words, { env: { DLV_BASE_URL: undefined, DLV_API_KEY: undefined } })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${config} is ${tooDeep}`)])
    }
    expect(readFileSync(config)).toEqual(before)
    rmSync(config)
    const aliases = fileOf('.config/dlv/aliases.json', withDeep({ mine: 'DEEP' }))
    const set = await run(['alias', 'set', 'mine', 'health'])
    expect([set.exitCode, set.stderr]).toEqual([2, expect.stringContaining(aliases)])
    rmSync(aliases)
    // Nobody has trusted it; one that is deep and small enough to be read, and one of any size.
    for (const json of [withDeep({ routes: 'DEEP' }), `{"routes":${'['.repeat(30_000)}${']'.repeat(30_000)}}`]) {
      const project = fileOf('project/.dlv.json', json)
      const { exitCode, stderr } = await run(['profiles', 'show'], { cwd: dirname(project) })
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(`${project}.*ignored`)])
    }
  })

  it('is an event of the journal, which is listed and resent beside the others', async () => {
    const secret = newSecret()
    const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', DLV_WEBHOOK_SECRET: secret }
    const listener = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson'], { env })
    const { url, journal } = JSON.parse(await listener.line((line) => line.includes('"ready"')))
    for (const id of ['evt_1', 'evt_2', 'evt_3']) await postEvent(url, secret, testEvent('del_1', id))
    await listener.kill('SIGTERM')
    const database = new DatabaseSync(journal)
    const body = Buffer.from(withDeep({ eventId: 'evt_2', a: 'DEEP' }))
    database.prepare("UPDATE events SET body = ? WHERE id = 'evt_2'").run(body)
    database.close()
    server.always = faults.answer({ status: 200, headers: {}, body: '{}' })
    for (const words of [
      ['webhooks', 'log', '--all'],
      ['webhooks', 'log', '--all', '--json'],
      ['webhooks', 'log', 'evt_2', '--json'],
      ['webhooks', 'resend', 'evt_1', 'evt_2', 'evt_3', '--to', server.origin],
      ['drift', '--journal'],
    ]) {
      const { exitCode, stderr } = await run(words, { env })
      expect([words, exitCode, stderr]).toEqual([words, 0, expect.anything()])
    }
    expect(server.requests.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2', 'evt_3'])
  })

  it('is a line of what was sent, which does not hide the others', async () => {
    const sandbox = await startSandbox({ rateLimit: 'off' })
    try {
      const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
      const order = fileOf('order.json', JSON.stringify(testOrder('D-1')))
      expect((await run(['deliveries', 'create', '--file', order], { env })).exitCode).toBe(0)
      const ledger = new DatabaseSync(join(cli.home, '.local/share/dlv/orders.db'))
      const change = ledger.prepare("INSERT INTO changes (account, reference, at_ms, line) VALUES (1, 'DEEP', ?, ?)")
      for (const atMs of [0, Date.now() + 1_000]) change.run(atMs, withDeep({ clientOrderReference: 'DEEP' }))
      ledger.close()
      expect((await run(['sync'], { env })).exitCode).toBe(0)
      const query = ['query', 'SELECT client_order_reference FROM orders', '--json']
      const { exitCode, stdout, stderr } = await run(query, { env })
      expect([exitCode, stderr, stdout]).toEqual([0, expect.anything(), expect.stringContaining('"D-1"')])
    } finally {
      await sandbox.close()
    }
  })

  it('is a row of the ledger of orders: the order is created once', async () => {
    const order = fileOf('order.json', JSON.stringify(testOrder('D-1')))
    expect((await run(['deliveries', 'create', '--file', order])).exitCode).toBe(0)
    const ledger = new DatabaseSync(join(cli.home, '.local/share/dlv/orders.db'))
    expect(ledger.prepare('UPDATE orders SET sent = ?').run(withDeep({ metadata: 'DEEP' })).changes).toBe(1)
    ledger.close()
    const again = ['deliveries', 'create', '--file', order]
    expect((await run(again)).exitCode).toBe(0)
    const other = fileOf('order.json', JSON.stringify(testOrder('D-1', { pickup: { storeReference: 'STORE-002' } })))
    const changed = await run(['deliveries', 'create', '--file', other])
    expect([changed.exitCode, changed.stderr]).toEqual([5, expect.stringContaining('D-1 is taken')])
    expect(server.service.creations).toBe(1)
  })

  it('is a line of a results file, which is named as damaged and left as it is', async () => {
    const rows = fileOf(
      'rows.ndjson',
      [testOrder('R-1'), testOrder('R-2')].map((row) => JSON.stringify(row)).join('\n'),
    )
    const words = ['deliveries', 'create', '--file', rows]
    expect((await run(words)).exitCode).toBe(0)
    const results = `${rows}.results.ndjson`
    const [header, ...rest] = readFileSync(results, 'utf8').split('\n')
    writeFileSync(results, [header, withDeep({ intent: 'DEEP' }), ...rest].join('\n'))
    const before = readFileSync(results)
    const { exitCode, stderr } = await run(words)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${results} is damaged at line 2`)])
    expect(readFileSync(results)).toEqual(before)
    expect(server.service.creations).toBe(2)
  })
})
