import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { type ManyDeliveries, serveManyDeliveries } from '../support/sandbox/many-deliveries.js'

describe('on production', () => {
  const cli = createCli(afterAll)
  let service: ManyDeliveries
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
    ['a magic reference', ['deliveries', 'create', ...order, '--ref', 'sbx-DUPLICATE_ORDER-1'], /production|magic/],
    ['a cancellation that nobody confirmed', ['deliveries', 'cancel', 'del_1'], /--yes/],
    ['a write by api that nobody confirmed', ['api', 'POST', '/deliveries/del_1/cancel'], /--yes/],
    ['a replay that nobody confirmed', ['events', 'replay', 'evt_1', '--to', 'http://127.0.0.1:9/'], /--yes|secret/],
  ])('%s is refused before anything is sent', async (_name, words, said) => {
    for (const way of [{}, { env }]) {
      const before = service.requests
      const { exitCode, stdout, stderr } = await cli.run(words, way)
      expect(stderr).toMatch(said)
      expect(stdout).toBe('')
      expect(exitCode).toBe(2)
      expect(service.requests).toBe(before)
    }
  })

  it('a variable makes a profile stricter, never laxer', async () => {
    const show = (environment: string) =>
      cli.json<{ environment: string }>(['profiles', 'show', 'live'], { env: { DLV_ENVIRONMENT: environment } })
    expect(await show('sandbox')).toMatchObject({ environment: 'production' })
    expect(await show('local')).toMatchObject({ environment: 'production' })
  })

  it('an answer on a terminal counts, and no answer is a no', async () => {
    const running = cli.startOnTerminal(['deliveries', 'cancel', 'del_1'])
    await running.shows('on production')
    const before = service.requests
    running.type('n\r')
    await running.ended
    expect(service.requests).toBe(before)
  })
})
