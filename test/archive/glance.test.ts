import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { create } from '../support/sandbox/five-accounts.js'

const fresh = ['deliveries', 'list', '--problem', '--all', '-o', 'ndjson', '-P', 'one,other']

/** Two accounts, each of its own service, whose clocks can be set ahead, with archives of three orders. */
async function twoAccounts() {
  const cli = createCli()
  let aheadMs = 0
  const sandboxes = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const sandbox = await startSandbox({ rateLimit: 'off', clock: { now: () => Date.now() + aheadMs } })
      onTestFinished(() => sandbox.close())
      for (const at of [1, 2, 3]) await create(sandbox, `${name}-${at}`)
      const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', sandbox.baseUrl, '--api-key-stdin']
      await cli.run([...words, '--no-keychain'], { stdin: sandbox.apiKey })
      return sandbox
    }),
  )
  expect(await cli.run(['sync', '-P', 'one,other'])).toMatchObject({ exitCode: 0 })
  /** Moves a delivery on without the program, which would write down what it is told. */
  const move = async (at: 0 | 1, reference: string, advanceTo: string) => {
    const { baseUrl, apiKey, fetch } = sandboxes[at] as (typeof sandboxes)[0]
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const found = await fetch(new Request(`${baseUrl}/deliveries?clientOrderReference=${reference}`, { headers }))
    const { deliveries } = (await found.json()) as { deliveries: { deliveryId: string }[] }
    const request = new Request(`${baseUrl}/deliveries/${deliveries[0]?.deliveryId}/simulate`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ advanceTo }),
    })
    expect((await fetch(request)).status).toBe(200)
  }
  const setAhead = (ms: number) => {
    aheadMs = ms
  }
  return { cli, sandboxes, move, setAhead }
}

/** Up to when each archive has been written. */
const filled = async (cli: Cli) =>
  (
    await cli.json<{ to_at: string }[]>(['query', "select to_at from syncs where source = 'events'", '-P', 'one,other'])
  ).map(({ to_at }) => to_at)

const rowsOf = async (cli: Cli, words: readonly string[]) =>
  jsonLines((await cli.run([...words])).stdout).map(({ profile, clientOrderReference, status }) =>
    [profile, clientOrderReference, status].join(' '),
  )

it('A list of several accounts has what is new, as if the archives had been filled, and leaves them alone', async () => {
  const { cli, sandboxes, move } = await twoAccounts()
  expect(await rowsOf(cli, fresh)).toEqual([])
  const before = await filled(cli)
  await move(0, 'one-1', 'failed')
  await move(1, 'other-2', 'expired')
  await move(1, 'other-3', 'cancelled')
  for (const sandbox of sandboxes) await create(sandbox, 'new-1')
  await move(0, 'new-1', 'failed')
  const shown = await rowsOf(cli, fresh)
  expect(shown.toSorted()).toEqual(['one new-1 failed', 'one one-1 failed', 'other other-2 expired'])
  // Sorted as the service sorts, what is new is in its place; and chosen by what it is now.
  const active = [...fresh.slice(0, 3), '--active', '--fresh', 'yes', '--sort', 'created', ...fresh.slice(3)]
  const lists = [active, [...active, '--store', 'store_88'], fresh]
  const glanced = await Promise.all(lists.map((words) => rowsOf(cli, words)))
  expect(await filled(cli)).toEqual(before)
  await cli.run(['sync', '-P', 'one,other'])
  expect(await filled(cli)).not.toEqual(before)
  expect(await Promise.all(lists.map((words) => rowsOf(cli, words)))).toEqual(glanced)
  expect(glanced[0]).not.toEqual([])
})

it('An archive is filled once it is behind, and for orders that were sent from here', async () => {
  const { cli, sandboxes, move, setAhead } = await twoAccounts()
  const [first = ''] = await filled(cli)
  await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'sent-1', '-q', '-P', 'one'])
  await cli.run(fresh)
  const afterOrder = await filled(cli)
  expect(afterOrder[0]).not.toBe(first)
  await cli.run(fresh)
  expect(await filled(cli)).toEqual(afterOrder)
  setAhead(4 * 60_000)
  await move(1, 'other-1', 'failed')
  expect(await rowsOf(cli, fresh)).toEqual(['other other-1 failed'])
  const afterPause = await filled(cli)
  expect(afterPause.every((toAt, at) => toAt > (afterOrder[at] ?? ''))).toBe(true)
  // More than a page of events is written.
  for (let at = 0; at < 101; at++) await create(sandboxes[1] as (typeof sandboxes)[0], `many-${at}`)
  await cli.run(fresh)
  const afterMany = await filled(cli)
  expect([afterMany[0] === afterPause[0], afterMany[1] === afterPause[1]]).toEqual([true, false])
})

it('Of a sandbox that was reset, nothing that was before is shown', async () => {
  const cli = createCli()
  const list = [...fresh.slice(0, -1), 'local,']
  const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'OLD-1', '-q']
  const id = (await cli.run(words)).stdout.trim()
  expect(await cli.run(['simulate', id, '--to', 'failed'])).toMatchObject({ exitCode: 0 })
  expect(await cli.run(['sync'])).toMatchObject({ exitCode: 0 })
  expect(await rowsOf(cli, list)).toEqual(['local OLD-1 failed'])
  await cli.run(['sandbox', 'reset', '--yes'])
  expect(await rowsOf(cli, list)).toEqual([])
})
