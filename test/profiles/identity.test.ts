import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { testOrder } from '../support/orders.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { type RotatingService, startRotatingService } from '../support/sandbox/rotating-service.js'
import { createTempDir } from '../support/temp-dir.js'

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

it('Results with the header of another record are refused, whatever they say was created or accepted', async () => {
  const [cli, other, service] = [createCli(), createCli(), await startRotatingService()]
  service.give('key-1', 'marketplace')
  service.give('key-2', 'ownedfleet')
  const env = (key: string) => ({ DLV_BASE_URL: service.baseUrl, DLV_API_KEY: key })
  const run = (by: Cli, key: string, file: string) =>
    by.run(['deliveries', 'create', '--file', file, '-o', 'ndjson'], { env: env(key) })
  const inputOf = (name: string) => {
    const file = join(createTempDir(), `${name}.ndjson`)
    writeFileSync(file, ['1', '2'].map((one) => JSON.stringify(testOrder(`${name}-${one}`))).join('\n'))
    return file
  }
  const [own, offered] = [inputOf('own'), inputOf('offered')]
  expect((await run(cli, 'key-1', own)).exitCode).toBe(0)
  expect((await run(other, 'key-2', offered)).exitCode).toBe(0)
  const linesOf = (file: string) => readFileSync(`${file}.results.ndjson`, 'utf8').trimEnd().split('\n')
  const [header = '', ...ownLines] = linesOf(own)
  const [, ...others] = linesOf(offered)
  const accepted = header.replace('"version":1', '"version":1,"accepted":true')
  for (const lines of [
    [header, ...others],
    [header, ...others, accepted],
    // A line that is real, under the order that it says nothing of.
    [header, others[0], ...ownLines.slice(1)],
  ]) {
    writeFileSync(`${offered}.results.ndjson`, `${lines.join('\n')}\n`)
    service.requests.splice(0)
    const refused = await run(cli, 'key-1', offered)
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not written by this user') })
    expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
  }
  // Its own record counts, also after a run that went on with it.
  for (const _ of [1, 2]) expect(await run(cli, 'key-1', own)).toMatchObject({ exitCode: 0 })
  expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
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
    exitCode: 8,
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
  expect(stderr).toMatch(/Removed:\n.*archive of deliveries.*\n.*names and addresses.*\n.*1 order in the ledger.*/)
  expect(await archived(cli, 'a.people')).toEqual(['B-1'])
  expect((await create(cli, 'B-1', {}, '-P', 'a.people')).stderr).toContain('nothing was dispatched')
  await add(cli, service, 'a', 'key-a')
  expect((await cli.run(['query', 'select 1', '-P', 'a'])).stderr).toContain('There is no archive')
})

it('Results of a clone, of another account, changed or without a seal are refused by name, and sent rows are looked up', async () => {
  const [cli, other, service] = [createCli(), createCli(), await startRotatingService()]
  service.give('key-a', 'marketplace')
  service.give('key-b', 'ownedfleet')
  const env = (key: string) => ({ DLV_BASE_URL: service.baseUrl, DLV_API_KEY: key, DLV_ENVIRONMENT: 'sandbox' })
  const input = join(cli.home, 'orders.ndjson')
  const rows = ['A-1', 'A-2'].map((reference) => JSON.stringify(testOrder(reference)))
  writeFileSync(input, rows.join('\n'))
  const run = (who: Cli, key: string, ...more: string[]) =>
    who.run(['deliveries', 'create', '--file', input, '-o', 'ndjson', ...more], { env: env(key) })
  expect((await run(cli, 'key-a')).exitCode).toBe(0)
  expect((await run(cli, 'key-a')).stderr).toContain('2 of them in an earlier run')

  const refused = (what: string) => ({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`${what}.*nothing was sent.*--results NEW.*--accept-results`, 's')),
  })
  expect(await run(other, 'key-a')).toMatchObject(refused('not written by this user of this machine'))
  expect(await run(other, 'key-a', '--dry-run')).toMatchObject(refused('not written by this user of this machine'))
  expect(await run(cli, 'key-b')).toMatchObject(refused('results of another account'))
  const results = `${input}.results.ndjson`
  const text = readFileSync(results, 'utf8')
  const [seal = '', sealOfAnother = ''] = [...text.matchAll(/"outcome".*"seal":"(\w+)"/g)].map(([, each]) => each)
  for (const forged of [
    text.replace(/,"seal":"\w+"/, ''),
    text.replace(seal, sealOfAnother),
    text.replace('"deliveryId":"del_', '"deliveryId":"del_0'),
    text.replace('"outcome":"created"', '"outcome":"failed"'),
  ]) {
    expect(forged).not.toBe(text)
    writeFileSync(results, forged)
    expect(await run(cli, 'key-a')).toMatchObject(refused('not written by this user of this machine'))
  }
  writeFileSync(results, text)

  // Deliveries that the account does not have are named; a row that says it failed is sent.
  expect(await run(cli, 'key-b', '--accept-results')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/this account does not have row 1 \(del_\w+\), row 2/),
  })
  const failed = text.replace(/^\{"row":2[^\n]*\}/m, (line) =>
    line.replace('"created"', '"failed"').replace(/"del_\w+"/, 'null'),
  )
  writeFileSync(results, failed)
  const accepted = await run(other, 'key-a', '--accept-results')
  expect([accepted.exitCode, accepted.stderr]).toEqual([0, expect.stringContaining('has all 1 deliveries')])
  expect(accepted.stdout).toContain('"row":2')
  expect((await run(other, 'key-a')).stderr).toContain('2 of them in an earlier run')
  const refs = (
    await cli.json<{ clientOrderReference: string }[]>(['deliveries', 'list', '--all'], { env: env('key-a') })
  ).map(({ clientOrderReference }) => clientOrderReference)
  expect(refs.sort()).toEqual(['A-1', 'A-2'])
})

describeOnPostgres('Runs in one database', () => {
  it('are told apart by account and content, and shared by machines with the same account', async () => {
    const [cli, other, service] = [createCli(), createCli(), await startRotatingService()]
    const database = await createTestDatabase()
    service.give('key-a', 'marketplace')
    service.give('key-b', 'ownedfleet')
    const words = (dir: string) => [
      'deliveries',
      'create',
      '--file',
      join(dir, 'orders.ndjson'),
      '--results',
      database.address,
    ]
    const env = (key: string) => ({
      ...database.env,
      DLV_BASE_URL: service.baseUrl,
      DLV_API_KEY: key,
      DLV_ENVIRONMENT: 'sandbox',
    })
    const folder = (...references: string[]) => {
      const dir = createTempDir()
      writeFileSync(join(dir, 'orders.ndjson'), references.map((one) => JSON.stringify(testOrder(one))).join('\n'))
      return dir
    }
    const [one, two] = [folder('A-1', 'A-2'), folder('A-3', 'A-4')]
    const run = async (who: Cli, dir: string, key: string) => {
      const ended = await who.run([...words(dir), '-o', 'ndjson'], { env: env(key) })
      return [
        ended.exitCode,
        jsonLines<{ clientOrderReference: string }>(ended.stdout).map((row) => row.clientOrderReference),
      ]
    }
    expect(await run(cli, one, 'key-a')).toEqual([0, ['A-1', 'A-2']])
    expect(await run(cli, two, 'key-a')).toEqual([0, ['A-3', 'A-4']])
    expect(await run(cli, one, 'key-b')).toEqual([0, ['A-1', 'A-2']])
    // Another machine with the same key, and with a rotated one, finds the runs settled.
    expect(await run(other, one, 'key-a')).toEqual([0, []])
    service.give('key-2', 'marketplace')
    expect(await run(cli, two, 'key-2')).toEqual([0, []])
    expect(await run(other, two, 'key-2')).toEqual([0, []])
    expect(await run(createCli(), one, 'key-2')).toEqual([0, []])
    const shown = async (key: string, dir: string) =>
      (
        await cli.json<{ clientOrderReference: string }[]>(
          ['deliveries', 'results', '--results', database.address, '--file', join(dir, 'orders.ndjson')],
          { env: env(key) },
        )
      ).map(({ clientOrderReference }) => clientOrderReference)
    expect([await shown('key-a', one), await shown('key-a', two)]).toEqual([
      ['A-1', 'A-2'],
      ['A-3', 'A-4'],
    ])
    const nothing = await createCli().run(['deliveries', 'results', '--results', database.address], {
      env: env('key-c'),
    })
    expect(nothing.stderr).toContain('holds no run yet; 3 runs are of other accounts')
    const sync = (who: Cli, key: string) => who.run(['sync', '--to', database.address], { env: env(key) })
    expect((await sync(cli, 'key-a')).exitCode).toBe(0)
    expect((await sync(cli, 'key-b')).exitCode).toBe(0)
    expect((await sync(other, 'key-2')).exitCode).toBe(0)
    const copied = await database.sql(
      'SELECT count(*)::int AS n FROM dlv_archive.deliveries GROUP BY account ORDER BY 1',
    )
    expect(copied).toEqual([{ n: 2 }, { n: 4 }])
    const stored = await database.sql('SELECT keys FROM dlv.accounts')
    expect(JSON.stringify(stored)).not.toContain('key-')
  })
})
