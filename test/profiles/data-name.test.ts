import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newSecret, sampleEvent, sendEvent } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const keys = ['dlvk_sbx_marketplace', 'dlvk_sbx_ownedfleet'] as const

it('Accounts that variables name share no journal, results or orders, and no file holds a key', async () => {
  const cli = createCli()
  const secret = newSecret()
  const of = (key: string): NodeJS.ProcessEnv => ({ ...sandbox.env(key), DLV_WEBHOOK_SECRET: secret })
  const [one, two] = [of(keys[0]), of(keys[1])]
  const { DLV_API_KEY: _, ...keyless } = one

  const listener = cli.start(['webhooks', 'listen', '-o', 'ndjson'], { env: one })
  const { url, journal } = JSON.parse(await listener.line((line) => line.includes('ready')))
  await sendEvent({
    url,
    secrets: [secret],
    body: JSON.stringify(sampleEvent('delivery.accepted', { eventId: 'evt_1' })),
  })
  await listener.kill('SIGINT')
  expect(journal).toMatch(/journal-[\da-f]{20}\.db$/)
  const log = ['webhooks', 'log', '-q']
  expect(await cli.run(log, { env: one })).toMatchObject({
    stdout: 'evt_1\n',
    stderr: `Journal: ${journal}, of this base URL and key.\n`,
  })
  for (const env of [two, keyless]) expect(await cli.run(log, { env })).toMatchObject({ exitCode: 0, stdout: '' })
  expect(await cli.json(['webhooks', 'status'], { env: one })).toMatchObject({ journal })
  const other = await cli.run(['webhooks', 'status'], { env: two })
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringMatching(/each account has its own/)])
  expect((await cli.run(['webhooks', 'status'], { env: keyless })).stderr).toMatch(
    /Without DLV_API_KEY the journal is that of every account without a key at http:\S+: \S+journal-[\da-f]{20}\.db\./,
  )

  const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'SAME']
  const keyOf = async (words: readonly string[], env: NodeJS.ProcessEnv) =>
    (await cli.json<{ headers: Record<string, string> }>([...words, '--dry-run'], { env })).headers['Idempotency-Key']
  const { deliveryId } = await cli.json<{ deliveryId: string }>(order, { env: one })
  const cancel = ['deliveries', 'cancel', deliveryId]
  // The service keeps idempotency keys for each API key: the same order has the same one under every name and address.
  const renamed = { ...one, DLV_BASE_URL: one.DLV_BASE_URL?.replace('127.0.0.1', 'localhost') }
  for (const words of [order, cancel]) expect(await keyOf(words, renamed)).toBe(await keyOf(words, one))
  const results = join(cli.home, 'results.ndjson')
  writeFileSync(join(cli.home, 'ids.txt'), 'del_1\n')
  const run = ['deliveries', 'cancel', '--file', join(cli.home, 'ids.txt'), '--results', results]
  expect((await cli.run(run, { env: one })).exitCode).toBe(9)
  expect(await cli.run(run, { env: two })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/holds the results of another account; nothing was sent/),
  })
  await cli.json(order, { env: one })
  await cli.json(['quotes', 'create', '--file', 'examples/order.json'], { env: one })

  const files = readdirSync(cli.home, { recursive: true, encoding: 'utf8' })
  const paths = files.map((name) => join(cli.home, name)).filter((path) => statSync(path).isFile())
  expect(paths.some((path) => path.endsWith('orders.db'))).toBe(true)
  const holding = paths.filter((path) => keys.some((key) => (path + readFileSync(path, 'latin1')).includes(key)))
  expect(holding).toEqual([])
})
