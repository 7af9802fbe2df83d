import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret, sendEvent } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { until } from '../support/until.js'

/** Neither a port of the service's nor a key is needed where a secret is given. */
const service = { DLV_BASE_URL: 'https://api.example.com/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key_1' }

/** The place of the account's journal before there is one. */
async function ownJournal(cli: Cli, env: NodeJS.ProcessEnv): Promise<string> {
  const { stderr } = await cli.run(['webhooks', 'status'], { env })
  return /journal (\S+) not found/.exec(stderr)?.[1] ?? ''
}

describe('a listener whose disk refuses', () => {
  it('answers 503 with Retry-After while it is full, goes on once there is room, and has kept all that it acknowledged', async () => {
    const cli = createCli()
    const secret = newSecret()
    const env = { ...service, DLV_WEBHOOK_SECRET: secret }
    // The limit of one file's size stands for the disk's: SQLite's write-ahead log meets it first.
    const through = ['bash', '-c', 'ulimit -S -f 600; exec "$@"', 'limited']
    const listener = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson'], { env, through })
    const { url } = JSON.parse(await listener.line((line) => line.includes('ready'))) as { url: string }
    const acknowledged: string[] = []
    const send = async () => {
      const body = JSON.stringify({ eventId: `evt_${acknowledged.length}`, note: 'x'.repeat(20_000) })
      const sent = await sendEvent({ url, secrets: [secret], body })
      if (!sent.answered) throw new Error('no answer')
      if (sent.status === 200) acknowledged.push(sent.id)
      return sent
    }
    let refused = await send()
    while (refused.status === 200) refused = await send()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.body.toString()).not.toContain(cli.home)
    expect(acknowledged.length).toBeGreaterThan(3)
    const before = acknowledged.length
    execFileSync('prlimit', ['--pid', String(listener.child.pid), '--fsize=unlimited'])
    await until('room', async () => (await send()).status === 200)
    const { exitCode, stderr } = await listener.kill('SIGTERM')
    expect(exitCode).toBe(143)
    expect(stderr).toMatch(
      /Cannot write the journal .+: the disk of .+ is full\. Webhooks are answered 503 until it can; nothing is missed/,
    )
    expect(stderr.match(/Cannot write the journal/g)).toHaveLength(1)
    expect(stderr).toMatch(/The journal can be written again, after \d/)
    expect(acknowledged.length).toBeGreaterThan(before)
    const log = await cli.run(['webhooks', 'log', '--all', '-q'], { env })
    expect(log.stdout.trim().split('\n')).toEqual(acknowledged)
  })

  it.each([
    ['a data directory that cannot be made', (home: string) => join(home, 'file', 'data'), false],
    ['a journal that is a folder', (home: string) => home, true],
  ])('does not start on %s, and says why', async (_, dataDirIn, isFolder) => {
    const cli = createCli()
    writeFileSync(join(cli.home, 'file'), '')
    const env = { ...service, DLV_WEBHOOK_SECRET: newSecret(), DLV_DATA_DIR: dataDirIn(cli.home) }
    if (isFolder) mkdirSync(await ownJournal(cli, env))
    const { exitCode, stdout, stderr } = await cli.run(['webhooks', 'listen'], { env })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/error: Cannot open the journal [\s\S]*hint: Is the directory there and writable/)
  })

  it('is refused while another one writes the same journal, and named', async () => {
    const cli = createCli()
    const env = { ...service, DLV_WEBHOOK_SECRET: newSecret() }
    const first = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson'], { env })
    await first.line((line) => line.includes('ready'))
    const second = await cli.run(['webhooks', 'listen'], { env })
    expect([second.exitCode, second.stderr]).toEqual([
      2,
      expect.stringContaining(`in use by process ${first.child.pid}`),
    ])
  })
})

describe('a damaged journal', () => {
  it('is named with its remedy by every command, and never called a bug; the remedy brings the events back', async () => {
    const cli = createCli()
    const secret = newSecret()
    const env = { ...service, DLV_WEBHOOK_SECRET: secret }
    const listener = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson'], { env })
    const ready = JSON.parse(await listener.line((line) => line.includes('ready')))
    const { url, journal } = ready as { url: string; journal: string }
    const ids = Array.from({ length: 20 }, (_, index) => `evt_${index}`)
    for (const eventId of ids) {
      const body = JSON.stringify({ eventId, note: 'x'.repeat(2_000) })
      expect(await sendEvent({ url, secrets: [secret], body })).toMatchObject({ status: 200 })
    }
    await listener.kill('SIGINT')
    const bytes = readFileSync(journal)
    writeFileSync(journal, bytes.fill(0x5a, 0, 4_096))
    const commands = [['log'], ['log', 'evt_1'], ['listen'], ['resend', 'evt_1', '--to', 'http://127.0.0.1:9/']]
    for (const words of commands) {
      const { exitCode, stderr } = await cli.run(['webhooks', ...words], { env })
      expect([exitCode, stderr]).toEqual([
        2,
        [
          `error: The journal ${journal} is damaged: file is not a database.`,
          `hint: Fetch what the service still has into a new journal: dlv webhooks listen --journal ${journal}.new --pull --since 30d`,
          `Recover older events from the damaged file: sqlite3 ${journal} .recover | sqlite3 ${journal}.recovered`,
          '',
        ].join('\n'),
      ])
    }
  })

  it('whose lock is damaged says so', async () => {
    const cli = createCli()
    const env = { ...service, DLV_WEBHOOK_SECRET: newSecret(), DLV_DATA_DIR: cli.home }
    writeFileSync(`${await ownJournal(cli, env)}.lock`, 'this is not a lock. '.repeat(500))
    const { exitCode, stderr } = await cli.run(['webhooks', 'listen'], { env })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/The lock file .*\.lock is damaged\.[\s\S]*then remove/),
    ])
  })
})
