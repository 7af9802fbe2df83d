import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/listener/journal/event.js'
import { openJournal } from '../../src/listener/journal/open.js'
import { signatureHeaders } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'

const key = 'dlvk_sbx_4f9c2e7a1b'
/** Nothing listens there. */
const baseUrl = 'http://127.0.0.1:9/delivery/v1'
const secrets = ['first', 'second'].map(
  (word) => `whsec_${Buffer.from(`${word} secret of some length..`).toString('base64')}`,
)

const add = (...more: string[]) => [
  'profiles',
  'add',
  'acme',
  '--environment',
  'sandbox',
  '--base-url',
  baseUrl,
  ...more,
]

it('profiles that are added at the same time are all there', async () => {
  const cli = createCli()
  const names = Array.from({ length: 5 }, (_, index) => `shop-${index}`)
  const words = (name: string) => [
    'profiles',
    'add',
    name,
    '-e',
    'sandbox',
    '--base-url',
    baseUrl,
    '--webhook-secret-file',
  ]
  const secretFile = fileOf(cli, 'secret.txt', secrets[0] ?? '')
  const ends = await Promise.all(
    names.map((name) => cli.runProcess([...words(name), secretFile, '--api-key-stdin'], { stdin: key })),
  )
  for (const { exitCode, stderr } of ends) expect(exitCode, stderr).toBe(0)
  const { profiles } = JSON.parse(configText(cli)) as { profiles: object }
  expect(Object.keys(profiles).sort()).toEqual(names.sort())
  expect(readdirSync(configFolder(cli))).toEqual(['config.json'])
})

const configFolder = (cli: Cli) => join(cli.home, '.config', 'dlv')
const configText = (cli: Cli) => readFileSync(join(configFolder(cli), 'config.json'), 'utf8')

function fileOf(cli: Cli, name: string, text: string): string {
  const file = join(cli.home, name)
  writeFileSync(file, text)
  return file
}

describe('a name', () => {
  it.each(['toString', 'nobody'])('that no profile has is none that could be removed: %s', async (name) => {
    const { exitCode, stderr } = await createCli().run(['profiles', 'remove', name, '--yes'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`Profile "${name}" not found`)])
  })
})

describe('a key', () => {
  it('comes from standard input and is saved in a file only for its owner, with a notice', async () => {
    const cli = createCli()
    const { exitCode, stdout, stderr } = await cli.run(add('--api-key-stdin'), { stdin: `${key}\n` })
    expect(exitCode, stderr).toBe(0)
    expect(stdout + stderr).not.toContain(key)
    expect(stderr.match(/\(0600;/g)).toHaveLength(1)
    expect(configText(cli)).toContain(key)
    expect(statSync(join(configFolder(cli), 'config.json')).mode & 0o777).toBe(0o600)
    expect(statSync(configFolder(cli)).mode & 0o777).toBe(0o700)
  })

  it('is asked for on a terminal, and not shown', async () => {
    const cli = createCli()
    const running = cli.startOnTerminal(add())
    await running.shows('API key')
    running.type(`${key}\r`)
    const { exitCode, stdout } = await running.ended
    expect(exitCode, stdout).toBe(0)
    expect(stdout).not.toContain(key)
    expect(configText(cli)).toContain(key)
  })

  it.each([
    ['off a terminal', {}],
    ['under CI', { CI: '1' }],
    ['with DLV_NO_INPUT', { DLV_NO_INPUT: '1' }],
  ])('is not asked for %s: the flags are named instead', async (_name, env) => {
    const { exitCode, stderr } = await createCli().run(add(), { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--api-key-stdin or --api-key-file')
  })

  it('is no flag, and is not repeated where somebody takes it for one', async () => {
    for (const words of [add(`--api-key=${key}`), add('--api-key', key)]) {
      const { exitCode, stdout, stderr } = await createCli().runProcess(words, { env: { DEBUG: '*' } })
      expect(exitCode).toBe(2)
      expect(stdout + stderr).not.toContain(key)
    }
  })

  it('never comes from a project file, and neither does an address', async () => {
    for (const name of ['apiKey', 'baseUrl']) {
      const cli = createCli()
      fileOf(cli, '.dlv.json', JSON.stringify({ [name]: key }))
      const { exitCode, stderr } = await cli.run(['deliveries', 'list'], { cwd: cli.home })
      expect(exitCode).toBe(0)
      expect(stderr).toMatch(new RegExp(`^warning: .*"${name}".* It is ignored\\.`))
      expect(stderr).not.toContain(key)
    }
  })
})

/** Puts a `secret-tool` into a person's PATH that does what the script says; `$STORE` is its own file. */
function keychainOf(cli: Cli, script: string): NodeJS.ProcessEnv {
  const folder = join(cli.home, 'bin')
  mkdirSync(folder)
  const file = join(folder, 'secret-tool')
  writeFileSync(file, `#!/bin/sh\nSTORE=${cli.home}/keychain\necho "$@" >> ${cli.home}/keychain-words\n${script}\n`)
  chmodSync(file, 0o755)
  return { PATH: `${folder}:${process.env.PATH}`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
}

describe.runIf(process.platform === 'linux')('a keychain', () => {
  const working = 'case $1 in store) cat > $STORE;; lookup) cat $STORE;; clear) rm -f $STORE;; esac'

  it('keeps the key, which is then in no file of ours and in no argument', async () => {
    const cli = createCli()
    const env = keychainOf(cli, working)
    const { exitCode, stderr } = await cli.run(add('--api-key-stdin'), { env, stdin: key })
    expect(exitCode, stderr).toBe(0)
    expect(configText(cli)).not.toContain(key)
    expect(readFileSync(join(cli.home, 'keychain-words'), 'utf8')).not.toContain(key)
    expect(readFileSync(join(cli.home, 'keychain'), 'utf8')).toBe(key)
    const shown = await cli.json<{ sources: Record<string, string> }>(['profiles', 'show', 'acme'], { env })
    expect(shown.sources.apiKey).toBe('profile acme (keychain)')
    await cli.run(['profiles', 'remove', 'acme', '--yes'], { env })
    expect(() => readFileSync(join(cli.home, 'keychain'))).toThrow()
  })

  it('holds no old key once a new one is in the file', async () => {
    const cli = createCli()
    const env = keychainOf(cli, working)
    await cli.run(add('--api-key-stdin'), { env, stdin: key })
    expect(readFileSync(join(cli.home, 'keychain'), 'utf8')).toBe(key)
    const { exitCode, stderr } = await cli.run(add('--api-key-stdin', '--no-keychain'), { env, stdin: 'dlvk_new' })
    expect(exitCode, stderr).toBe(0)
    expect(configText(cli)).toContain('dlvk_new')
    expect(() => readFileSync(join(cli.home, 'keychain'))).toThrow()
  })

  it.each([
    ['refuses', 'exit 1'],
    ['takes the key and keeps nothing', 'exit 0'],
    ['does not answer', 'sleep 60'],
  ])('that %s is done without, long before it would answer', async (_name, script) => {
    const cli = createCli()
    const env = keychainOf(cli, script)
    const { exitCode, stderr } = await cli.run(add('--api-key-stdin'), { env, stdin: key })
    expect(exitCode, stderr).toBe(0)
    expect(configText(cli)).toContain(key)
    expect(stderr).toContain('no keychain available')
  })

  it('that is locked later says so, and what to do', async () => {
    const cli = createCli()
    await cli.run(add('--api-key-stdin'), { env: keychainOf(cli, working), stdin: key })
    writeFileSync(join(cli.home, 'bin', 'secret-tool'), '#!/bin/sh\nexit 1\n')
    const env = { PATH: `${cli.home}/bin:${process.env.PATH}`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
    const { exitCode, stderr } = await cli.run(['capabilities', '-P', 'acme'], { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--api-key-stdin')
  })
})

describe('webhook secrets', () => {
  it('are several in a profile, each named after its file and shown by its ends alone', async () => {
    const cli = createCli()
    const files = secrets.map((secret, index) => fileOf(cli, `secret-${index}.txt`, `${secret}\n`))
    const flags = files.flatMap((file) => ['--webhook-secret-file', file])
    await cli.run(add('--api-key-stdin', ...flags), { stdin: key })
    const { stdout } = await cli.run(['profiles', 'show', 'acme', '--json'])
    for (const secret of secrets) expect(stdout).not.toContain(secret)
    const shown = JSON.parse(stdout)
    expect(shown.webhookSecrets).toHaveLength(2)
    expect(shown.webhookSecrets[0]).toMatch(/^secret-0\.txt: /)
  })

  it('are added to the others, so that webhooks of a rotation verify, and removed by name or fingerprint', async () => {
    const cli = createCli()
    const [old, next] = secrets as [string, string]
    const secretFile = (secret: string) => fileOf(cli, 'secret.txt', `${secret}\n`)
    const rows = () =>
      cli.json<{ name: string; fingerprint: string; addedAt: string; lastUsedAt: string | null }[]>([
        'profiles',
        'secrets',
        'list',
        'acme',
      ])
    await cli.run(add('--api-key-stdin', '--use', '--webhook-secret-file', secretFile(old)), { stdin: key })
    // Each way adds, under a name of its own; the same secret once.
    for (const words of [
      ['profiles', 'add', 'acme', '--webhook-secret-file', secretFile(next)],
      ['profiles', 'secrets', 'add', 'acme', secretFile(next)],
    ])
      expect((await cli.run(words)).exitCode).toBe(0)
    const [first, second] = await rows()
    expect([first?.name, second?.name, (await rows()).length]).toEqual(['secret.txt', 'secret.txt 2', 2])
    const unread = await cli.run(['profiles', 'secrets', 'list', 'acme', '--journal', 'nowhere.db'])
    expect(unread.stderr).toContain('The last use is unknown: there is no journal')
    expect([first?.lastUsedAt, Date.parse(second?.addedAt ?? '') > Date.now() - 60_000]).toEqual([null, true])
    const listener = cli.start(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'])
    const { url } = JSON.parse(await listener.line(() => true)) as { url: string }
    for (const [index, secret] of secrets.entries()) {
      const file = fileOf(cli, `${index}`, secret)
      const sent = await cli.run(['webhooks', 'send', 'delivery.accepted', '--to', url, '--secret-file', file])
      expect([sent.exitCode, sent.stderr]).toEqual([0, expect.anything()])
    }
    await listener.kill()
    const used = await rows()
    for (const { lastUsedAt } of used) expect(Date.parse(lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const stdin = await cli.run(['profiles', 'secrets', 'add', 'acme', '-', '--name', 'third'], {
      stdin: `whsec_${Buffer.from('third secret of some length..').toString('base64')}\n`,
    })
    expect(stdin.stderr).toMatch(/^Secret [0-9a-f]{12} added to profile acme\.$/m)
    expect((await cli.run(['profiles', 'secrets', 'remove', 'acme', 'third'])).exitCode).toBe(2)
    for (const called of ['third', first?.fingerprint ?? ''])
      expect((await cli.run(['profiles', 'secrets', 'remove', 'acme', called, '--yes'])).exitCode).toBe(0)
    expect((await rows()).map(({ name }) => name)).toEqual(['secret.txt 2'])
    const unknown = await cli.run(['profiles', 'secrets', 'remove', 'acme', 'first', '--yes'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('secret.txt 2 (')])
    expect(JSON.stringify(used)).not.toContain('whsec_')
  })

  it('show their last use by what they verify: in a rotation, renamed, beside a busy account, and not by what was pulled', async () => {
    const cli = createCli()
    const never = `whsec_${Buffer.from('never secret of some length..').toString('base64')}`
    const [old, next] = secrets as [string, string]
    const added = [old, next, never].map((secret, index) => fileOf(cli, `s${index}.txt`, secret))
    const flags = added.flatMap((file) => ['--webhook-secret-file', file])
    await cli.run(add('--api-key-stdin', '--use', ...flags), { stdin: key })
    const place = join(cli.home, 'shared.db')
    const nowMs = Date.now()
    const used = async (journal = place) => {
      const { stdout, stderr } = await cli.run(['profiles', 'secrets', 'list', 'acme', '--journal', journal, '--json'])
      const rows = JSON.parse(stdout) as { name: string; lastUsedAt: string | null }[]
      return { stderr, lastUsed: Object.fromEntries(rows.map(({ name, lastUsedAt }) => [name, lastUsedAt])) }
    }
    await received(place, { id: 'evt_1', secrets: [next, old], source: 'webhook', receivedAtMs: nowMs })
    await received(place, { id: 'evt_2', secrets: [never], source: 'pull', receivedAtMs: nowMs + 1 })
    // The account as another machine has named it.
    const ofOther = join(cli.home, 'other.db')
    await received(ofOther, { id: 'evt_1', account: 'one', secrets: [old], source: 'webhook', receivedAtMs: nowMs })
    for (const journal of [place, ofOther]) {
      const database = new DatabaseSync(journal)
      database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
      INSERT INTO events (id, account, source, received_at_ms, timestamp_seconds, secret, raw_headers, body)
      SELECT 'other_' || i, 'busy', 'webhook', ${nowMs + 2}, 3, 'theirs', '[]', x'7b7d' FROM n`)
      database.close()
    }
    const at = new Date(nowMs).toISOString()
    const first = await used()
    expect(first.lastUsed).toEqual({ 's0.txt': at, 's1.txt': at, 's2.txt': null })
    expect(first.stderr).toContain(`Looked at 1 webhook of the journal ${place}, the newest of ${at}. If`)
    expect(first.stderr).toContain('name it with --journal or DLV_JOURNAL')
    expect((await used(ofOther)).lastUsed).toMatchObject({ 's0.txt': at, 's1.txt': null })
    await cli.run(['profiles', 'secrets', 'remove', 'acme', 's1.txt', '--yes'])
    await cli.run(['profiles', 'secrets', 'add', 'acme', added[1] ?? '', '--name', 'november'])
    expect((await used()).lastUsed).toEqual({ 's0.txt': at, 's2.txt': null, november: at })
    await cli.run(['profiles', 'secrets', 'remove', 'acme', 's2.txt', '--yes'])
    expect((await used()).stderr).toBe('')
  })
})

/** A webhook in a journal, as a listener that names no account keeps it. */
async function received(
  place: string,
  { secrets, id, ...rest }: Pick<JournalEntry, 'id' | 'account' | 'source' | 'receivedAtMs'> & { secrets: string[] },
) {
  const body = Buffer.from('{}')
  const headers = signatureHeaders({ secrets, id, timestampSeconds: 1, body })
  const journal = await openJournal(place)
  await journal.append({
    id,
    ...rest,
    timestampSeconds: 1,
    secret: 'another',
    rawHeaders: Object.entries(headers).flat(),
    body,
  })
  await journal.close()
}

describe('profiles show', () => {
  it('says for every value which source won', async () => {
    const cli = createCli()
    await cli.run(add('--api-key-stdin', '--use'), { stdin: key })
    const sources = async (words: string[], env: NodeJS.ProcessEnv = {}, cwd?: string) =>
      (
        await cli.json<{ sources: Record<string, string> }>(['profiles', 'show', ...words], {
          env,
          ...(cwd === undefined ? {} : { cwd }),
        })
      ).sources
    expect(await sources([])).toMatchObject({
      profile: 'profiles use',
      environment: 'profile acme',
      baseUrl: 'profile acme',
      apiKey: 'profile acme (file)',
    })
    expect(await sources(['-P', 'local'], { DLV_PROFILE: 'acme' })).toMatchObject({ profile: 'flag --profile' })
    expect(await sources([], { DLV_PROFILE: 'local' })).toMatchObject({ profile: 'DLV_PROFILE' })
    const env = { DLV_BASE_URL: baseUrl, DLV_API_KEY: key }
    expect(await sources([], env)).toMatchObject({ baseUrl: 'DLV_BASE_URL', apiKey: 'DLV_API_KEY' })
    const project = fileOf(cli, '.dlv.json', '{"profile": "local"}')
    expect((await cli.run(['profiles', 'trust', '--yes'], { cwd: cli.home })).exitCode).toBe(0)
    expect(await sources([], {}, cli.home)).toMatchObject({ profile: project })
  })
})

describe.runIf(process.platform === 'linux')('A folder that the system refuses to make', () => {
  const refused = '/proc/refused'

  it.each([
    ['of profiles', ['profiles', 'use', 'local'], { XDG_CONFIG_HOME: refused }],
    ['of the sandbox', ['deliveries', 'list'], { XDG_DATA_HOME: refused }],
    ['of journals', ['webhooks', 'listen', '--port', '0'], { XDG_DATA_HOME: refused }],
  ])('%s is named, and nothing hangs', async (_name, words, env) => {
    const { exitCode, stderr } = await createCli().run(words, { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(refused)
    expect(stderr).not.toContain('DEFECT')
  })
})
