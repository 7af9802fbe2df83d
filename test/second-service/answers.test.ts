import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiError, createClient } from '../../src/client/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { fc, sampleCount } from '../support/samples.js'
import {
  anOrder,
  describeWithPython,
  liberties,
  type SecondService,
  startSecondService,
} from '../support/second-service/service.js'
import { serveUi } from '../support/ui/inspector.js'
import { until } from '../support/until.js'

describeWithPython('A service that takes the liberty of', () => {
  const cli = createCli(afterAll)
  let service: SecondService
  let all: { name: string; words: string }[]

  beforeAll(async () => {
    service = await startSecondService()
    service.addProfiles(cli)
    all = liberties()
    return service.close
  })

  const client = (account: 'sandbox' | 'fleet' = 'sandbox') =>
    createClient({ baseUrl: service.url, apiKey: service.keys[account] })

  /** An account with one order, which takes these liberties. */
  async function withLiberties(...names: string[]): Promise<string> {
    await service.control('all', { reset: true })
    await service.control('all', { liberties: names })
    const { ids } = await service.control('sandbox', { orders: [anOrder('R1')], ago: 900 })
    return ids[0] ?? ''
  }

  it('each of its liberties takes it somewhere, and no other', () => {
    const folder = 'test/second-service'
    const sources = readdirSync(folder).filter((file) => file.endsWith('.py') && file !== 'liberties.py')
    const text = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const taken = new Set([...text.matchAll(/takes\('(\w+)'\)/g)].map(([, name]) => name))
    expect([...taken].toSorted()).toEqual(all.map(({ name }) => name).toSorted())
    expect(all.filter(({ words }) => words.length < 10)).toEqual([])
  })

  it.each([
    ['details_list', ['first of all', 'No driver none.']],
    ['details_text', 'In short: No driver none.'],
    ['details_null', null],
  ])('%s gives them to the library and to --json', async (liberty, details) => {
    await withLiberties(liberty)
    const failure = await client('fleet')
      .getDriver({ driverId: 'none' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect((failure as ApiError).details).toEqual(details ?? undefined)
    const { stderr, exitCode } = await cli.run(['drivers', 'get', 'none', '-P', 'fleet', '--json'])
    expect([exitCode, JSON.parse(stderr).error.details]).toEqual([4, details])
  })

  it('quotes_absent shows the reason', async () => {
    await withLiberties('quotes_absent')
    const { stdout, exitCode } = await cli.run(
      ['quotes', 'create', '--store', 'MAIN-ST', '--to', 'Far away, Atlanta, GA 30303'],
      { columns: 100 },
    )
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('OUTSIDE_COVERAGE')])
  })

  it('proof_gone has its proof not found', async () => {
    const id = await withLiberties('proof_gone')
    await service.control('sandbox', { advance: { deliveryId: id, to: 'delivered' } })
    const save = ['deliveries', 'proof', id, '--save', join(cli.home, 'proof')]
    const gone = await cli.run(save)
    expect([gone.exitCode, gone.stderr]).toEqual([4, expect.stringMatching(/The proof at \S+ was not found\./)])
    await service.control('sandbox', { liberties: [] })
    expect((await cli.run(save)).exitCode).toBe(0)
  })

  it('other ids has them taken by every command, in the place of a reference', async () => {
    const id = await withLiberties('ids')
    expect(id).not.toMatch(/^del_/)
    expect(await cli.json(['deliveries', 'get', id])).toMatchObject({ deliveryId: id })
    const { exitCode, stderr } = await cli.run(['deliveries', 'get', 'NO-SUCH'])
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('No delivery has the reference "NO-SUCH"')])
  })

  it.each([
    'history_names',
    'history_empty',
  ])('answering with %s, loses the answer to a simulation, and all its events are told', async (liberty) => {
    const id = await withLiberties(liberty)
    await service.control('sandbox', { loseAnswers: 1 })
    const { emittedEvents } = await client().simulateDelivery({
      deliveryId: id,
      body: { advanceTo: 'driver_at_pickup' },
    })
    expect(emittedEvents).toEqual([
      'delivery.driver_assigned',
      'delivery.driver_enroute_to_pickup',
      'delivery.driver_at_pickup',
    ])
    const { deliveries } = await service.control('sandbox')
    expect(deliveries[0]?.history.filter((status) => status === 'driver_at_pickup')).toHaveLength(1)
  })

  it('being asked twice to cancel has one cancellation, with one answer', async () => {
    const deliveryId = await withLiberties()
    const first = await client().cancelDelivery({ deliveryId, body: { reason: 'customer_cancelled' } })
    const again = await client().call('cancelDelivery', { deliveryId, body: { reason: 'customer_cancelled' } })
    expect(again).toMatchObject({ replayed: true, value: first })
  })

  it('rows without a reference keeps the one that a row was named by', async () => {
    await withLiberties('missing_members', 'ids')
    const { stdout } = await cli.run(['deliveries', 'cancel', '--file', '-', '--yes', '--json'], { stdin: 'R1\n' })
    expect(JSON.parse(stdout)).toMatchObject([{ clientOrderReference: 'R1', outcome: 'cancelled' }])
  })

  it('many events has the newest of them first on the page', async () => {
    const id = await withLiberties('success_name')
    const app = await startTestApp()
    await service.control('sandbox', { endpoints: [{ url: app.url, insecure: true }] })
    await service.control('sandbox', { tell: 'driver.updated', times: 1_100 })
    await service.control('sandbox', { advance: { deliveryId: id, to: 'delivered' } })
    await until('the last webhook arrived', async () =>
      (await service.control('sandbox')).events.every(
        ({ status, type }) => status === 'arrived' || type === 'delivery.accepted',
      ),
    )
    const { read } = await serveUi('test', { before: async (person) => service.addProfiles(person) })
    const { events } = await read<{ events: { eventType: string }[] }>('/webhooks')
    expect(events[0]?.eventType).toBe('delivery.proof_of_delivery_added')
  })

  it('one_line_address fills the form of an update', async () => {
    const id = await withLiberties('one_line_address')
    const { read } = await serveUi('test', { before: async (person) => service.addProfiles(person) })
    const { editable } = await read<{ editable: { path: string; value: string }[] }>(`/deliveries/${id}`)
    expect(editable.filter(({ path }) => path.startsWith('dropoff.address'))).toMatchObject([
      { path: 'dropoff.address', value: '12 Elm St, Atlanta, GA 30303' },
    ])
  })

  it('a clock of its own has the page follow it from the first screen on', async () => {
    await withLiberties('checked_at_null')
    await service.control('all', { clockOffset: -400 * 86_400 })
    const { read } = await serveUi('test', { before: async (person) => service.addProfiles(person) })
    const { clock } = await read<{ clock: { now: string; real: string } }>('/session')
    const days = (Date.parse(clock.real) - Date.parse(clock.now)) / 86_400_000
    expect(Math.round(days)).toBe(400)
  })

  it('nothing listening is a refused connection, however little time is left', async () => {
    let attempts = 0
    const gone = createClient({
      baseUrl: service.url,
      timeoutMs: 2_000,
      random: () => 0.999,
      // The wait before the next attempt ends just before the deadline.
      retries: { baseDelayMs: 1_960, maxDelayMs: 5_000 },
      transport: {
        send({ signal }) {
          if (attempts++ === 0) return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        },
      },
    })
    await expect(gone.getCapabilities()).rejects.toMatchObject({ reason: 'refused' })
  })

  it('any combination of them has every order once, and every answer read', async () => {
    const names = fc.subarray(
      all
        .map(({ name }) => name)
        .filter((name) => !['health_limit', 'health_degraded', 'refusals_kept'].includes(name)),
    )
    const flow = async (taken: string[], lost: number) => {
      await withLiberties(...taken)
      const library = client()
      await service.control('sandbox', { loseAnswers: lost })
      const created = await library.createDelivery({ body: anOrder('ONCE') })
      const again = await library.createDelivery({ body: anOrder('ONCE') })
      expect(again.deliveryId).toBe(created.deliveryId)
      const { deliveryId } = created
      for (const words of [
        ['deliveries', 'get', 'ONCE'],
        ['deliveries', 'list', '--ref', 'ONCE'],
        ['simulate', `id:${deliveryId}`, '--to', 'driver_at_dropoff'],
        ['deliveries', 'update', `id:${deliveryId}`, '--tip-cents', '300', '--yes'],
        ['events', 'list', '--since', '1h', '--all'],
        ['deliveries', 'cancel', `id:${deliveryId}`, '--yes'],
      ]) {
        const { exitCode, stdout, stderr } = await cli.run(words, { columns: 100 })
        expect([words[0], words[1], exitCode, stdout + stderr]).toEqual([words[0], words[1], 0, expect.any(String)])
        expect(stdout).not.toMatch(/\b(?:undefined|null|NaN|DEFECT|Invalid)\b|\[object|bug in dlv/)
      }
      const { deliveries } = await service.control('sandbox')
      expect(deliveries.map(({ clientOrderReference, status }) => [clientOrderReference, status])).toEqual([
        ['R1', expect.any(String)],
        ['ONCE', 'cancelled'],
      ])
    }
    await fc.assert(fc.asyncProperty(names, fc.integer({ min: 0, max: 2 }), flow), {
      numRuns: sampleCount(12),
      interruptAfterTimeLimit: 15_000,
    })
  })
})
