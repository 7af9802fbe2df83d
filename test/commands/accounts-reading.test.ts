import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { type Cli, createCli, type Ended } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { answering, create, startAccounts } from '../support/sandbox/five-accounts.js'

const orders = 100
const everybody = ['-P', [...answering, 'revoked', 'broken'].join(','), '--timeout', '3s']

/** How many lines each account has. */
function countsOf(ended: Ended): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { profile } of jsonLines(ended.stdout)) counts[String(profile)] = (counts[String(profile)] ?? 0) + 1
  return counts
}

const each = (count: number) => Object.fromEntries(answering.map((name) => [name, count]))
/** The accounts whose errors were printed; notices are plain lines. */
function failing({ stderr }: Ended): unknown[] {
  const errors = stderr.split('\n').filter((line) => line.includes('"error":'))
  return [...new Set(jsonLines(errors.join('\n')).map(({ profile }) => profile))].toSorted()
}

/** Another name for the account of a profile. */
function copyProfile(cli: Cli, name: string, other: string): void {
  const file = join(cli.home, '.config', 'dlv', 'config.json')
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  kept.profiles[other] = kept.profiles[name]
  writeFileSync(file, JSON.stringify(kept))
}

it('Whatever reads shows all accounts that answer and names those that fail, and the exit code is the gravest', async () => {
  const cli = createCli()
  const sandboxes = await startAccounts(cli, { orders })
  const cases: [words: string[], count: number][] = [
    [['deliveries', 'list', '--all'], orders],
    [['deliveries', 'board'], orders],
    [['report'], 1],
    [['webhooks', 'gaps'], 0],
  ]
  for (const [words, count] of cases) {
    const ended = await cli.run([...words, ...everybody, '-o', 'ndjson'])
    expect([words, ended.exitCode, failing(ended)]).toEqual([words, 3, ['broken', 'revoked']])
    if (count > 0) expect([words, countsOf(ended)]).toEqual([words, each(count)])
  }

  // One statement asks all archives: also more files than SQLite attaches, which a second name of each makes.
  const joined = 'select d.profile, count(*) n from deliveries d join events e using (profile, delivery_id) group by 1'
  for (const name of answering) copyProfile(cli, name, `${name}-2`)
  const twice = [...answering, ...answering.map((name) => `${name}-2`), 'revoked']
  for (const more of [[], ['--people']]) {
    const asked = await cli.run(['query', joined, '-P', twice.join(','), ...more, '-o', 'ndjson'])
    expect(countsOf(asked)).toEqual(Object.fromEntries(twice.slice(0, -1).map((name) => [name, 1])))
    expect([asked.exitCode, failing(asked)]).toEqual([2, ['revoked']])
  }

  const byProfile = await cli.run(['report', '--by', 'profile', ...everybody, '--jq', '.by[] | [.key, .deliveries]'])
  expect([byProfile.exitCode, jsonLines(byProfile.stdout)]).toEqual([3, answering.map((name) => [name, orders])])
  const file = join(cli.home, 'report.html')
  await cli.run(['report', ...everybody, '--html', file])
  const page = readFileSync(file, 'utf8')
  expect([...page.matchAll(/<label for="account-\d">([^<]+)</g)].map(([, name]) => name)).toEqual([
    'All accounts',
    ...answering,
  ])

  const tail = cli.start(['events', 'tail', ...everybody, '--since', '1h', '--interval', '200ms', '-o', 'ndjson'])
  for (const name of answering) await tail.hasPrinted(`"${name}-${orders - 1}"`)
  const [east] = sandboxes.values()
  if (east !== undefined) await create(east, 'acme-east-new')
  await tail.line((line) => line.includes('"acme-east-new"'))
  await tail.hasPrinted('"revoked"')
  await tail.hasPrinted('"broken"')
  const ended = await tail.kill('SIGINT')
  expect(countsOf(ended)).toEqual({ ...each(orders), 'acme-east': orders + 1 })
  expect(failing(ended)).toEqual(['broken', 'revoked'])
  const own = jsonLines(ended.stdout).every(({ profile, data }) =>
    JSON.stringify(data).includes(`"clientOrderReference":"${profile}-`),
  )
  expect(own).toBe(true)
  expect(ended.exitCode).toBe(3)
})

it('A list with --exit-code ends with 9 by what it found of the account that cannot be read, whichever that is', async () => {
  const cli = createCli()
  const names = ['acme', 'bolt']
  const sandboxes = await Promise.all(names.map(() => startSandbox({ rateLimit: 'off' })))
  for (const [at, { baseUrl, apiKey }] of sandboxes.entries()) {
    const name = String(names[at])
    const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', baseUrl, '--api-key-stdin', '--no-keychain']
    await cli.run(words, { stdin: apiKey })
    const created = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', `${name}-1`, '-P', name]
    const { deliveryId } = await cli.json<{ deliveryId: string }>(created)
    for (const status of ['driver_assigned', 'failed'])
      await cli.json(['simulate', deliveryId, '--to', status, '-P', name])
    await cli.run(['sync', '-P', name])
  }
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()))
  const list = (...more: string[]) =>
    cli.run(['deliveries', 'list', '--problem', '--exit-code', '-P', 'acme,bolt', ...more])
  const found = await list()
  expect(found.exitCode).toBe(9)
  expect(found.stdout.trim().split('\n')).toHaveLength(2)
  expect(found.stderr).not.toContain('needs it')
  const none = await list('--store', 'NO-STORE')
  expect([none.exitCode, none.stderr.match(/(acme|bolt): .*needs it: exit code 8/g)?.length]).toEqual([8, 2])
})
