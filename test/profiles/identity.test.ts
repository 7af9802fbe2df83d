import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { type RotatingService, startRotatingService } from '../support/sandbox/rotating-service.js'

const order = ['deliveries', 'create', '--file', 'examples/order.json']
const dataOf = (cli: Cli) => join(cli.home, '.local', 'share', 'dlv')
const configOf = (cli: Cli) => join(cli.home, '.config', 'dlv', 'config.json')

async function add(cli: Cli, service: RotatingService, name: string, key: string, ...flags: string[]) {
  const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', service.baseUrl, '--api-key-stdin']
  return cli.run([...words, '--no-keychain', ...flags], { stdin: key })
}

const create = (cli: Cli, reference: string, env: NodeJS.ProcessEnv = {}, ...flags: string[]) =>
  cli.run([...order, '--ref', reference, '-q', ...flags], { env })

const archived = async (cli: Cli, profile: string) => {
  const sql = 'select client_order_reference as ref from deliveries order by 1'
  return (await cli.json<{ ref: string }[]>(['query', sql, '-P', profile])).map(({ ref }) => ref)
}

/** The references in the archive of a profile, after a sync. */
async function synced(cli: Cli, profile: string) {
  expect(await cli.run(['sync', '-P', profile])).toMatchObject({ exitCode: 0 })
  return archived(cli, profile)
}

it('A rotated key is recognized without a question, and nothing is lost', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-1', 'marketplace')
  await add(cli, service, 'acme', 'key-1')
  const { stdout: first } = await create(cli, 'A-1', {}, '-P', 'acme')
  expect(await synced(cli, 'acme')).toEqual(['A-1'])

  service.give('key-2', 'marketplace')
  service.revoke('key-1')
  const rotated = await add(cli, service, 'acme', 'key-2')
  expect(rotated).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('new account') })
  const again = await create(cli, 'A-1', {}, '-P', 'acme')
  expect(again).toMatchObject({ exitCode: 0, stdout: first, stderr: expect.stringContaining('nothing was dispatched') })
  expect(await archived(cli, 'acme')).toEqual(['A-1'])
})

it('Another key under the same name begins empty and says so; the earlier account is found again by its key', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-a', 'marketplace')
  service.give('key-b', 'ownedfleet')
  await add(cli, service, 'acme', 'key-a')
  await create(cli, 'A-1', {}, '-P', 'acme')
  await synced(cli, 'acme')

  const { stderr } = await add(cli, service, 'acme', 'key-b')
  expect(stderr).toMatch(/Profile acme is a new account, which begins empty: its key does not know the deliveries/)
  expect((await cli.run(['query', 'select 1', '-P', 'acme'])).stderr).toContain('There is no archive')
  await create(cli, 'B-1', {}, '-P', 'acme')
  expect(await synced(cli, 'acme')).toEqual(['B-1'])

  // Removed, and added again with the first key under another name.
  const removed = await cli.run(['profiles', 'remove', 'acme', '--yes'])
  expect(removed.stderr).toMatch(/Stays on this machine.*\n.*archive of deliveries.*archive-\w+\.db/)
  const files = readdirSync(dataOf(cli))
  await add(cli, service, 'other.name', 'key-a')
  expect(await archived(cli, 'other.name')).toEqual(['A-1'])
  expect(readdirSync(dataOf(cli))).toEqual(files)
  await add(cli, service, 'acme', 'key-b')
  expect(await archived(cli, 'acme')).toEqual(['B-1'])
})

it('Decides nothing while the service is away, and keeps everything', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-1', 'marketplace')
  await add(cli, service, 'acme', 'key-1')
  await create(cli, 'A-1', {}, '-P', 'acme')
  await synced(cli, 'acme')

  service.give('key-2', 'marketplace')
  service.isDown = true
  expect((await add(cli, service, 'acme', 'key-2')).stderr).toMatch(
    /cannot say whether it belongs to the account "acme"/,
  )
  const offline = await cli.run(['query', 'select 1', '-P', 'acme'])
  expect(offline).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /Nothing was used or changed.*dlv profiles add acme --same-account, or --new-account/s,
    ),
  })
  service.isDown = false
  expect(await archived(cli, 'acme')).toEqual(['A-1'])

  // By hand, also while nobody answers.
  service.isDown = true
  await add(cli, service, 'acme', 'key-3', '--same-account')
  expect(await archived(cli, 'acme')).toEqual(['A-1'])
  await add(cli, service, 'acme', 'key-3', '--new-account')
  expect((await cli.run(['query', 'select 1', '-P', 'acme'])).stderr).toContain('There is no archive')
  expect((await cli.run(['profiles', 'add', 'acme', '--same-account'])).exitCode).toBe(0)
  expect(await archived(cli, 'acme')).toEqual(['A-1'])
})

it('One delivery that is gone decides nothing', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-1', 'marketplace')
  service.give('key-2', 'marketplace')
  const env = (key: string) => ({ DLV_BASE_URL: service.baseUrl, DLV_API_KEY: key })
  for (const reference of ['A-1', 'A-2']) await create(cli, reference, env('key-1'))
  const gone = String((await create(cli, 'A-3', env('key-1'))).stdout.trim())
  const { fetch } = service.sandbox
  service.sandbox.fetch = async (request) =>
    request.url.includes(gone)
      ? new Response('{"error":{"code":"NOT_FOUND","message":"gone"}}', { status: 404 })
      : fetch(request)
  expect((await create(cli, 'A-2', env('key-2'))).stderr).toContain('nothing was dispatched')
})

it('A key of variables, a renamed profile and a lost file of accounts lead to the same account', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-1', 'marketplace')
  await create(cli, 'A-1', { DLV_BASE_URL: service.baseUrl, DLV_API_KEY: 'key-1', DLV_ENVIRONMENT: 'sandbox' })
  await add(cli, service, 'acme', 'key-1')
  const sentBefore = { exitCode: 0, stderr: expect.stringContaining('nothing was dispatched') }
  expect(await create(cli, 'A-1', {}, '-P', 'acme')).toMatchObject(sentBefore)
  writeFileSync(configOf(cli), readFileSync(configOf(cli), 'utf8').replaceAll('"acme"', '"renamed"'))
  expect(await create(cli, 'A-1', {}, '-P', 'renamed')).toMatchObject(sentBefore)
  await synced(cli, 'renamed')
  // The fingerprints are lost: the account is known by its mark, and the key has to be asked.
  rmSync(join(dataOf(cli), 'account-key'))
  expect(await archived(cli, 'renamed')).toEqual(['A-1'])
  const held = readdirSync(cli.home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('accounts.json'),
  )
  expect(held.map((name) => readFileSync(join(cli.home, name), 'utf8')).join()).not.toContain('key-1')
  renameSync(join(dataOf(cli), 'accounts.json'), join(cli.home, 'lost.json'))
  expect(await create(cli, 'A-1', {}, '-P', 'renamed')).toMatchObject({ exitCode: 0 })
})

it('profiles remove --data removes what is kept of that account only', async () => {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-a', 'marketplace')
  service.give('key-b', 'ownedfleet')
  await add(cli, service, 'a', 'key-a')
  await add(cli, service, 'a.people', 'key-b')
  for (const name of ['a', 'a.people']) {
    await create(cli, name === 'a' ? 'A-1' : 'B-1', {}, '-P', name)
    await synced(cli, name)
  }
  const { stderr } = await cli.run(['profiles', 'remove', 'a', '--yes', '--data'])
  expect(stderr).toMatch(
    /Removed:\n.*archive of deliveries.*\n.*names and addresses.*\n.*1 order in the ledger.*\n.*promised/,
  )
  expect(await archived(cli, 'a.people')).toEqual(['B-1'])
  expect((await create(cli, 'B-1', {}, '-P', 'a.people')).stderr).toContain('nothing was dispatched')
  await add(cli, service, 'a', 'key-a')
  expect((await cli.run(['query', 'select 1', '-P', 'a'])).stderr).toContain('There is no archive')
})
