import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { createByKilledPrograms } from '../support/bulk/killed-programs.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { faketimeLibrary, steppedClock } from '../support/cli/stepped-clock.js'
import { startTestApp } from '../support/listener/test-app.js'
import { testOrder } from '../support/orders.js'
import { testSeed } from '../support/samples.js'
import { until } from '../support/until.js'

const offsets = ['-10d', '-10m', '+0', '+10m', '+2d', '+40d'] as const

interface Service {
  env: NodeJS.ProcessEnv
  deliveryCount(reference: string): Promise<number>
}

/** `dlv sandbox start`. References are free again when their delivery has ended. */
async function startService(cli: Cli, ...words: string[]): Promise<Service> {
  const service = cli.startProcess(['sandbox', 'start', '--port', '0', '--rate-limit', 'off', '-o', 'json', ...words])
  const ready = JSON.parse(await service.line(() => true)) as Record<string, string>
  const env = { DLV_BASE_URL: ready.baseUrl, DLV_API_KEY: ready.apiKey, DLV_WEBHOOK_SECRET: ready.webhookSecret }
  return {
    env,
    deliveryCount: async (ref) => (await cli.json<unknown[]>(['deliveries', 'list', '--ref', ref], { env })).length,
  }
}

/** Deliveries that have ended, and the ids of their events. */
async function makeEvents(cli: Cli, { env }: Service, deliveries: number, prefix: string): Promise<string[]> {
  for (let count = 1; count <= deliveries; count++) {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', `${prefix}-${count}`]
    const { deliveryId } = await cli.json<{ deliveryId: string }>(words, { env })
    await cli.json(['simulate', deliveryId, '--to', 'delivered'], { env })
  }
  return eventIds(cli, env)
}

async function eventIds(cli: Cli, env: NodeJS.ProcessEnv): Promise<string[]> {
  const events = await cli.json<{ eventId: string }[]>(['events', 'list', '--all', '--since', '29d'], { env })
  return events.map(({ eventId }) => eventId)
}

describe.skipIf(faketimeLibrary === undefined)('With a clock that is stepped by libfaketime', () => {
  it('an order is dispatched once, whatever the clock says at the first and at the second run', async () => {
    const cli = createCli()
    const service = await startService(cli, '--switch', 'duplicates=active')
    const clock = steppedClock()
    const env = { ...service.env, ...clock.env }
    for (const first of offsets)
      for (const second of offsets) {
        const reference = `ORDER${first}${second}`
        const file = join(cli.home, 'order.json')
        // Delivered at once: neither its status nor its reference keeps it from being made again.
        writeFileSync(file, JSON.stringify(testOrder(reference, { metadata: { sandbox_pace: 'instant' } })))
        const words = ['deliveries', 'create', '--file', file, '--json']
        clock.step(first)
        expect((await cli.runProcess(words, { env })).exitCode).toBe(0)
        // The service has forgotten the key by now.
        await cli.json(['sandbox', 'clock', 'advance', '25h'], { env: service.env })
        clock.step(second)
        const again = await cli.runProcess(words, { env })
        expect(again.exitCode, again.stderr).toBe(0)
        expect(await service.deliveryCount(reference), reference).toBe(1)
      }
  })

  it('an order whose response is lost is dispatched once, although the clock is set while it is awaited', async () => {
    const cli = createCli()
    const service = await startService(cli, '--switch', 'duplicates=active')
    const clock = steppedClock()
    const env = { ...service.env, ...clock.env }
    const rules = join(cli.home, 'faults.json')
    for (const offset of offsets) {
      const fault = { operation: 'createDelivery', times: 1, force: 'TIMEOUT_AFTER_COMMIT' }
      writeFileSync(rules, JSON.stringify({ seed: 1, rules: [fault] }))
      await cli.json(['sandbox', 'faults', '--file', rules], { env: service.env })
      clock.step('+0')
      const reference = `LOST${offset}`
      const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
      const set = ['--set', 'metadata.sandbox_pace=instant', '--attempt-timeout', '3s', '--json']
      const creating = cli.startProcess([...words, ...set], { env })
      await until('the delivery', async () => (await service.deliveryCount(reference)) > 0)
      clock.step(offset)
      const { exitCode, stderr } = await creating.ended
      // Set before the retry, the clock leaves open whether the service still knows the key; the next run asks.
      if (exitCode === 8) expect((await cli.runProcess([...words, ...set], { env })).exitCode, reference).toBe(0)
      else expect(exitCode, stderr).toBe(0)
      expect(await service.deliveryCount(reference), reference).toBe(1)
    }
  })

  it('2,000 orders are dispatched once each by a run that is killed 20 times, with the clock stepped each time and between', async () => {
    const seed = testSeed()
    const random = seededRandom(seed)
    const clock = steppedClock()
    const stepAnywhere = () => clock.step(offsets[Math.floor(random() * offsets.length)] ?? '+0')
    const stepping = setInterval(stepAnywhere, 700)
    const cli = createCli()
    const service = steppedClock()
    let days = 0
    const beforeStart = async (baseUrl: string) => {
      // The service's own clock: it forgets the keys of what was under way at each kill.
      const control = new URL('/_sandbox/clock', baseUrl)
      const dateMs = async () => Date.parse((await fetch(control)).headers.get('date') ?? '')
      const beforeMs = await dateMs()
      service.step(`+${++days * 25}h`)
      await until('the service to see its clock', async () => (await dateMs()) > beforeMs + 3_600_000)
      stepAnywhere()
      return clock.env
    }
    try {
      expect(
        await createByKilledPrograms(cli, { orders: 2_000, kills: 20, seed, sandboxEnv: service.env, beforeStart }),
      ).toBe(20)
    } finally {
      clearInterval(stepping)
    }
  })

  it('listen --pull receives and forwards each event once, when stopped, started and stepped in either direction', async () => {
    const cli = createCli()
    const service = await startService(cli)
    const clock = steppedClock()
    const env = { ...service.env, ...clock.env }
    const app = await startTestApp()
    const words = ['webhooks', 'listen', '--pull', '-o', 'ndjson', '--forward-to', app.url]
    clock.step('-10d')
    const first = cli.startProcess(words, { env })
    await first.hasPrinted('"ready"')
    const all = new Set<string>()
    const allArrive = async (stage: string) => {
      for (const id of await eventIds(cli, service.env)) all.add(id)
      await until(`${all.size} events, ${stage}`, () => new Set(app.ids()).size >= all.size)
    }
    let listener = first
    for (const [index, offset] of offsets.entries()) {
      // While it runs, and while it does not.
      clock.step(offset)
      await makeEvents(cli, service, 2, `RUNNING${index}`)
      await allArrive(`clock at ${offset}`)
      const end = await listener.kill('SIGTERM')
      expect(end.exitCode).toBe(143)
      await makeEvents(cli, service, 2, `STOPPED${index}`)
      clock.step(offsets[offsets.length - 1 - index] ?? '+0')
      listener = cli.startProcess(words, { env })
      await allArrive(`restarted after ${offset}`)
    }
    await listener.kill('SIGTERM')
    expect([...app.ids()].sort()).toEqual([...all].sort())
    const journal = (await cli.json<{ eventId: string }[]>(['webhooks', 'log', '--all'], { env: service.env })).map(
      ({ eventId }) => eventId,
    )
    expect(journal.sort()).toEqual([...all].sort())
  })

  it('events replay posts each event once and in order, and comes to its end, when stepped in either direction', async () => {
    const cli = createCli()
    const service = await startService(cli)
    const all = await makeEvents(cli, service, 6, 'REPLAY')
    const clock = steppedClock()
    const env = { ...service.env, ...clock.env }
    for (const offset of offsets)
      for (const step of offsets) {
        const app = await startTestApp()
        clock.step(offset)
        const words = ['events', 'replay', '--since', '1h', '--to', app.url, '--rate', '40', '-o', 'ndjson']
        const replaying = cli.startProcess(words, { env })
        await replaying.hasPrinted('"outcome"')
        clock.step(step)
        const { exitCode, stderr } = await replaying.ended
        expect(exitCode, `${offset} ${step}: ${stderr}`).toBe(0)
        expect(app.ids()).toEqual(all)
      }
  })
})
