import { describe, expect, it } from 'vitest'
import { type Cli, createCli, type Running } from '../support/cli/program.js'
import { freePort } from '../support/free-port.js'
import { startTestApp } from '../support/listener/test-app.js'
import { sampleCount } from '../support/samples.js'
import { until } from '../support/until.js'

/** What a person does when the receiver was away for a while: find what is missing, and send it. */

interface Ready {
  baseUrl: string
  apiKey: string
  webhookSecret: string
}

interface Logged {
  eventId: string
  repeats: number
  conflicts: number
}

async function startTestService(cli: Cli): Promise<NodeJS.ProcessEnv> {
  const service = cli.start(['sandbox', 'start', '--port', '0', '-o', 'json'])
  const ready = JSON.parse(await service.line((line) => line.includes('"ready"'))) as Ready
  return { DLV_BASE_URL: ready.baseUrl, DLV_API_KEY: ready.apiKey, DLV_WEBHOOK_SECRET: ready.webhookSecret }
}

async function launchListener(cli: Cli, env: NodeJS.ProcessEnv, ...words: string[]) {
  return listenerOf(cli.start(['webhooks', 'listen', '-o', 'ndjson', ...words], { env }))
}

/** One that can be killed. */
async function launchListenerProcess(cli: Cli, env: NodeJS.ProcessEnv, ...words: string[]) {
  return listenerOf(cli.startProcess(['webhooks', 'listen', '-o', 'ndjson', ...words], { env }))
}

async function listenerOf<Started extends Pick<Running, 'line'>>(running: Started) {
  const { url } = JSON.parse(await running.line((line) => JSON.parse(line).type === 'ready')) as { url: string }
  return { ...running, url, sees: (id: string) => running.line((line) => JSON.parse(line).eventId === id) }
}

describe('after a listener was down for an hour of the service', () => {
  it('gaps names what is missing and replay closes them: nothing is missing, nothing came twice', async () => {
    const cli = createCli()
    const env = await startTestService(cli)
    const app = await startTestApp()
    const json = <Result>(...words: string[]) => cli.json<Result>(words, { env })
    const order = (name: string) =>
      json<{ deliveryId: string }>('deliveries', 'create', '--file', 'examples/order.json', '--ref', name)
    const simulate = (id: string, to: string) => json<object>('simulate', id, '--to', to)
    const events = () => json<{ eventId: string }[]>('events', 'list', '--all', '--since', '3d')
    const gaps = () => cli.run(['webhooks', 'gaps', '-q'], { env })

    const port = String(await freePort())
    const before = await launchListenerProcess(cli, env, '--port', port, '--forward-to', app.url)
    await json('sandbox', 'endpoints', 'add', before.url)
    const first = await order('OUTAGE-1')
    await simulate(first.deliveryId, 'pickup_complete')
    // Recorded as forwarded: what was under way when it is killed may be sent once more.
    for (let count = 0; count < 5; count++) await before.line((line) => JSON.parse(line).type === 'forwarded')
    expect(app.arrived).toHaveLength(5)
    await before.kill('SIGKILL')

    await simulate(first.deliveryId, 'delivered')
    const second = await order('OUTAGE-2')
    await json('sandbox', 'clock', 'advance', '1h')
    await simulate(second.deliveryId, 'delivered')
    const all = (await events()).map(({ eventId }) => eventId)
    const missed = all.filter((id) => !app.ids().includes(id))
    expect(missed.length).toBeGreaterThan(10)

    const found = await gaps()
    expect([found.exitCode, found.stdout.trim().split('\n')]).toEqual([9, missed])

    const after = await launchListener(cli, env, '--port', port, '--forward-to', app.url)
    const replay = await cli.run(['events', 'replay', '-', '--to', after.url], { env, stdin: found.stdout })
    expect(replay.stderr).toContain(`${missed.length} delivered`)
    expect(replay.exitCode).toBe(0)
    expect((await gaps()).exitCode).toBe(0)
    await until('every event at the app', () => app.arrived.length >= all.length)

    // The service still tries what it could not deliver; now its attempts arrive, and are recognised.
    await json('sandbox', 'clock', 'advance', '30h')
    const again = async () => (await json<Logged[]>('webhooks', 'log', '--all')).filter(({ repeats }) => repeats > 0)
    for (let repeated = await again(); repeated.length < missed.length; ) repeated = await again()
    // What fell due in 30 hours is received as well: the map of arrivals is compared with the service's list at the end.
    await after.kill('SIGTERM')
    const log = await json<Logged[]>('webhooks', 'log', '--all')
    expect(log.map(({ eventId }) => eventId).sort()).toEqual((await events()).map(({ eventId }) => eventId).sort())
    expect(log.filter(({ conflicts }) => conflicts > 0)).toEqual([])
    expect(app.ids().length).toBe(new Set(app.ids()).size)
    expect([...app.ids()].sort()).toEqual(log.map(({ eventId }) => eventId).sort())
    const ofFirst = app.arrived
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ delivery }) => delivery?.deliveryId === first.deliveryId)
    expect(ofFirst.map(({ occurredAt }) => occurredAt)).toEqual(ofFirst.map(({ occurredAt }) => occurredAt).sort())

    // More than a day old by now, in a service whose clock is ahead: an id is found all the same, with its bytes.
    const other = await startTestApp()
    const [oldest = ''] = all
    const old = await cli.run(['events', 'replay', oldest, '--to', other.url], { env })
    expect([old.exitCode, old.stderr]).toEqual([0, expect.stringContaining('1 delivered')])
    expect(other.arrived[0]?.body).toEqual(app.arrived.find(({ id }) => id === oldest)?.body)
  })

  it('the embedded sandbox goes without a listener, and the next one is told what it missed by --since', async () => {
    const cli = createCli()
    const order = (name: string) =>
      cli.json<{ deliveryId: string }>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', name])
    const first = await launchListenerProcess(cli, {})
    const { deliveryId } = await order('EMBEDDED-1')
    await first.line((line) => JSON.parse(line).deliveryId === deliveryId)
    await first.kill('SIGKILL')
    await cli.json(['simulate', deliveryId, '--to', 'delivered'])
    const missed = await cli.run(['webhooks', 'gaps'])
    expect(missed.exitCode).toBe(9)
    const second = await launchListener(cli, {}, '--since', '1h')
    const came = await second.line((line) => JSON.parse(line).eventType === 'delivery.delivered')
    expect(JSON.parse(came)).toMatchObject({ verified: true, deliveryId, duplicate: false })
    // The place that the killed listener had taken in the sandbox is free again.
    const endpoints = await cli.json<{ url: string }[]>(['sandbox', 'endpoints', 'list'])
    expect(endpoints.map(({ url }) => url)).toEqual([second.url])
    await second.kill('SIGINT')
    expect((await cli.run(['webhooks', 'gaps'])).exitCode).toBe(0)
    expect(await cli.json(['sandbox', 'endpoints', 'list'])).toEqual([])
  })
})

describe('events that are sent again by their ids', () => {
  it.each(['webhooks resend', 'events replay'])('%s - keeps its place when it is killed', async (command) => {
    const cli = createCli()
    const ids = await receivedEvents(cli)
    const all = ids.trim().split('\n')
    const app = await startTestApp()
    const words = [...command.split(' '), '-', '--to', app.url]
    const kills = sampleCount(20)
    for (let kill = 1; kill <= kills; kill++) {
      const sending = cli.startProcess([...words, '--rate', '20', '-o', 'ndjson'], { stdin: ids })
      const isNew = (line: string) => JSON.parse(line).outcome === 'delivered'
      for (let count = 0; count < 2; count++) await sending.line(isNew)
      await sending.kill('SIGKILL')
    }
    const last = await cli.run([...words, '-o', 'ndjson'], { stdin: ids })
    expect(last.exitCode).toBe(0)
    expect(last.stderr).toMatch(/\d+ delivered, \d+ sent by an earlier run\./)
    expect([...new Set(app.ids())]).toEqual(all)
    // The event under way at each kill may come twice; every other comes once.
    expect(app.ids().length).toBeLessThanOrEqual(all.length + kills)
    // It came to its end: asked for again, it starts from the beginning.
    await cli.run(words, { stdin: ids })
    expect(app.ids().slice(-all.length)).toEqual(all)
  })
})

/** Events of the embedded sandbox that a listener has received: their ids as `events list -q` prints them. */
async function receivedEvents(cli: Cli): Promise<string> {
  const order = ['deliveries', 'create', '--file', 'examples/order.json']
  const { deliveryId } = await cli.json<{ deliveryId: string }>(order)
  await cli.json(['simulate', deliveryId, '--to', 'delivered'])
  const ids = (await cli.run(['events', 'list', '--all', '-q'])).stdout
  const listener = cli.start(['webhooks', 'listen', '--since', '1h', '-o', 'ndjson'])
  const last = ids.trim().split('\n').at(-1)
  await listener.line((line) => JSON.parse(line).eventId === last)
  await listener.kill('SIGINT')
  return ids
}

it('events replay ends with 9 if the receiver is down, and says how it continues', async () => {
  const cli = createCli()
  await cli.json(['deliveries', 'create', '--file', 'examples/order.json'])
  const nobody = await cli.run(['events', 'replay', '--to', 'http://127.0.0.1:9/hooks', '--undelivered'])
  expect(nobody.exitCode).toBe(9)
  expect(nobody.stderr).toMatch(
    /nothing is listening on http:\/\/127\.0\.0\.1:9; is your app up\?\nRun the same command with the same events to send the rest/,
  )
  const unknown = await cli.run(['events', 'replay', 'evt_never', '--to', 'http://127.0.0.1:9/hooks'])
  expect([unknown.exitCode, unknown.stderr]).toEqual([4, expect.stringContaining('dlv events list')])
  const address = await cli.run(['events', 'replay', '--to', 'localhost:3000'])
  expect([address.exitCode, address.stderr]).toEqual([2, expect.stringContaining('--to must be a URL')])
})
