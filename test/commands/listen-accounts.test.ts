import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { newSecret, sampleEvent, sendEvent } from '../../src/webhooks/index.js'
import { type Cli, createCli, type Running } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { jsonLines } from '../support/json-lines.js'
import { create } from '../support/sandbox/five-accounts.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

type Line = Record<string, unknown>

const sandbox = serveSandbox()
let homes = 0

/** A person with accounts of one sandbox, each in a profile with its key and secret. */
async function personWith(...names: string[]) {
  const cli = createCli()
  const home = ++homes
  const secrets: Record<string, string> = {}
  for (const name of names) {
    const words = ['sandbox', 'accounts', 'add', `${name}-${home}`, '--profile', name]
    const added = await cli.json(words, { env: sandbox.env('dlvk_sbx_marketplace') })
    secrets[name] = String(added.webhookSecret)
  }
  return { cli, secrets, secretOf: (name: string) => secrets[name] ?? '' }
}

async function startListening(cli: Cli, profiles: string, ...words: string[]) {
  const running = cli.start(['webhooks', 'listen', '-P', profiles, '-o', 'ndjson', ...words])
  const ready = JSON.parse(await running.line((line) => JSON.parse(line).type === 'ready')) as { url: string }
  return { ...running, ...ready }
}

const eventsOf = (running: Pick<Running, 'lines'>) =>
  running
    .lines()
    .map((line) => JSON.parse(line) as Line)
    .filter(({ type }) => type === 'event')

function send(url: string, secret: string, eventId: string, type = 'delivery.delivered') {
  return sendEvent({ url, secrets: [secret], body: JSON.stringify(sampleEvent(type, { eventId })) })
}

const order = (cli: Cli, profile: string, ref: string) =>
  cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', ref, '-q', '-P', profile])

const logOf = async (cli: Cli, profile: string, ...words: string[]) =>
  (await cli.json<Line[]>(['webhooks', 'log', '--all', '-P', profile, ...words])).map(({ eventId }) => eventId)

for (const kept of ['in a file of each account', 'in one journal'])
  describe(`Webhooks of several accounts at one address, ${kept}`, () => {
    const journal = (cli: Cli) => (kept === 'in one journal' ? ['--journal', join(cli.home, 'all.db')] : [])

    it('belong to the account whose secret verifies them, in lines, the journal, forwards and the log', async () => {
      const { cli, secretOf } = await personWith('acme', 'bolt', 'cargo')
      const taken: string[] = []
      const target = await startHttpServer((request, response) => {
        taken.push(`${request.url} ${request.headers['webhook-id']}`)
        request.resume()
        response.end()
      })
      const listener = await startListening(
        cli,
        'acme,bolt',
        ...journal(cli),
        ...['--forward-to', `acme:${target}/acme`, '--forward-to', `bolt:delivery.*=${target}/bolt`],
      )
      expect(listener).toMatchObject({ journals: { acme: expect.any(String), bolt: expect.any(String) } })
      // The same id from two accounts is two events; one of them again is none.
      for (const name of ['acme', 'bolt', 'acme']) await send(listener.url, secretOf(name), 'evt_same')
      await send(listener.url, secretOf('bolt'), 'evt_driver', 'driver.created')
      const foreign = await send(listener.url, secretOf('cargo'), 'evt_cargo')
      expect(foreign).toMatchObject({ status: 401 })
      await until('the forwards', () => taken.length >= 2 && eventsOf(listener).length >= 4)
      expect(
        eventsOf(listener).map(({ profile, eventId, duplicate, secretCount }) => [
          profile,
          eventId,
          duplicate,
          secretCount,
        ]),
      ).toEqual([
        ['acme', 'evt_same', false, 1],
        ['bolt', 'evt_same', false, 1],
        ['acme', 'evt_same', true, 1],
        ['bolt', 'evt_driver', false, 1],
      ])
      expect(listener.lines().join()).not.toContain('"account"')
      const forwarded = jsonLines(listener.lines().join('\n')).filter(({ type }) => type === 'forwarded')
      expect(forwarded.map(({ profile, url }) => `${profile} ${url}`).toSorted()).toEqual([
        `acme ${target}/acme`,
        `bolt ${target}/bolt`,
      ])
      await listener.kill('SIGINT')
      expect(taken.toSorted()).toEqual(['/acme evt_same', '/bolt evt_same'])
      expect(listener.errors()).toMatch(/"acme sandbox" 2, "bolt sandbox" 2 \(4 in total\)/)

      expect(await logOf(cli, 'acme', ...journal(cli))).toEqual(['evt_same'])
      expect(await logOf(cli, 'bolt', ...journal(cli))).toEqual(['evt_same', 'evt_driver'])
      const usesOf = async (name: string, ...words: string[]) =>
        (await cli.json<{ lastUsedAt: string | null }[]>(['profiles', 'secrets', 'list', name, ...words])).map(
          ({ lastUsedAt }) => lastUsedAt !== null,
        )
      expect(await usesOf('acme', ...journal(cli))).toEqual([true])
      expect(await usesOf('bolt', ...journal(cli))).toEqual([true])
      const both = await cli.json<Line[]>(['webhooks', 'log', '--all', '-P', 'acme,bolt', ...journal(cli)])
      expect(both.map(({ profile, eventId }) => `${profile} ${eventId}`)).toEqual([
        'acme evt_same',
        'bolt evt_same',
        'bolt evt_driver',
      ])
    })

    it('are pulled for each account from its own position, once each, also after a pause', async () => {
      const { cli } = await personWith('acme', 'bolt')
      const words = ['acme,bolt', '--pull', ...journal(cli)] as const
      const first = await startListening(cli, ...words)
      for (const name of ['acme', 'bolt']) await order(cli, name, `${name}-1`)
      await until('the first events', () => eventsOf(first).length === 2)
      await first.kill('SIGINT')
      await order(cli, 'bolt', 'bolt-2')
      // An account that is listened for alone goes on where it was left.
      const alone = cli.start(['webhooks', 'listen', '-P', 'acme', '-o', 'ndjson', '--pull', ...journal(cli)])
      await order(cli, 'acme', 'acme-2')
      await alone.line((line) => JSON.parse(line).type === 'event')
      await alone.kill('SIGINT')
      const second = await startListening(cli, ...words)
      await until('the missed event', () => eventsOf(second).length === 1)
      await second.kill('SIGINT')
      const refs = (lines: Line[]) =>
        lines.map(({ profile, event }) => [
          profile,
          (event as { delivery: { clientOrderReference: string } }).delivery.clientOrderReference,
        ])
      expect(refs(eventsOf(first)).toSorted()).toEqual([
        ['acme', 'acme-1'],
        ['bolt', 'bolt-1'],
      ])
      expect(refs(eventsOf(second))).toEqual([['bolt', 'bolt-2']])
      for (const name of ['acme', 'bolt']) {
        expect(await logOf(cli, name, ...journal(cli))).toHaveLength(2)
        expect(await cli.json(['webhooks', 'status', '-P', name, ...journal(cli)])).toMatchObject({
          pull: { at: expect.any(String), error: null },
        })
      }
    })

    it('are pulled of each, also where the ids of one are those of the other', async () => {
      const cli = createCli()
      const nowMs = Date.now()
      const profiles = ['one', 'other']
      for (const name of profiles) {
        const twin = await startSandbox({ seed: 7, clock: { now: () => nowMs }, rateLimit: 'off' })
        onTestFinished(() => twin.close())
        const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', twin.baseUrl, '--api-key-stdin']
        await cli.run([...words, '--no-keychain'], { stdin: twin.apiKey })
        await create(twin, 'SAME-1')
      }
      const secrets = profiles.flatMap((name) => {
        const file = join(cli.home, `${name}.secret`)
        writeFileSync(file, newSecret())
        return ['--secret-file', `${name}:${file}`]
      })
      // One after the other, so that the second finds what the first has kept.
      const words = ['--pull', '--since', '1h', ...journal(cli)]
      const ids: unknown[] = []
      for (const name of profiles) {
        const listening = await startListening(cli, 'one,other', ...secrets, ...words)
        await until(`what ${name} has`, async () => (await logOf(cli, name, ...journal(cli))).length === 1)
        await listening.kill('SIGINT')
        ids.push(...(await logOf(cli, name, ...journal(cli))))
      }
      expect(ids[0]).toBe(ids[1])
    })
  })

it('A secret that comes while several are listened for is its account’s, and one that two then have stays where it was', async () => {
  const { cli, secretOf } = await personWith('acme', 'bolt')
  const listener = await startListening(cli, 'acme,bolt')
  const [fresh, file] = [newSecret(), join(cli.home, 'secret.txt')]
  const add = async (profile: string, secret: string) => {
    writeFileSync(file, secret, { mode: 0o600 })
    const added = await cli.run(['profiles', 'secrets', 'add', profile, file])
    expect(added).toMatchObject({ exitCode: 0 })
    return added.stderr
  }
  expect(await add('bolt', fresh)).not.toContain('the same secret')
  const statusOf = async (secret: string, id: string) => (await send(listener.url, secret, id)) as { status?: number }
  await until('the new secret', async () => (await statusOf(fresh, 'evt_fresh')).status === 200)
  expect(await add('bolt', secretOf('acme'))).toContain(
    'Not known as the same account, and with the same secret: profile acme.',
  )
  const changed = await cli.run(['profiles', 'add', 'bolt', '--webhook-secret-file', file])
  expect(changed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('the same secret: profile acme.') })
  await until('the warning', async () => {
    await statusOf(secretOf('acme'), 'evt_acme')
    return listener.errors().includes('verifies nothing of bolt')
  })
  await listener.kill('SIGINT')
  const profiles = Object.fromEntries(eventsOf(listener).map(({ eventId, profile }) => [eventId, profile]))
  expect(profiles).toEqual({ evt_fresh: 'bolt', evt_acme: 'acme' })
  const again = await cli.run(['webhooks', 'listen', '-P', 'acme,bolt'])
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('belongs to account "acme"') })
})

it('What cannot be told apart is refused before anything is opened', async () => {
  const { cli } = await personWith('acme', 'bolt')
  const live = ['profiles', 'add', 'acme-live', '-e', 'production', '--base-url', 'https://api.example.com/v1']
  await cli.run([...live, '--no-api-key'])
  await cli.run([
    'profiles',
    'add',
    'bare',
    '-e',
    'sandbox',
    '--base-url',
    'https://api.example.com/v1',
    '--no-api-key',
  ])
  // One secret, written in two ways.
  const secret = newSecret()
  for (const [name, text] of [
    ['twin-a', secret],
    ['twin-b', secret.replace('whsec_', '')],
  ] as const) {
    const [file, own] = [
      join(cli.home, `${name}.txt`),
      ['-e', 'sandbox', '--base-url', `https://${name}.example.com/v1`],
    ]
    writeFileSync(file, text, { mode: 0o600 })
    await cli.run(['profiles', 'add', name, ...own, '--no-api-key', '--webhook-secret-file', file])
  }
  for (const [words, message] of [
    [['-P', 'twin-*'], 'have the same webhook secret'],
    [
      ['-P', 'acme,bolt', '--forward-to', 'cargo:http://127.0.0.1:9/'],
      'cargo:… names an account that is not listened for',
    ],
    [['-P', 'acme', '--forward-to', 'bolt:delivery.*=http://127.0.0.1:9/'], 'bolt:… names an account that is not'],
    [['-P', 'acme,bolt', '--forward-to', 'http//127.0.0.1'], 'The forward target'],
    [['-P', 'acme,bolt', '--secret-file', 'secret.txt'], '--secret-file secret.txt does not say whose secret it is'],
    [['-P', 'acme,bolt', '--secret-file', 'cargo:secret.txt'], 'Begin it with one of them (acme, bolt)'],
    [['-P', 'acme,bolt', '--secret-file', 'acme:missing.txt'], 'missing.txt'],
    [['-P', 'acme*'], 'would mix production (acme-live)'],
    [['--all-profiles'], 'would mix production (acme-live)'],
    [['-P', 'acme,bare'], 'Profile bare has no webhook secret'],
    [['-P', 'acme,nobody'], 'No profile "nobody"'],
  ] as const) {
    const ended = await cli.run(['webhooks', 'listen', ...words])
    expect(ended, words.join(' ')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  }
})

it('A secret file is of the account that it names, which needs none in its profile', async () => {
  const { cli, secretOf } = await personWith('acme', 'bolt')
  const [fresh, file] = [newSecret(), join(cli.home, 'bolt:secret.txt')]
  writeFileSync(file, fresh, { mode: 0o600 })
  const bare = ['profiles', 'add', 'bare', '-e', 'sandbox', '--base-url', 'https://bare.example.com/v1']
  await cli.run([...bare, '--no-api-key'])
  const listener = await startListening(cli, 'acme,bolt,bare', '--secret-file', `bare:${file}`)
  await send(listener.url, fresh, 'evt_bare')
  await send(listener.url, secretOf('bolt'), 'evt_bolt')
  await listener.kill('SIGINT')
  expect(Object.fromEntries(eventsOf(listener).map(({ eventId, profile }) => [eventId, profile]))).toEqual({
    evt_bare: 'bare',
    evt_bolt: 'bolt',
  })
})

it('Accounts of the embedded sandbox post to the listener by themselves, each with its name in its line', async () => {
  const cli = createCli()
  for (const name of ['acme', 'bolt']) await cli.json(['sandbox', 'accounts', 'add', name, '--profile', name])
  await cli.json(['sandbox', 'accounts', 'add', 'cargo', '--profile', 'cargo'])
  const listener = cli.start(['webhooks', 'listen'], { env: { DLV_PROFILE: 'acme,bolt' }, columns: 100 })
  await listener.hasPrinted('Ready:')
  for (const name of ['acme', 'bolt', 'cargo']) await order(cli, name, `${name}-1`)
  await listener.hasPrinted('bolt-1')
  await listener.kill('SIGINT')
  const shown = listener.lines().filter((line) => line.includes('accepted'))
  expect(shown.map((line) => /(acme|bolt|cargo)\S* .*?(\w+-1)/.exec(line)?.slice(1))).toEqual([
    ['acme', 'acme-1'],
    ['bolt', 'bolt-1'],
  ])
})
