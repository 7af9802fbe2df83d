import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { type RotatingService, startRotatingService } from '../support/sandbox/rotating-service.js'

function add(
  cli: Cli,
  { baseUrl }: Pick<RotatingService, 'baseUrl'>,
  name: string,
  key: string,
  environment = 'sandbox',
) {
  const words = ['profiles', 'add', name, '-e', environment, '--base-url', baseUrl, '--api-key-stdin']
  return cli.run([...words, '--no-keychain'], { stdin: key })
}

/** Two accounts with an order each, one whose key is revoked, and one whose service is away. */
async function severalAccounts() {
  const [cli, service] = [createCli(), await startRotatingService()]
  service.give('key-a', 'marketplace')
  service.give('key-b', 'ownedfleet')
  for (const [name, key] of [
    ['acme-east', 'key-a'],
    ['acme-west', 'key-b'],
    ['revoked', 'key-c'],
  ] as const)
    await add(cli, service, name, key)
  await add(cli, { baseUrl: 'http://127.0.0.1:9/delivery/v1' }, 'away', 'key-d')
  for (const name of ['acme-east', 'acme-west']) {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', `${name}-1`, '-q', '-P', name]
    expect(await cli.run(words)).toMatchObject({ exitCode: 0 })
  }
  return { cli, service }
}

const list = ['deliveries', 'list']
const pairs = (text: string) =>
  jsonLines(text).map(({ profile, clientOrderReference }) => [profile, clientOrderReference])
/** Newest first, whichever account it is of. */
const both = [
  ['acme-west', 'acme-west-1'],
  ['acme-east', 'acme-east-1'],
]

it('What reads is asked for several accounts by a comma, a pattern or a variable, and each row has its account', async () => {
  const { cli } = await severalAccounts()
  for (const [words, env] of [
    [['-P', 'acme-east,acme-west'], {}],
    [['--profile=acme-*'], {}],
    [[], { DLV_PROFILE: 'acme-*' }],
    // The variables of one account serve none of several.
    [['-P', 'acme-*'], { DLV_API_KEY: 'key-a', DLV_ENVIRONMENT: 'production' }],
  ] as const)
    expect(pairs((await cli.run([...list, ...words, '-o', 'ndjson'], { env })).stdout)).toEqual(both)

  const one = await cli.run([...list, '-P', 'acme-e*', '-o', 'ndjson'])
  expect(pairs(one.stdout)).toEqual(both.slice(1))
  const filtered = await cli.run([...list, '-P', 'acme-*', '--jq', '.[] | .profile + " " + .clientOrderReference'])
  expect(filtered.stdout).toBe('acme-west acme-west-1\nacme-east acme-east-1\n')
  // A list without times takes turns, so that a limit leaves no account out.
  const bases = await cli.run(['installations', 'list', '-P', 'acme-*', '--limit', '3', '--jq', '.[].profile'])
  expect(bases.stdout).toBe('acme-east\nacme-west\nacme-east\n')
  expect((await cli.run([...list, '-P', 'acme-*', '-o', 'csv'])).stdout.split('\n')[0]).toMatch(/^profile,/)
  expect(jsonLines((await cli.run([...list, '-P', 'acme-east', '-o', 'ndjson'])).stdout)[0]).not.toHaveProperty(
    'profile',
  )
})

it('An account that fails hides nothing of the others, is named, and the exit code is the gravest', async () => {
  const { cli } = await severalAccounts()
  const [all, away] = await Promise.all([
    cli.run([...list, '--all-profiles', '-o', 'ndjson', '--timeout', '5s']),
    cli.run([...list, '-P', 'acme-east,away', '--timeout', '5s']),
  ])
  expect(pairs(all.stdout)).toEqual(both)
  expect(all.exitCode).toBe(3)
  expect(
    jsonLines(all.stderr)
      .map(({ profile }) => profile)
      .toSorted(),
  ).toEqual(['away', 'revoked'])
  expect(away).toMatchObject({ exitCode: 8, stderr: expect.stringMatching(/^away: /m) })
})

/** The commands that take several accounts: all of them read. Every other command of the program is refused. */
const reading = new Set([
  ...[
    'deliveries:board',
    'deliveries:get',
    'deliveries:list',
    'deliveries:open',
    'deliveries:proof',
    'deliveries:results',
    'deliveries:watch',
  ],
  ...['doctor', 'drift', 'drivers:get', 'drivers:list', 'events:list', 'events:tail', 'explain', 'health'],
  ...[
    'installations:list',
    'query',
    'quotes:create',
    'report',
    'sync',
    'teams:list',
    'webhooks:gaps',
    'webhooks:listen',
  ],
  ...['webhooks:log', 'webhooks:status', 'webhooks:targets:list'],
  // Its tools that write take one account each: mcp-accounts.test.ts.
  ...['mcp', 'ui'],
])

/** What is typed behind a command that writes, where its arguments alone would send nothing. */
const typed: Readonly<Record<string, readonly (readonly string[])[]>> = {
  api: [
    ['POST', '/deliveries'],
    ['-X', 'POST', '/deliveries', '--yes'],
    ['DELETE', '/deliveries/del_1'],
    ['GET', '/deliveries'],
  ],
  'deliveries:create': [
    ['--file', 'examples/order.json', '--ref', 'X', '--yes'],
    ['--file', 'examples/order.json', '--dry-run'],
  ],
  'deliveries:cancel': [['del_1', '--yes']],
  'deliveries:update': [['del_1', '--tip-cents', '500', '--yes']],
  'events:replay': [['--since', '1h', '--to', 'http://127.0.0.1:9']],
  simulate: [['del_1', 'delivered', '--yes']],
  'profiles:secrets:add': [['whsec_new']],
  'sandbox:faults': [['add', 'GET /health', '--status', '500']],
  'sandbox:policy': [['FTBRAGG', '--set', 'fpconLevel=delta']],
  'webhooks:resend': [['evt_1', '--to', 'http://127.0.0.1:9']],
  'webhooks:send': [['--url', 'http://127.0.0.1:9']],
}

interface ManifestCommand {
  args?: Readonly<Record<string, { required?: boolean }>>
}

it('Every command that writes is refused with several accounts; nothing is sent', async () => {
  const { cli, service } = await severalAccounts()
  service.requests.splice(0)
  const { commands } = JSON.parse(readFileSync('oclif.manifest.json', 'utf8'))
  const all = Object.entries(commands as Readonly<Record<string, ManifestCommand>>)
  expect([...reading].filter((id) => !(id in commands))).toEqual([])
  for (const [id, { args = {} }] of all.filter(([id]) => !reading.has(id) && id !== '__complete')) {
    const required = Object.entries(args).flatMap(([name, { required }]) => (required ? [`${name}-1`] : []))
    for (const words of typed[id] ?? [required, [...required, '--yes']])
      for (const chosen of [['-P', 'acme-east,acme-west'], ['--profile=acme-*']]) {
        const refused = await cli.run([...id.split(':'), ...words, ...chosen])
        expect([id, words, refused]).toMatchObject([
          id,
          words,
          { exitCode: 2, stdout: '', stderr: expect.stringContaining('takes one account, and 2 were asked for') },
        ])
      }
    // A variable chooses them as well, for all but what uses no account and would do its work here.
    const [first] = id.startsWith('profiles:') ? [] : (typed[id] ?? [])
    if (first === undefined) continue
    const byVariable = await cli.run([...id.split(':'), ...first, '--no-input'], { env: { DLV_PROFILE: 'acme-*' } })
    expect([id, byVariable]).toMatchObject([id, { exitCode: 2, stdout: '' }])
  }
  expect(service.requests).toEqual([])
})

it('A variable that names several accounts means nothing to commands that use none', async () => {
  const { cli } = await severalAccounts()
  const env = { DLV_PROFILE: 'acme-*' }
  for (const words of [
    ['profiles', 'list'],
    ['alias', 'list'],
    ['completion', 'bash'],
    ['openapi'],
    ['deliveries', 'map', 'test/fixtures/none.csv'],
    ['profiles', 'show', 'acme-west'],
    ['profiles', 'secrets', 'list', '-P', 'acme-east'],
    ['webhooks', 'receiver', 'express'],
    ['profiles', 'use', 'acme-east'],
  ])
    expect([words, (await cli.run(words, { env })).stderr]).toEqual([
      words,
      expect.not.stringMatching(/takes one account|Profile "acme/),
    ])
  expect(await cli.run(['capabilities'], { env })).toMatchObject({ exitCode: 2 })
})

it('Environments are not mixed by a pattern; nothing is sent', async () => {
  const { cli, service } = await severalAccounts()
  await add(cli, service, 'acme-live', 'key-b', 'production')
  service.requests.splice(0)
  for (const words of [
    ...[['-P', 'acme-*'], ['--all-profiles']],
    // Nor by two patterns, nor by one beside a name.
    ...[['-P', 'acme-e*,*-live'], ['-P', 'acme-live,acme-w*'], ['--profile=acme-east,*-live']],
  ])
    expect(await cli.run([...list, ...words])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/mix production \(acme-live\) with sandbox/),
    })
  for (const words of [
    ['-P', 'acme-east,nobody'],
    ['-P', 'zeta-*'],
    ['-P', 'acme-east,', '--base-url', service.baseUrl],
  ])
    expect(await cli.run([...list, ...words])).toMatchObject({ exitCode: 2, stdout: '' })
  expect(service.requests).toEqual([])
  const named = await cli.run([...list, '-P', 'acme-east,acme-live', '-o', 'ndjson'])
  expect(pairs(named.stdout).map(([profile]) => profile)).toEqual(['acme-live', 'acme-east'])
})

it('What has rows of its own, such as quotes and differences, has them with their account in every format', async () => {
  const { cli, service } = await severalAccounts()
  const quotes = ['quotes', 'create', '--file', 'examples/order.json']
  const one = (await cli.run([...quotes, '-P', 'acme-east', '-o', 'csv'])).stdout.trim().split('\n')
  const both = await cli.run([...quotes, '-P', 'acme-east,acme-west', '-o', 'csv'])
  expect(both.stdout.split('\n')[0]).toBe(`profile,${one[0]}`)
  expect(
    both.stdout
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => /^acme-east,q\w+,\d+,USD,/.test(line)),
  ).toHaveLength(one.length - 1)
  expect((await cli.run([...quotes, '-P', 'acme-east,', '-q'])).stdout.trim().split('\n')).toHaveLength(one.length - 1)

  // What writes takes one account, and a key that is not known tells nothing of the service.
  service.requests.splice(0)
  const drift = await cli.run(['drift', '-P', 'acme-east,revoked', '-o', 'ndjson'])
  expect(drift.exitCode).toBe(3)
  expect(jsonLines(drift.stdout).map(({ profile }) => profile)).toEqual(['acme-east'])
  expect(drift.stderr).toContain('several accounts were asked for')
  expect(service.requests.filter((request) => /(?:POST|PATCH|DELETE) .*(?:deliveries|quotes)/.test(request))).toEqual(
    [],
  )
})

it('Two profiles of one account are named, and share the archive without waiting for each other', async () => {
  const { cli, service } = await severalAccounts()
  await add(cli, service, 'acme-twin', 'key-a')
  const words = ['report', '-P', 'acme-east,acme-twin,acme-west', '-o', 'ndjson']
  const { exitCode, stdout, stderr } = await cli.run(words)
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/acme-east and acme-twin/)])
  expect(stderr).not.toMatch(/[Ww]aiting|being written/)
  expect(jsonLines(stdout).map(({ profile }) => profile)).toEqual(['acme-east', 'acme-twin', 'acme-west'])
  // One delivery by two names of its account is one.
  const got = await cli.run(['deliveries', 'get', 'acme-east-1', '-P', 'acme-twin,acme-east,acme-west', '-o', 'ndjson'])
  expect([got.exitCode, pairs(got.stdout)]).toEqual([0, [['acme-twin', 'acme-east-1']]])
})
