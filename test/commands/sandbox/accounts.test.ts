import { expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

const order = (name: string, ref: string) =>
  ['deliveries', 'create', '--file', 'examples/order.json', '--ref', ref, '-q', '-P', name] as const

it('An account is added with key, secret, type and rate, and its profile works without a served sandbox', async () => {
  const cli = createCli()
  const added = await cli.json<Record<string, unknown>>([
    ...['sandbox', 'accounts', 'add', 'fleet', '--type', 'owned_fleet', '--rps', '3', '--profile', 'my-fleet'],
  ])
  expect(added).toMatchObject({
    accountId: 'acc_fleet',
    type: 'owned_fleet',
    requestsPerSecond: 3,
    apiKey: expect.stringMatching(/^dlvk_sbx_fleet_\w+$/),
    webhookSecret: expect.stringMatching(/^whsec_/),
    profile: 'my-fleet',
  })
  expect(await cli.json(['capabilities', '-P', 'my-fleet'])).toMatchObject({ accountType: 'owned_fleet' })
  // Its secrets are those that the sandbox signs with by then.
  const rotated = await cli.json<{ secrets: string[] }>(['sandbox', 'rotate-secret', '-P', 'my-fleet'])
  expect(rotated.secrets[1]).toBe(added.webhookSecret)

  const taken = await cli.run(['sandbox', 'accounts', 'add', 'other', '--profile', 'my-fleet'])
  expect(taken).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Nothing was added') })
  for (const name of ['fleet', 'marketplace', 'revoked', 'a b', '../x'])
    expect((await cli.run(['sandbox', 'accounts', 'add', name])).exitCode, name).not.toBe(0)
  const names = (await cli.run(['sandbox', 'accounts', 'list', '-q'])).stdout.trim().split('\n')
  expect(names).toEqual(expect.arrayContaining(['marketplace', 'fleet']))
  expect(names).not.toContain('other')
})

it('Accounts see nothing of each other', async () => {
  const cli = createCli()
  for (const name of ['acme', 'bolt']) await cli.json(['sandbox', 'accounts', 'add', name, '--profile', name])
  const ids: Record<string, string> = {}
  // One reference is two orders of two accounts.
  for (const name of ['acme', 'bolt']) ids[name] = (await cli.run(order(name, 'SAME-1'))).stdout.trim()
  expect(ids.acme).not.toBe(ids.bolt)
  for (const [name, other] of [
    ['acme', 'bolt'],
    ['bolt', 'acme'],
  ] as const) {
    expect(await cli.json(['deliveries', 'list', '-P', name])).toMatchObject([{ deliveryId: ids[name] }])
    expect((await cli.run(['deliveries', 'get', ids[other] ?? '', '-P', name])).exitCode).toBe(4)
    const events = await cli.json<{ deliveryId: string }[]>(['events', 'list', '-P', name])
    expect(new Set(events.map(({ deliveryId }) => deliveryId))).toEqual(new Set([ids[name]]))
    expect((await cli.run(['simulate', ids[other] ?? '', 'cancelled', '-P', name])).exitCode).not.toBe(0)
    expect((await cli.run(['deliveries', 'cancel', ids[other] ?? '', '--yes', '-P', name])).exitCode).toBe(4)
  }
  expect(await cli.json(['deliveries', 'list', '-P', 'local'])).toEqual([])
})

it('A removed account leaves nothing for a later one of its name, whose key is another', async () => {
  const cli = createCli()
  const { apiKey } = await cli.json<{ apiKey: string }>(['sandbox', 'accounts', 'add', 'acme', '--profile', 'acme'])
  await cli.run(order('acme', 'GONE-1'))
  // A reset leaves accounts, as it leaves secrets: profiles lead to them.
  await cli.json(['sandbox', 'reset', '--yes'])
  await cli.run(order('acme', 'GONE-2'))
  expect((await cli.run(['sandbox', 'accounts', 'remove', 'acme'])).exitCode).toBe(2)
  const removed = await cli.run(['sandbox', 'accounts', 'remove', 'acme', '--yes'])
  expect(removed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('dlv profiles remove acme') })
  expect((await cli.run(['deliveries', 'list', '-P', 'acme'])).exitCode).toBe(3)
  const again = await cli.json<{ apiKey: string }>(['sandbox', 'accounts', 'add', 'acme', '--profile', 'acme-2'])
  expect(again.apiKey).not.toBe(apiKey)
  expect(await cli.json(['deliveries', 'list', '-P', 'acme-2'])).toEqual([])
  expect(await cli.json(['events', 'list', '-P', 'acme-2'])).toEqual([])
  for (const name of ['marketplace', 'nobody'])
    expect((await cli.run(['sandbox', 'accounts', 'remove', name, '--yes'])).exitCode, name).not.toBe(0)
})

const sandbox = serveSandbox()

it('An account of a served sandbox is kept with its address and its secret', async () => {
  const cli = createCli()
  const env = sandbox.env('dlvk_sbx_marketplace')
  await cli.json(['sandbox', 'accounts', 'add', 'served', '--profile', 'served'], { env })
  expect(await cli.json(['profiles', 'list'])).toContainEqual(
    expect.objectContaining({ name: 'served', environment: 'sandbox', webhookSecrets: 1 }),
  )
  expect((await cli.run([...order('served', 'S-1')])).exitCode).toBe(0)
  expect(await cli.json(['deliveries', 'list'], { env })).toEqual([])
})
