import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { archivePaths, openArchive } from '../../src/archive/index.js'
import { createClient } from '../../src/client/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const sandbox = serveSandbox()
const cli = createCli(afterAll)
let isAway = false
let refusesReads = false
/** What stands in the way answers this instead. */
let oddly: { status: number; headers?: Record<string, string>; body?: string } | undefined
let refused = 0
let listings = 0
let env: NodeJS.ProcessEnv
let baseUrl: string

/** What stands in front of the service: while it is away, every request fails at once. */
beforeEach(async () => {
  isAway = false
  refusesReads = false
  oddly = undefined
  refused = 0
  listings = 0
  const origin = await startHttpServer(
    createServer((incoming, response) => {
      if (isAway) {
        refused++
        if (oddly !== undefined) {
          response.writeHead(oddly.status, { 'content-type': 'text/html', ...oddly.headers }).end(oddly.body)
          return
        }
        const error = { code: 'INTERNAL_ERROR', message: 'The service is away', requestId: 'r' }
        response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false' })
        response.end(JSON.stringify({ error }))
        return
      }
      // Nobody can ask it to post webhooks.
      if (incoming.url?.startsWith('/delivery/') !== true) {
        response.writeHead(404).end()
        return
      }
      if (incoming.url.includes('/events?')) listings++
      if (refusesReads && incoming.url.includes('/deliveries/del_')) {
        response.writeHead(404, { 'content-type': 'application/json' })
        response.end('{"error":{"code":"DELIVERY_NOT_FOUND","message":"gone","requestId":"r"}}')
        return
      }
      const onward = httpRequest(new URL(incoming.url ?? '', sandbox.running.baseUrl), {
        method: incoming.method,
        headers: incoming.headers,
      })
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      incoming.pipe(onward)
    }),
  )
  baseUrl = `${origin}/delivery/v1`
  env = { ...sandbox.env(), DLV_BASE_URL: baseUrl, DLV_ENVIRONMENT: 'sandbox' }
})

const direct = () => createClient({ baseUrl: sandbox.running.baseUrl, apiKey: sandbox.running.apiKey })

/** An outage in which something happens that nobody may miss. */
async function outage(during: () => Promise<unknown>, failures = 3): Promise<void> {
  isAway = true
  refused = 0
  await during()
  await until('failures', () => refused >= failures)
  isAway = false
}

/** A way to a server that can be cut off. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  let lost = 0
  const server = createTcpServer((incoming) => {
    if (isCut) {
      lost++
      return incoming.destroy()
    }
    const onward = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [incoming, onward],
      [onward, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    lost: () => lost,
    cut(now: boolean) {
      isCut = now
      if (now) for (const socket of sockets) socket.destroy()
    },
  }
}

describeOnPostgres('While a database is away', () => {
  test('sync --follow --to says so once, goes on filling the archive, and copies what was missed', async () => {
    const client = direct()
    const database = await createTestDatabase()
    const way = await cuttable(Number(new URL(database.address).port))
    const to = database.address.replace(/:\d+\//, `:${way.port}/`)
    const someone = createCli()
    const sync = someone.start(['sync', '--follow', '--to', to], { env: { ...env, ...database.env } })
    await client.createDelivery({ body: testOrder('COPY-1') })
    const copied = async () =>
      (await database.sql('SELECT client_order_reference FROM dlv_archive.deliveries')).map(
        (row) => row.client_order_reference,
      )
    await sync.line((line) => line.includes('new deliver'))
    await until('a copy', async () => (await copied()).includes('COPY-1'))
    way.cut(true)
    const archived = async (reference: string) => {
      const words = [
        'query',
        `SELECT 1 FROM deliveries WHERE client_order_reference = '${reference}'`,
        '-o',
        'csv',
        '--no-header',
      ]
      await until(reference, async () => (await someone.run(words, { env })).stdout.trim() === '1')
    }
    for (const reference of ['COPY-2', 'COPY-3']) {
      await client.createDelivery({ body: testOrder(reference) })
      await archived(reference)
    }
    await until('its notice', () => sync.errors().includes('Waiting for it to end'))
    way.cut(false)
    await until('the rest', async () => (await copied()).includes('COPY-3'))
    await until('the end', () => sync.errors().includes('The database answers again, after'))
    const { stderr } = await sync.kill('SIGINT')
    expect(stderr.match(/Waiting for it to end/g), stderr).toHaveLength(1)
    expect(stderr).not.toContain('The service answers again')
    await client.close()
  })
})

describe('During an outage', () => {
  test('events tail waits, says so once, and misses nothing', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('TAIL-1') })
    const words = ['events', 'tail', '--since', '1h', '--delivery', deliveryId, '--interval', '200ms', '-o', 'ndjson']
    const tail = cli.start(words, { env })
    const types = () => tail.lines().map((line) => /"eventType":"([^"]+)"/.exec(line)?.[1])
    await until('the first event', () => types().includes('delivery.accepted'))
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    await until('the last event', () => types().includes('delivery.delivered'))
    const { stderr, exitCode } = await tail.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    expect(stderr).toContain('The service answers again, after')
    expect(new Set(types()).size).toBe(types().length)
    expect(types()).toContain('delivery.pickup_complete')
    await client.close()
  })

  test('no answer of what stands in the way ends a tail or a watch', async () => {
    const client = direct()
    const json = { 'content-type': 'application/json' }
    const refusal = '{"error":{"code":"VALIDATION_ERROR","message":"That is no cursor.","requestId":"r"}}'
    const between = [
      { status: 302, headers: { location: 'https://login.example/' } },
      { status: 404, body: '<html>nginx</html>' },
      { status: 410, body: 'gone' },
      { status: 200, body: '<html>Please log in</html>' },
    ]
    const { deliveryId } = await client.createDelivery({ body: testOrder('BETWEEN-1') })
    const pace = ['--interval', '200ms', '-o', 'ndjson']
    for (const [words, answers] of [
      [
        ['events', 'tail', '--since', '1h', '--delivery', deliveryId],
        [...between, { status: 400, headers: json, body: refusal }, { status: 200, headers: json, body: '{}' }],
      ],
      [['deliveries', 'watch', deliveryId], between],
    ] as const) {
      listings = 0
      const running = cli.start([...words, ...pace], { env })
      await until('a listing', () => listings > 0)
      for (const [at, answer] of answers.entries()) {
        oddly = answer
        await outage(async () => {}, answer.body === '{}' ? 3 : 1)
        await until(`the end of ${answer.status}`, () => running.errors().split('answers again').length === at + 2)
      }
      const { stderr, exitCode } = await running.kill('SIGINT')
      expect([exitCode, stderr.match(/nothing is missed/g)?.length], stderr).toEqual([130, answers.length])
    }
    await client.close()
  })

  test('watch goes on from the last event', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('WATCH-1') })
    const watch = cli.start(['deliveries', 'watch', deliveryId, '--interval', '200ms', '-o', 'ndjson'], { env })
    await until('a listing', () => listings > 0)
    await client.simulateDelivery({ deliveryId, body: { advanceTo: 'driver_assigned' } })
    await until('an event', () => watch.lines().some((line) => line.includes('driver_assigned')))
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    const watched = await watch.ended
    expect(watched.exitCode, watched.stderr).toBe(0)
    const lines = watched.stdout.trim().split('\n')
    expect(lines.filter((line) => line.includes('"eventType":"delivery.pickup_complete"'))).toHaveLength(1)
    expect(watched.stderr.match(/The service is away/g)).toHaveLength(1)

    await client.close()
  })

  test.each([
    ['before the first look', true],
    ['later', false],
  ])('create --wait waits as well, %s', async (_, atOnce) => {
    const client = direct()
    const reference = `WAIT-${atOnce}`
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '--wait', 'delivered']
    const create = cli.start([...words, '--json'], { env })
    const created = async () =>
      (await Array.fromAsync(client.each('listDeliveries', { clientOrderReference: reference })))[0]
    await until('the order', async () => (await created()) !== undefined)
    if (!atOnce) await until('a listing', () => listings > 0)
    const { deliveryId } = (await created()) ?? { deliveryId: '' }
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }), 1)
    const { stdout, stderr, exitCode } = await create.ended
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ deliveryId, status: 'delivered' })
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    await client.close()
  })

  test('create --wait shows the status that it waited for, also where it cannot be read again', async () => {
    const client = direct()
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'WAIT-END', '--wait', 'delivered']
    const create = cli.start([...words, '--json'], { env })
    await until('a listing', () => listings > 0)
    const [{ deliveryId } = { deliveryId: '' }] = await Array.fromAsync(
      client.each('listDeliveries', { clientOrderReference: 'WAIT-END' }),
    )
    refusesReads = true
    await client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } })
    const { stdout, stderr, exitCode } = await create.ended
    expect([exitCode, JSON.parse(stdout).status]).toEqual([0, 'delivered'])
    expect(stderr).toContain('could not be read again')
    await client.close()
  })

  test('sync --follow waits, from its first fill on, and misses nothing', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('SYNC-1') })
    const someone = createCli()
    const sync = someone.start(['sync', '--follow'], { env })
    await until('a listing', () => listings > 0)
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }), 2)
    const query = ['query', "SELECT event_type FROM events WHERE event_type = 'delivery.delivered'", '--json']
    const isKept = async () => (await someone.run(query, { env })).stdout.includes('delivery.delivered')
    await until('the last event', isKept)
    const { stderr } = await sync.kill('SIGINT')
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    await client.close()
  })

  test.each([
    ['events', 'tail'],
    ['sync', '--follow'],
    ['sync', '--from=1h'],
  ])('%s %s outlasts a first request that is lost', async (...words) => {
    const way = await cuttable(Number(new URL(baseUrl).port))
    way.cut(true)
    const through = { ...env, DLV_BASE_URL: baseUrl.replace(/:\d+/, `:${way.port}`) }
    const started = createCli().start([...words, '-o', 'ndjson'], { env: through })
    await until('the lost request', () => way.lost() > 0)
    way.cut(false)
    await until('a listing', () => listings > 0)
    const isLasting = words[1] !== '--from=1h'
    const { stderr, exitCode } = await (isLasting ? started.kill('SIGINT') : started.ended)
    expect([stderr, exitCode]).toEqual(['', isLasting ? 130 : 0])
  })

  test('listen --pull says so once, also of answers that cannot be read, and fetches what it missed', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('PULL-1') })
    const words = ['webhooks', 'listen', '--pull', '--since', '1h', '--port', '0', '-o', 'ndjson']
    const listener = createCli().start(words, { env: { ...env, DLV_WEBHOOK_SECRET: newSecret() } })
    const types = () => listener.lines().map((line) => /"eventType":"([^"]+)"/.exec(line)?.[1])
    await until('the first event', () => types().includes('delivery.accepted'))
    oddly = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }), 1)
    await until('the last event', () => types().includes('delivery.delivered'))
    await until('its end', () => listener.errors().includes('answers again'))
    const { stderr } = await listener.kill('SIGINT')
    expect(stderr.match(/events must be a list/g)).toHaveLength(1)
    expect(stderr.match(/The service answers again, after/g), stderr).toHaveLength(1)
    await client.close()
  })

  test('watch --problems waits, also for a process that fills the archive and is behind', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('PROBLEM-1') })
    let aheadMs = 0
    const someone = createCli()
    const words = ['deliveries', 'watch', '--problems', '--interval', '200ms', '-o', 'ndjson']
    const watch = someone.start(words, { env, nowMs: () => Date.now() + aheadMs })
    await until('a listing', () => listings > 0)
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'failed' } }))
    await until('the problem', () => watch.lines().some((line) => line.includes(deliveryId)))
    const folder = join(someone.home, '.local', 'share', 'dlv')
    const [, name = ''] = readdirSync(folder).flatMap((file) => /^archive-(.*)\.db$/.exec(file) ?? [])
    const writer = await openArchive(archivePaths(folder, name), { nowMs: Date.now })
    aheadMs = 60_000
    await until('its notice', () => watch.errors().includes('is being written by process'))
    writer.close()
    await until('the archive', () => watch.errors().includes('The archive is current again, after'))
    const { stderr, exitCode } = await watch.kill('SIGINT')
    expect(exitCode).toBe(130)
    for (const text of ['The service is away', 'The service answers again', 'is being written by'])
      expect(stderr.match(new RegExp(text, 'g')), text).toHaveLength(1)
    expect(stderr).not.toContain('Waiting for process')
    await client.close()
  })

  test('list --problem --exit-code names the outage, not the process that fills the archive and fails', async () => {
    const client = direct()
    await client.createDelivery({ body: testOrder('CRON-1') })
    let aheadMs = 0
    const someone = createCli()
    const words = ['deliveries', 'list', '--problem', '--search', 'CRON-1', '--exit-code', '--timeout', '8s']
    const list = () => someone.run(words, { env, nowMs: () => Date.now() + aheadMs })
    expect((await list()).exitCode).toBe(0)
    const folder = join(someone.home, '.local', 'share', 'dlv')
    const [, name = ''] = readdirSync(folder).flatMap((file) => /^archive-(.*)\.db$/.exec(file) ?? [])
    const writer = await openArchive(archivePaths(folder, name), { nowMs: Date.now })
    aheadMs = 60_000
    isAway = true
    const { stderr, exitCode } = await list()
    isAway = false
    writer.close()
    expect(stderr).not.toContain('is being written by')
    expect([exitCode, stderr]).toEqual([8, expect.stringMatching(/503|SERVICE_UNAVAILABLE|away|timed out/i)])
    await client.close()
  })

  test('list --problem of longer than events are kept does not wait for a process that keeps the archive current', async () => {
    const someone = createCli()
    expect((await someone.run(['sync'], { env })).exitCode).toBe(0)
    const folder = join(someone.home, '.local', 'share', 'dlv')
    const [, name = ''] = readdirSync(folder).flatMap((file) => /^archive-(.*)\.db$/.exec(file) ?? [])
    const writer = await openArchive(archivePaths(folder, name), { nowMs: Date.now })
    const words = ['deliveries', 'list', '--problem', '--from', '60d', '--timeout', '20s']
    const { exitCode, stderr } = await someone.run(words, { env })
    writer.close()
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/has no deliveries from before .+ is being written by process/),
    ])
    expect((await someone.run(words, { env })).stderr).not.toContain('has no deliveries')
  })

  test('list --problem from before what a sync --follow reads answers with what there is', async () => {
    const someone = createCli()
    const sync = someone.start(['sync', '--follow', '--from', '1h'], { env })
    await sync.hasPrinted('new events')
    const words = ['deliveries', 'list', '--problem', '--from', '7d', '--timeout', '20s']
    expect(await someone.run(words, { env })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/no deliveries from before .+ is being written by process .+ The archive answers/s),
    })
    await sync.kill('SIGINT')
  })

  test('sync that waits for the process that fills the archive names the outage, and ends with it', async () => {
    const someone = createCli()
    expect((await someone.run(['sync', '--from', '1h'], { env })).exitCode).toBe(0)
    const folder = join(someone.home, '.local', 'share', 'dlv')
    const [, name = ''] = readdirSync(folder).flatMap((file) => /^archive-(.*)\.db$/.exec(file) ?? [])
    const writer = await openArchive(archivePaths(folder, name), { nowMs: Date.now })
    isAway = true
    const waiting = someone.start(['sync', '--from', '1h'], { env })
    await until('the outage', () => waiting.errors().includes('The service cannot be read meanwhile: '))
    const { stderr, exitCode } = await waiting.kill('SIGTERM')
    isAway = false
    writer.close()
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('Waiting for process')])
    expect(stderr).not.toContain('is being written by')
  })

  test('waitFor waits within its own time', async () => {
    const client = createClient({ baseUrl, apiKey: sandbox.running.apiKey })
    const { deliveryId } = await client.createDelivery({ body: testOrder('LIB-1') })
    const waiting = client.waitFor(deliveryId, 'delivered', { pollMs: 100 })
    const other = direct()
    await outage(() => other.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    expect(await waiting).toMatchObject({ status: 'delivered' })
    isAway = true
    await expect(client.waitFor(deliveryId, 'cancelled', { timeoutMs: 500, pollMs: 50 })).rejects.toMatchObject({
      reason: 'timeout',
      hint: expect.stringContaining('The service is away'),
    })
    await Promise.all([client.close(), other.close()])
  })
})
