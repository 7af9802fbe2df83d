import { expect, it } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli, type Running } from '../support/cli/program.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const eventIdsOf = (running: Pick<Running, 'lines'>) =>
  running
    .lines()
    .map((line) => JSON.parse(line) as { type: string; eventId: string })
    .filter(({ type }) => type === 'event')
    .map(({ eventId }) => eventId)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describeOnPostgres('a listener that fetches for all, when it is stopped', () => {
  const sandbox = serveSandbox()

  it('is replaced within 15 seconds, and leaves the fetching to the other one when it wakes', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const env = { ...sandbox.env(), ...database.env, DLV_WEBHOOK_SECRET: newSecret() }
    const words = ['webhooks', 'listen', '--pull', '--since', '1h', '--journal', database.address, '-o', 'ndjson']
    const create = (reference: string) =>
      cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference], { env })
    const start = async () => {
      const running = cli.startProcess(words, { env })
      await running.line((line) => line.includes('"ready"'))
      return running
    }
    const first = await start()
    await create('PULL-1')
    await until('the first event', () => eventIdsOf(first).length === 1)
    const second = await start()

    first.child.kill('SIGSTOP')
    const stoppedAt = performance.now()
    await create('PULL-2')
    await until('the other one to fetch', () => eventIdsOf(second).length === 1)
    expect(performance.now() - stoppedAt).toBeLessThan(15_000)
    first.child.kill('SIGCONT')
    for (const reference of ['PULL-3', 'PULL-4', 'PULL-5']) {
      await create(reference)
      // Longer than between two listings, so that either of them could fetch it.
      await pause(2_500)
    }

    await until('the last events', () => eventIdsOf(second).length === 4)
    expect(eventIdsOf(first)).toHaveLength(1)
    const listed = await cli.json<{ eventId: string }[]>(['events', 'list'], { env })
    const fetched = [...eventIdsOf(first), ...eventIdsOf(second)]
    expect(fetched.toSorted()).toEqual(listed.map(({ eventId }) => eventId).toSorted())
    expect(await database.sql('SELECT sum(repeats)::int AS repeats, count(*)::int AS events FROM dlv.ids')).toEqual([
      { repeats: 0, events: 5 },
    ])
  }, 60_000)
})
