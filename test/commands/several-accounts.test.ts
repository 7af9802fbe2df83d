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
  expect((await cli.run([...list, '-P', 'acme-*', '-o', 'csv'])).stdout.split('\n')[0]).toMatch(/^profile,/)
  expect(jsonLines((await cli.run([...list, '-P', 'acme-east', '-o', 'ndjson'])).stdout)[0]).not.toHaveProperty(
    'profile',
  )
})

it('An account that fails hides nothing of the others, is named, and the exit code is the gravest', async () => {
  const { cli } = await severalAccounts()
  const all = await cli.run([...list, '--all-profiles', '-o', 'ndjson', '--timeout', '5s'])
  expect(pairs(all.stdout)).toEqual(both)
  expect(all.exitCode).toBe(3)
  expect(
    jsonLines(all.stderr)
      .map(({ profile }) => profile)
      .toSorted(),
  ).toEqual(['away', 'revoked'])
  const away = await cli.run([...list, '-P', 'acme-east,away', '--timeout', '5s'])
  expect(away).toMatchObject({ exitCode: 8, stderr: expect.stringMatching(/^away: /m) })
})

it('A write is refused with several accounts, and environments are not mixed by a pattern; nothing is sent', async () => {
  const { cli, service } = await severalAccounts()
  await add(cli, service, 'acme-live', 'key-b', 'production')
  service.requests.splice(0)
  for (const words of [
    ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'X'],
    ['deliveries', 'cancel', 'del_1', '--yes'],
    ['deliveries', 'update', 'del_1', '--tip', '5'],
    ['simulate', 'del_1', 'delivered'],
    ['webhooks', 'resend', 'evt_1', '--to', 'http://127.0.0.1:9'],
    ['webhooks', 'targets', 'remove', 'http://127.0.0.1:9'],
    ['events', 'replay', '--since', '1h', '--to', 'http://127.0.0.1:9'],
    ['sandbox', 'reset', '--yes'],
    ['sandbox', 'seed'],
    ['sandbox', 'rotate-secret'],
    ['sandbox', 'accounts', 'add', 'new'],
    ['sandbox', 'accounts', 'remove', 'new', '--yes'],
    ['sandbox', 'endpoints', 'add', 'http://127.0.0.1:9'],
    ['sandbox', 'policy', 'FTBRAGG', '--set', 'fpconLevel=delta'],
    ['api', 'POST', '/deliveries'],
  ]) {
    const refused = await cli.run([...words, '-P', 'acme-east,acme-west'])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('takes one account') })
  }
  for (const words of [['-P', 'acme-*'], ['--all-profiles']])
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
