import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { jsonLines } from '../support/json-lines.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'

const columns =
  'profile,clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone'
const names = ['east', 'west', 'south']
const rowOf = (profile: string, reference: string) =>
  `${profile},${reference},STORE-001,"418 Ramsey Street, Fayetteville, NC 28301",Dana Whitfield,+19105550147`

/** An account behind a socket that notes what it is sent. */
interface Account {
  sandbox: RunningSandbox
  /** `METHOD status` of each request. */
  answers: string[]
}

async function addAccount(
  cli: Cli,
  name: string,
  rateLimit: number | 'off',
  more: readonly string[] = ['-e', 'sandbox'],
) {
  const sandbox = await startSandbox({ rateLimit })
  onTestFinished(() => sandbox.close())
  const answers: string[] = []
  const origin = await startHttpServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const answer = await sandbox.fetch(
      new Request(new URL(String(request.url), sandbox.baseUrl), {
        method: request.method ?? 'GET',
        headers: new Headers(request.headers as Record<string, string>),
        ...(body.length === 0 ? {} : { body }),
      }),
    )
    answers.push(`${request.method} ${answer.status}`)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  })
  const baseUrl = `${origin}${new URL(sandbox.baseUrl).pathname}`
  const words = ['profiles', 'add', name, ...more, '--base-url', baseUrl, '--api-key-stdin', '--no-keychain']
  const added = await cli.run(words, { stdin: sandbox.apiKey })
  if (added.exitCode !== 0) throw new Error(added.stderr)
  // Adding it has asked whether the key is a live one.
  answers.splice(0)
  return { sandbox, answers } satisfies Account
}

async function threeAccounts() {
  const cli = createCli()
  const accounts = new Map<string, Account>()
  for (const [at, name] of names.entries())
    accounts.set(name, await addAccount(cli, name, [40, 100, 'off' as const][at] ?? 'off'))
  return { cli, accounts }
}

const ordersOf = (cli: Cli, name: string) =>
  cli.json<{ clientOrderReference: string }[]>(['deliveries', 'list', '--from', '1h', '--all', '-P', name])
const sent = (accounts: ReadonlyMap<string, Account>) =>
  [...accounts.values()].flatMap(({ answers }) => answers.filter((answer) => answer.startsWith('POST')))

it('A sheet over three accounts, killed and run again, is as many deliveries as rows, each in its account', async () => {
  const { cli, accounts } = await threeAccounts()
  const file = join(cli.home, 'orders.csv')
  const rows = Array.from({ length: 300 }, (_, at) => rowOf(names[at % 3] ?? '', `S-${at}`))
  writeFileSync(file, [columns, ...rows].join('\n'))
  const results = `${file}.results.ndjson`

  const killed = cli.startProcess(['deliveries', 'create', '--file', file, '-o', 'ndjson'])
  await killed.line((line) => line.includes('"profile":"east"'))
  await killed.kill('SIGKILL')
  const begun = (await Promise.all(names.map((name) => ordersOf(cli, name)))).flat().length
  expect(begun).toBeLessThan(300)

  const ended = await cli.run(['deliveries', 'create', '--file', file, '-o', 'ndjson'])
  expect(ended).toMatchObject({ exitCode: 0 })
  const read = jsonLines((await cli.run(['deliveries', 'results', '--file', file, '-o', 'ndjson'])).stdout)
  expect(read.map(({ row, profile }) => [row, profile])).toEqual(rows.map((_, at) => [at + 1, names[at % 3]]))
  const ofWest = await cli.run(['deliveries', 'results', '--file', file, '-o', 'ndjson', '-P', 'west'])
  expect(new Set(jsonLines(ofWest.stdout).map(({ profile }) => profile))).toEqual(new Set(['west']))
  for (const [at, name] of names.entries()) {
    const own = (await ordersOf(cli, name)).map(({ clientOrderReference }) => clientOrderReference)
    expect(own.toSorted()).toEqual(rows.flatMap((_, row) => (row % 3 === at ? [`S-${row}`] : [])).toSorted())
    const refused = accounts.get(name)?.answers.filter((answer) => answer.endsWith(' 429')) ?? []
    expect([name, refused.length < 5]).toEqual([name, true])
  }
  // A row that has moved to another account is that account's order.
  writeFileSync(file, [columns, rowOf('west', 'S-0'), ...rows.slice(1)].join('\n'))
  expect((await cli.run(['deliveries', 'create', '--file', file])).exitCode).toBe(0)
  expect((await ordersOf(cli, 'west')).length).toBe(101)
  expect(readFileSync(results, 'utf8')).toContain('"profile":"west"')
})

it('A profile that is not there, is blank, or is production without --yes is told before anything is sent', async () => {
  const { cli, accounts } = await threeAccounts()
  accounts.set('live', await addAccount(cli, 'live', 'off', ['-e', 'production']))
  const file = join(cli.home, 'orders.csv')
  const write = (at: number, profile: string) => {
    const rows = Array.from({ length: 300 }, (_, row) => rowOf(row === at ? profile : 'east', `B-${row}`))
    writeFileSync(file, [columns, ...rows].join('\n'))
  }
  for (const [profile, said] of [
    ['eats', 'Row 200 (line 201): no profile "eats"'],
    ['', 'Row 200 (line 201): no profile is named'],
    ['live', 'Row 200 (line 201): "live" is a production account'],
    ['ea*', 'no profile "ea*"'],
    ['east;west', 'no profile "east;west"'],
  ] as const) {
    write(199, profile)
    for (const words of [['create'], ['cancel'], ['update']]) {
      const refused = await cli.run(['deliveries', ...words, '--file', file])
      expect([profile, refused.exitCode, refused.stderr]).toEqual([profile, 2, expect.stringContaining(said)])
    }
  }
  // A column that is blank in the first rows, or in all, leaves no row to the account in use; nor does a name in the last row.
  const json = (profile: string | undefined, at: number) =>
    JSON.stringify({ ...order, clientOrderReference: `J-${at}`, profile })
  const [json1, json2] = [json(undefined, 1), json('west', 2)]
  for (const [kind, text] of [
    ['late', [columns, rowOf('', 'F-1'), rowOf('', 'F-2'), rowOf('east', 'F-3')].join('\n')],
    [
      'long',
      [columns, ...Array.from({ length: 900 }, (_, at) => rowOf(at < 899 ? ' ' : 'east', `F-${at}`))].join('\n'),
    ],
    ['blank', [columns, rowOf('', 'F-1'), rowOf('', 'F-2')].join('\n')],
    ['lines', `${json1}\n${json2}`],
    ['long lines', [...Array.from({ length: 400 }, () => json1), json2].join('\n')],
    ['array', `[${[...Array.from({ length: 400 }, () => json1), json2].join()}]`],
  ] as const) {
    writeFileSync(file, text)
    const refused = await cli.run(['deliveries', 'create', '--file', file], { env: { DLV_PROFILE: 'east' } })
    expect([kind, refused.exitCode, refused.stderr]).toEqual([kind, 2, expect.stringContaining('no profile is named')])
  }
  // One whose name comes late in rows that name none is no order of the account in use.
  const mixed = [
    { ...order, clientOrderReference: 'L-1' },
    { ...order, clientOrderReference: 'L-2', profile: 'west' },
  ]
  const text = mixed.map((row) => JSON.stringify(row)).join('\n')
  const single = await cli.run(['deliveries', 'create', '--file', '-', '--dry-run', '-P', 'east'], { stdin: text })
  expect(`${single.stdout}${single.stderr}`).toMatch(/the row belongs to|no profile is named/)
  expect(sent(accounts)).toEqual([])
})

const order = {
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: '418 Ramsey Street, Fayetteville, NC 28301',
    contactName: 'Dana Whitfield',
    contactPhone: '+19105550147',
  },
}

it('Rows of a named pipe without their account go to none, unless one is chosen for them', async () => {
  const cli = createCli()
  const { answers } = await addAccount(cli, 'east', 'off')
  await cli.run(['profiles', 'use', 'east'])
  const pipe = join(cli.home, 'pipe')
  execFileSync('mkfifo', [pipe])
  const create = async (text: string, ...words: string[]) => {
    const written = writeFile(pipe, text)
    const { exitCode, stdout } = await cli.run(['deliveries', 'create', '--file', pipe, '-o', 'ndjson', ...words])
    await written
    return [exitCode, ...jsonLines(stdout).map(({ outcome, error }) => error?.message ?? outcome)]
  }
  const posts = () => answers.filter((answer) => answer.startsWith('POST')).length
  const none = expect.stringContaining('no profile is named')
  const sheet = [columns, rowOf('', 'F-1'), rowOf(' ', 'F-2')].join('\n')
  expect(await create(sheet)).toEqual([9, none, none])
  expect(await create(JSON.stringify([{ ...order, profile: '', clientOrderReference: 'F-3' }]))).toEqual([9, none])
  expect(posts()).toBe(0)
  expect(await create(sheet, '-P', 'east')).toEqual([0, 'created', 'created'])
  expect(await create(JSON.stringify([{ ...order, clientOrderReference: 'F-4' }]))).toEqual([0, 'created'])
})

it('Rows of JSON, of a pipe and of a list that dlv printed go to their accounts, and what repairs them too', async () => {
  const { cli, accounts } = await threeAccounts()
  const rows = names.map((profile) => ({ ...order, profile, clientOrderReference: 'SAME' }))
  const piped = await cli.run(['deliveries', 'create', '--file', '-', '-o', 'ndjson'], { stdin: JSON.stringify(rows) })
  expect(
    jsonLines(piped.stdout)
      .map(({ profile, outcome }) => [profile, outcome])
      .toSorted(),
  ).toEqual(names.map((name) => [name, 'created']).toSorted())
  const file = join(cli.home, 'sheet.csv')
  writeFileSync(
    file,
    [columns.replace('profile', 'Merchant'), rowOf('east', 'M-1'), rowOf('west', 'M-2').replace('+1910', '1')].join(
      '\n',
    ),
  )
  const rejects = join(cli.home, 'rejected.csv')
  const mapped = await cli.run([
    'deliveries',
    'create',
    '--file',
    file,
    '--map',
    'Merchant=profile',
    '--rejects',
    rejects,
  ])
  expect(mapped.exitCode).toBe(9)
  expect(readFileSync(rejects, 'utf8')).toMatch(/^Merchant,.*\nwest,M-2/)

  const list = await cli.run(['deliveries', 'list', '-P', names.join(','), '--from', '1h', '-o', 'csv'])
  const changes = jsonLines((await cli.run(['deliveries', 'list', '-P', 'east,west', '-o', 'ndjson'])).stdout).map(
    ({ profile, deliveryId }) => JSON.stringify({ profile, deliveryId, tipAmountCents: 100 }),
  )
  const updated = await cli.run(['deliveries', 'update', '-', '-o', 'ndjson'], { stdin: changes.join('\n') })
  expect([updated.exitCode, jsonLines(updated.stdout).length]).toEqual([0, 3])
  const cancelled = await cli.run(['deliveries', 'cancel', '-'], { stdin: list.stdout })
  expect(cancelled.exitCode).toBe(0)
  const left = await cli.run(['deliveries', 'list', '-P', names.join(','), '--active', '-o', 'ndjson'])
  expect(left.stdout).toBe('')
  const quoted = await cli.run(['quotes', 'create', '--file', '-', '-o', 'ndjson'], { stdin: JSON.stringify(rows) })
  expect(
    jsonLines(quoted.stdout)
      .map(({ profile }) => profile)
      .toSorted(),
  ).toEqual(names.toSorted())
  for (const { answers } of accounts.values()) expect(answers).toContain('POST 201')
})

it('An account that refuses its key stops its own rows only', async () => {
  const { cli, accounts } = await threeAccounts()
  await cli.run(
    [
      'profiles',
      'add',
      'south',
      '-e',
      'sandbox',
      '--api-key-stdin',
      '--no-keychain',
      '--base-url',
      'http://127.0.0.1:9/delivery/v1',
    ],
    { stdin: 'dlvk_other' },
  )
  const file = join(cli.home, 'orders.csv')
  writeFileSync(file, [columns, ...names.map((name) => rowOf(name, `K-${name}`))].join('\n'))
  const ended = await cli.run(['deliveries', 'create', '--file', file, '-o', 'ndjson', '--timeout', '2s'])
  expect(
    jsonLines(ended.stdout)
      .map(({ profile, outcome }) => [profile, outcome])
      .toSorted(),
  ).toEqual([
    ['east', 'created'],
    ['west', 'created'],
  ])
  expect(ended.exitCode).toBeGreaterThan(0)
  expect(ended.stderr).toMatch(/^south: /m)
  expect(sent(accounts)).toEqual(['POST 201', 'POST 201'])
})

describeOnPostgres('A record of results that several machines share', () => {
  it('holds the rows of all accounts of a sheet, which is killed on one machine and ended on another', async () => {
    const { cli, accounts } = await threeAccounts()
    const database = await createTestDatabase()
    const file = join(cli.home, 'orders.csv')
    const rows = Array.from({ length: 90 }, (_, at) => rowOf(names[at % 3] ?? '', `P-${at}`))
    writeFileSync(file, [columns, ...rows].join('\n'))
    const create = ['deliveries', 'create', '--file', file, '--results', database.address, '-o', 'ndjson']

    const killed = cli.startProcess(create, { env: database.env })
    await killed.line((line) => line.includes('"profile":"east"'))
    await killed.kill('SIGKILL')

    // Another machine with the same profiles, and none of the files of the first.
    const other = createCli()
    cpSync(join(cli.home, '.config'), join(other.home, '.config'), { recursive: true })
    const ended = await other.run(create, { env: database.env })
    expect([ended.exitCode, ended.stderr]).toEqual([0, expect.any(String)])
    for (const [at, name] of names.entries()) {
      const own = (await ordersOf(other, name)).map(({ clientOrderReference }) => clientOrderReference)
      expect(own.toSorted()).toEqual(rows.flatMap((_, row) => (row % 3 === at ? [`P-${row}`] : [])).toSorted())
    }
    const created = sent(accounts).filter((answer) => answer === 'POST 201')
    expect(created).toHaveLength(rows.length)
    const words = ['deliveries', 'results', '--file', file, '--results', database.address, '-o', 'ndjson']
    const whole = await other.run([...words, '-P', names.join(',')], { env: database.env })
    const read = jsonLines(whole.stdout).map(({ row, profile }) => [row, profile])
    expect(read).toEqual(rows.map((_, at) => [at + 1, names[at % 3]]))
    const ofOne = await other.run([...words, '-P', 'west'], { env: database.env })
    expect(jsonLines(ofOne.stdout)).toHaveLength(30)
    expect(ofOne.stderr).toContain('the rows of west')
    const again = await other.run(create, { env: database.env })
    expect([again.exitCode, sent(accounts).filter((answer) => answer === 'POST 201').length]).toEqual([0, rows.length])
  })
})
