import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret, sendEvent } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'

/** Neither a port of the service's nor a key is needed where a secret is given. */
const service = { DLV_BASE_URL: 'https://api.example.com/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key_1' }

/** The place of the account's journal before there is one. */
async function ownJournal(cli: Cli, env: NodeJS.ProcessEnv): Promise<string> {
  const { stderr } = await cli.run(['webhooks', 'status'], { env })
  return /journal (\S+) not found/.exec(stderr)?.[1] ?? ''
}

describe('a listener whose disk refuses', () => {
  it('answers 503 with Retry-After once it is full, ends with an error, and has kept all that it acknowledged', async () => {
    const cli = createCli()
    const secret = newSecret()
    const env = { ...service, DLV_WEBHOOK_SECRET: secret }
    // The limit of one file's size stands for the disk's: SQLite's write-ahead log meets it first.
    const script = `ulimit -f 600; exec "$0" bin/run.js webhooks listen -o ndjson`
    const child = execFile('bash', ['-c', script, process.execPath], { env: { ...cli.env, ...env } })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    let [stdout, stderr] = ['', '']
    child.stderr?.on('data', (text: string) => {
      stderr += text
    })
    const url = await new Promise<string>((resolve, reject) => {
      child.once('close', () => reject(new Error(`It ended before it was ready: ${stderr}`)))
      child.stdout?.on('data', (text: string) => {
        stdout += text
        const [line = ''] = stdout.split('\n')
        if (stdout.includes('\n')) resolve(JSON.parse(line).url)
      })
    })
    const acknowledged: string[] = []
    for (let answer = 200; answer === 200; ) {
      const body = JSON.stringify({ eventId: `evt_${acknowledged.length}`, note: 'x'.repeat(20_000) })
      const sent = await sendEvent({ url, secrets: [secret], body })
      answer = sent.answered ? sent.status : 0
      if (answer === 200) acknowledged.push(sent.id)
      else if (sent.answered) {
        expect([sent.status, sent.headers['retry-after']]).toEqual([503, '1'])
        expect(sent.body.toString()).not.toContain(cli.home)
      }
    }
    expect(await ended).toBe(2)
    expect(JSON.parse(stderr).error).toMatchObject({
      message: expect.stringMatching(/^Cannot write the journal .*: .*\.$/),
      hint: expect.stringContaining('Make room'),
    })
    expect(acknowledged.length).toBeGreaterThan(3)
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
