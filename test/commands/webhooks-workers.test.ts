import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readJournal } from '../../src/listener/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { childrenOf } from '../support/listener/workers.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { until } from '../support/until.js'

const secret = newSecret()
const alone = { DLV_BASE_URL: 'https://api.example.com/v1', DLV_API_KEY: 'key_1', DLV_WEBHOOK_SECRET: secret }

async function launch(cli: Cli, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const journal = join(cli.home, 'journal.db')
  const place = words.includes('--journal') ? [] : ['--journal', journal]
  const running = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson', '--workers', '2', ...place, ...words], {
    env: { ...alone, ...env },
  })
  const ready = JSON.parse(await running.line(() => true)) as { type: string; url: string; adminUrl?: string }
  const records = (type: string) =>
    running
      .lines()
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((record) => record.type === type)
  return { ...running, ready, journal, records, workers: () => childrenOf(running.child.pid) }
}

/** Posts from many connections at once, so that every worker gets some. */
async function postAll(url: string, events: readonly ReturnType<typeof testEvent>[], again = false): Promise<string[]> {
  const acknowledged: string[] = []
  const waiting = [...events]
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
        while ((await postEvent(url, secret, event)) !== 200) if (!again) return
        acknowledged.push(event.id)
      }
    }),
  )
  return acknowledged
}

async function missingIn(journalFile: string, ids: readonly string[]): Promise<string[]> {
  const journal = await readJournal(journalFile)
  const known = await journal.has(ids)
  await journal.close()
  return ids.filter((id) => !known.has(id))
}

describe('webhooks listen --workers', () => {
  it('keeps and acknowledges in all processes, finds duplicates among them, counts in one place, ends with all', async () => {
    const app = await startTestApp()
    const listener = await launch(createCli(), ['--admin-port', '0', '--forward-to', app.url])
    expect(listener.ready).toMatchObject({ type: 'ready', workers: 2 })
    const workers = listener.workers()
    expect(workers).toHaveLength(2)
    const events = Array.from({ length: 120 }, (_, index) => testEvent(`del_${index % 5}`))
    expect(await postAll(listener.ready.url, events)).toHaveLength(120)
    expect(await postAll(listener.ready.url, events)).toHaveLength(120)
    const forged = { ...testEvent(), body: Buffer.from('{}') }
    expect(await postEvent(listener.ready.url, newSecret(), forged)).toBe(401)
    await until('all forwards', () => app.arrived.length >= 120)
    await until('the rejection', () => listener.records('rejected').length === 1)
    expect(app.ids().sort()).toEqual(events.map(({ id }) => id).sort())
    const kept = listener.records('event')
    expect(kept.filter(({ duplicate }) => duplicate === false)).toHaveLength(120)
    expect(kept.filter(({ duplicate }) => duplicate === true)).toHaveLength(120)
    expect(kept[0]).toMatchObject({ eventType: 'delivery.accepted', event: { delivery: { status: 'accepted' } } })
    const metrics = await (await fetch(`${listener.ready.adminUrl}/metrics`)).text()
    expect(metrics).toContain('dlv_events_total{outcome="accepted"} 120')
    expect(metrics).toContain('dlv_events_total{outcome="duplicate"} 120')
    expect(metrics).toContain('dlv_events_rejected_total{reason="no_matching_signature"} 1')
    const ended = await listener.kill('SIGTERM')
    expect(ended).toMatchObject({ exitCode: 143, stderr: '' })
    expect(workers.filter(isRunning)).toEqual([])
    expect(
      await missingIn(
        listener.journal,
        events.map(({ id }) => id),
      ),
    ).toEqual([])
  })

  it('loses nothing acknowledged with a worker that is killed, and replaces it', async () => {
    const listener = await launch(createCli())
    const before = listener.workers()
    const events = Array.from({ length: 400 }, () => testEvent())
    const posting = postAll(listener.ready.url, events, true)
    await until('some events', () => listener.records('event').length > 50)
    process.kill(before[0] ?? 0, 'SIGKILL')
    const acknowledged = await posting
    expect(acknowledged).toHaveLength(400)
    await until('another worker', () => listener.workers().length === 2)
    expect(listener.workers()).toContain(before[1])
    expect(listener.errors()).toContain(
      `The worker process ${before[0]} was killed by SIGKILL; another one takes its place.`,
    )
    await listener.kill()
    expect(await missingIn(listener.journal, acknowledged)).toEqual([])
  })

  it('leaves the signals of a terminal or a supervisor to the process that was started', async () => {
    const listener = await launch(createCli())
    const workers = listener.workers()
    for (const worker of workers) {
      process.kill(worker, 'SIGINT')
      process.kill(worker, 'SIGTERM')
    }
    expect(
      await postAll(
        listener.ready.url,
        Array.from({ length: 20 }, () => testEvent()),
      ),
    ).toHaveLength(20)
    expect(listener.workers()).toEqual(workers)
    expect((await listener.kill('SIGINT')).exitCode).toBe(130)
  })

  it('ends with an error if its workers end again and again', async () => {
    const listener = await launch(createCli())
    const killing = setInterval(() => {
      for (const worker of listener.workers()) isSignalled(worker, 'SIGKILL')
    }, 5)
    const ended = await listener.ended
    clearInterval(killing)
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain('10 worker processes ended within 10 s; the last was killed by SIGKILL.')
  })

  it('leaves no worker behind when it is killed itself', async () => {
    const listener = await launch(createCli())
    const workers = listener.workers()
    // A connection that stays open would keep its worker alive.
    const kept = connect(Number(new URL(listener.ready.url).port), '127.0.0.1')
    onTestFinished(() => void kept.destroy())
    kept.on('error', () => {}).write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}')
    await once(kept, 'data')
    await listener.kill('SIGKILL')
    await until('the workers to end', () => !workers.some(isRunning))
  })

  it('names the numbers that it takes', async () => {
    const cli = createCli()
    for (const count of ['0', '65']) {
      const refused = await cli.run(['webhooks', 'listen', '--workers', count], { env: alone })
      expect(refused.exitCode).toBe(2)
      expect(refused.stderr).toContain(`got ${count}`)
    }
    const both = await cli.run(['webhooks', 'listen', '--workers', '2', '--answer', '500'], { env: alone })
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--answer and --workers') })
  })
})

describeOnPostgres('webhooks listen --workers with a journal in PostgreSQL', () => {
  it('keeps what its workers have verified', async () => {
    const database = await createTestDatabase()
    const listener = await launch(createCli(), ['--journal', database.address], database.env)
    const events = Array.from({ length: 60 }, () => testEvent())
    expect(await postAll(listener.ready.url, events)).toHaveLength(60)
    await listener.kill()
    const [{ count } = {}] = await database.sql('SELECT count(*)::int AS count FROM dlv.events')
    expect(count).toBe(60)
  })
})

const isRunning = (pid: number) => isSignalled(pid, 0)

/** Whether the process was still there to get the signal. */
function isSignalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
