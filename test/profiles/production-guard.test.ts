import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { serveManyDeliveries } from '../support/sandbox/many-deliveries.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

describe('on production', () => {
  const cli = createCli(afterAll)
  let service: JsonServer
  let env: NodeJS.ProcessEnv = {}

  beforeAll(async () => {
    service = await serveManyDeliveries(1)
    const { DLV_BASE_URL = '', DLV_API_KEY = '' } = service.env
    const flags = ['--environment', 'production', '--base-url', DLV_BASE_URL, '--api-key-stdin', '--use']
    await cli.run(['profiles', 'add', 'live', ...flags], { stdin: DLV_API_KEY })
    env = { ...service.env, DLV_ENVIRONMENT: 'production' }
  })
  afterAll(() => service.close())

  const order = ['--file', 'examples/order.json']

  it.each([
    ['a simulation', ['simulate', 'del_1', '--to', 'delivered'], /production/],
    ['a simulation by api', ['api', 'POST', '/deliveries/del_1/simulate', '--yes'], /production/],
    [
      'a test reference',
      ['deliveries', 'create', ...order, '--ref', 'sbx-DUPLICATE_ORDER-1', '--yes'],
      /test value "sbx-/,
    ],
    [
      'a test key',
      ['deliveries', 'create', ...order, '--idempotency-key', 'idem-conflict-1', '--yes'],
      /test value "idem-/,
    ],
    [
      'a test phone in a quote',
      ['quotes', 'create', ...order, '--phone', '+12025550133'],
      /test value "\+12025550133"/,
    ],
    ['a test installation in a check', ['installations', 'check', 'ZZFPCON'], /test value "ZZFPCON"/],
    [
      'a test id by api',
      ['api', 'GET', '/deliveries/del_err_INTERNAL_ERROR'],
      /test value "del_err_INTERNAL_ERROR" at the path/,
    ],
    ['an escaped test id by api', ['api', 'GET', 'drivers/drv%5Ferr_DRIVER_NOT_FOUND?a=b'], /test value "drv_err_/],
    ['a forced answer by api', ['api', 'GET', '/health', '-H', 'x-sandbox-force: HANG'], /x-sandbox-force/],
    [
      'an order that nobody confirmed',
      ['deliveries', 'create', ...order],
      /Dispatch WEB-100482 \(.*tip \$4\.00\) on production.*--yes/s,
    ],
    [
      'a tip that nobody confirmed',
      ['deliveries', 'update', 'del_1', '--tip-cents', '500'],
      /del_1 \(.*\$5\.00\) on production.*--yes/s,
    ],
    ['a heavier package that nobody confirmed', ['deliveries', 'update', 'del_1', '--weight-grams', '900'], /--yes/],
    ['the state of the sandbox', ['sandbox', 'status'], /sandbox status works only on a sandbox/],
    ['a reset of the sandbox', ['sandbox', 'reset'], /production/],
    ['a sandbox on this machine', ['sandbox', 'start', '--port', '0'], /-P/],
    ['a cancellation that nobody confirmed', ['deliveries', 'cancel', 'del_1'], /--yes/],
    ['a write by api that nobody confirmed', ['api', 'POST', '/deliveries/del_1/cancel'], /--yes/],
    ['a replay that nobody confirmed', ['events', 'replay', 'evt_1', '--to', 'http://127.0.0.1:9/'], /--yes|secret/],
  ])('%s is refused before anything is sent', async (_name, words, said) => {
    for (const way of [{}, { env }]) {
      const before = service.asked.length
      const { exitCode, stdout, stderr } = await cli.run(words, way)
      expect(stderr).toMatch(said)
      expect(stdout).toBe('')
      expect(exitCode).toBe(2)
      expect(service.asked.length).toBe(before)
    }
  })

  it('-P local leads to the sandbox', async () => {
    expect((await cli.run(['sandbox', 'status', '-P', 'local'])).exitCode).toBe(0)
  })

  it('a variable makes a profile stricter, never laxer', async () => {
    const show = (environment: string) =>
      cli.json<{ environment: string }>(['profiles', 'show', 'live'], { env: { DLV_ENVIRONMENT: environment } })
    expect(await show('sandbox')).toMatchObject({ environment: 'production' })
    expect(await show('local')).toMatchObject({ environment: 'production' })
  })

  it('an answer on a terminal counts, and no answer is a no', async () => {
    const running = cli.startAsking(['deliveries', 'cancel', 'del_1'])
    await running.shows('on production')
    const before = service.asked.length
    running.type('n\r')
    await running.ended
    expect(service.asked.length).toBe(before)
  })
})

describe('What is confirmed, or costs nothing, is sent to production', () => {
  /** Noon at the stores: a quote is given, and nothing is said about their hours. */
  const sandbox = serveSandbox({ clock: { now: () => Date.parse('2026-03-02T17:00:00Z') } })
  const stops = ['--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301']

  it('without a question', async () => {
    const cli = createCli()
    const env = { ...sandbox.env(), DLV_ENVIRONMENT: 'production' }
    const order = ['--file', 'examples/order.json']
    const { deliveryId } = await cli.json<{ deliveryId: string }>(['deliveries', 'create', ...order, '--yes'], { env })
    for (const words of [
      ['deliveries', 'update', deliveryId, '--instructions', 'Ring twice'],
      ['deliveries', 'update', deliveryId, '--tip-cents', '500', '--yes'],
      ['deliveries', 'update', deliveryId, '--tip-cents', '900', '--dry-run'],
      ['quotes', 'create', ...stops],
    ]) {
      const { exitCode, stderr } = await cli.run(words, { env })
      expect([exitCode, stderr]).toEqual([0, ''])
    }
    const { pricing } = await cli.json<{ pricing: object }>(['deliveries', 'get', deliveryId], { env })
    expect(pricing).toMatchObject({ tipAmountCents: 500 })
  })
})
