import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Journal,
  type JournalEntry,
  type JournalOptions,
  openJournal,
  readJournal,
  removeTarget,
} from '../../src/listener/index.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'

interface Place {
  file: string
  env: NodeJS.ProcessEnv
}

const dayMs = 86_400_000
const nowMs = 1_772_463_600_000

async function openTestJournal(file = join(createTempDir(), 'journal.db'), options: JournalOptions = {}) {
  const journal = await openJournal(file, { now: () => nowMs, ...options })
  onTestFinished(() => journal.close())
  return { journal, file }
}

function testEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id: 'evt_1',
    source: 'webhook',
    receivedAtMs: nowMs,
    timestampSeconds: nowMs / 1000,
    secret: 'test',
    rawHeaders: ['Webhook-Id', 'evt_1'],
    body: Buffer.from([0x7b, 0xff, 0x00, 0x7d]),
    eventType: 'delivery.accepted',
    deliveryId: 'del_1',
    occurredAt: '2026-03-02T15:00:00.000Z',
    ...change,
  }
}

/** Where a journal is kept: each has to behave the same. */
const engines = [
  { engine: 'a file', run: describe, place: async () => ({ file: join(createTempDir(), 'journal.db'), env: {} }) },
  {
    engine: 'PostgreSQL',
    run: describeOnPostgres,
    async place() {
      const { address, env } = await createTestDatabase()
      return { file: address, env }
    },
  },
]

for (const { engine, run, place } of engines)
  run(`the journal in ${engine}`, () => {
    async function openTestJournal(at?: Place, options: JournalOptions = {}) {
      const { file, env } = at ?? (await place())
      const journal = await openJournal(file, { now: () => nowMs, ...options }, env)
      onTestFinished(() => journal.close())
      return { journal, at: { file, env } }
    }

    it('keeps bytes and headers as they came, over a restart', async () => {
      const { journal, at } = await openTestJournal()
      const appended = await journal.append(testEntry())
      expect(appended).toEqual({ outcome: 'new', seq: expect.any(Number) })
      await journal.close()
      const { journal: again } = await openTestJournal(at)
      expect(await again.get('evt_1')).toEqual({
        ...testEntry(),
        account: '',
        seq: appended.seq,
        body: new Uint8Array([0x7b, 0xff, 0x00, 0x7d]),
        repeats: 0,
        conflicts: 0,
      })
    })

    it('keeps an id once, flags another body under it, and counts repetitions', async () => {
      const { journal } = await openTestJournal()
      const outcomes = await Promise.all(
        [
          testEntry(),
          testEntry({ timestampSeconds: 1 }),
          testEntry({ body: Buffer.from('{}') }),
          testEntry({ body: Buffer.from('{}') }),
        ].map((entry) => journal.append(entry)),
      )
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['new', 'duplicate', 'conflict', 'conflict'])
      expect(await journal.get('evt_1')).toMatchObject({
        body: new Uint8Array(testEntry().body),
        repeats: 1,
        conflicts: 1,
      })
      expect(await journal.count()).toBe(1)
    })

    it('keeps the events of accounts apart, and shows and forwards those that it is opened for', async () => {
      const at = await place()
      const target = 'http://127.0.0.1:9/hooks'
      const changes = { onChange() {}, onWithdrawn() {} }
      const of = async (account: string) => (await openTestJournal(at, { accounts: [account] })).journal
      const first = await of('acme')
      await first.forwards.join([{ url: target }], changes)
      const entry = testEntry({ account: 'acme', forwardTo: [target] })
      const kept = await first.append(entry)
      expect(await first.append(testEntry({ account: 'acme' }))).toMatchObject({ outcome: 'duplicate' })
      const waits = async (journal: Journal) => (await journal.forwards.pending(target, new Map(), 10)).forwards.length
      await expect.poll(() => waits(first), { timeout: 10_000 }).toBe(1)
      await first.forwards.leave()
      await first.close()

      const other = await of('bolt')
      await other.forwards.join([{ url: target }], changes)
      expect([await other.count(), await other.get('evt_1'), await other.has(['evt_1'])]).toEqual([
        0,
        undefined,
        new Set(),
      ])
      expect(await Array.fromAsync(other.list({ limit: 5 }))).toEqual([])
      expect(await other.others()).toEqual([{ account: 'acme', events: 1 }])
      expect(await waits(other)).toBe(0)
      expect([await other.backlog(), (await other.targets()).map(({ pending }) => pending)]).toEqual([
        [],
        expect.not.arrayContaining([1]),
      ])
      const body = Buffer.from('{"of":"bolt"}')
      expect(await other.append(testEntry({ account: 'bolt', body }))).toMatchObject({ outcome: 'new' })
      expect((await other.get('evt_1'))?.body).toEqual(new Uint8Array(body))
      await other.forwards.leave()
      await other.close()
      expect(await removeTarget(at.file, target, at.env, { accounts: ['bolt'] })).toBe(Number(engine === 'PostgreSQL'))

      const all = await readJournal(at.file, at.env)
      onTestFinished(() => all.close())
      expect(await Array.fromAsync(all.list(), ({ account, id }) => `${account} ${id}`)).toEqual([
        'acme evt_1',
        'bolt evt_1',
      ])
      expect((await all.get('evt_1', 'bolt'))?.account).toBe('bolt')
      expect((await all.forwardsOf(kept.seq)).map(({ state }) => state)).toEqual(['pending'])
    })

    it('recognizes a pulled event although it was serialized again', async () => {
      const { journal } = await openTestJournal()
      await journal.append(testEntry({ body: Buffer.from('{"a": 1, "b":2}') }))
      expect(await journal.append(testEntry({ source: 'pull', body: Buffer.from('{"b":2,"a":1}') }))).toMatchObject({
        outcome: 'duplicate',
      })
      expect(await journal.append(testEntry({ source: 'pull', body: Buffer.from('{"b":2,"a":3}') }))).toMatchObject({
        outcome: 'conflict',
      })
    })

    it('lists in order of arrival, filtered by time, delivery and type, the newest so many', async () => {
      const { journal } = await openTestJournal()
      const append = (index: number) =>
        journal.append(
          testEntry({
            id: `evt_${index}`,
            receivedAtMs: nowMs + index,
            deliveryId: `del_${index % 2}`,
            eventType: index === 3 ? 'driver.created' : 'delivery.accepted',
            body: Buffer.from(`{"n":${index}}`),
          }),
        )
      await append(1)
      await Promise.all([2, 3, 4, 5].map(append))
      await append(6)
      const ids = async (filter: Parameters<typeof journal.list>[0]) =>
        (await Array.fromAsync(journal.list(filter))).map(({ body }) => JSON.parse(Buffer.from(body).toString()).n)
      expect(await ids({})).toEqual([1, 2, 3, 4, 5, 6])
      expect(await ids({ sinceMs: nowMs + 2, untilMs: nowMs + 5 })).toEqual([2, 3, 4])
      expect(await ids({ deliveryId: 'del_1' })).toEqual([1, 3, 5])
      expect(await ids({ eventTypes: ['driver.*', 'no.such'] })).toEqual([3])
      expect(await ids({ deliveryId: 'del_1', limit: 2 })).toEqual([3, 5])
    })

    it('forgets events after its retention, but never before 30 days', async () => {
      const { journal, at } = await openTestJournal()
      await journal.append(testEntry({ id: 'evt_29_days', receivedAtMs: nowMs - 29 * dayMs }))
      await journal.append(
        testEntry({ id: 'evt_31_days', receivedAtMs: nowMs - 31 * dayMs, forwardTo: ['http://localhost:1/'] }),
      )
      await journal.close()
      const { journal: again } = await openTestJournal(at, { retentionDays: 1 })
      expect((await Array.fromAsync(again.list())).map(({ id }) => id)).toEqual(['evt_29_days'])
    })

    it('is read while it is written, and afterwards', async () => {
      const { journal, at } = await openTestJournal()
      await journal.append(testEntry())
      await journal.setCursor('pull', '42', true)
      await journal.setCursor('pull', '43', true)
      for (const moment of ['open', 'closed']) {
        const reader = await readJournal(at.file, at.env)
        const known = await reader.has(['evt_1', 'evt_2'])
        expect([
          moment,
          [...known],
          await reader.count(),
          await reader.cursor('pull'),
          await reader.cursor('other'),
        ]).toEqual([moment, ['evt_1'], 1, '42', undefined])
        await reader.close()
        await journal.close()
      }
    })
  })

describe('the journal in a file', () => {
  it('finds the forwards of an event without reading those of all others', async () => {
    const { journal, file } = await openTestJournal()
    await journal.close()
    const database = new DatabaseSync(file)
    const [plan] = database.prepare('EXPLAIN QUERY PLAN SELECT 1 FROM forwards WHERE seq = 1').all()
    database.close()
    expect(plan?.detail).toContain('forwards_by_event')
  })

  it.each([
    0o000, 0o022, 0o277,
  ])('belongs to its owner only, with its lock and its log, under the umask %o', async (mask) => {
    const directory = join(createTempDir(), 'data')
    const before = process.umask(mask)
    onTestFinished(() => void process.umask(before))
    const { journal, file } = await openTestJournal(join(directory, 'journal.db'))
    await journal.append(testEntry())
    const modes = [file, `${file}-wal`, `${file}-shm`, `${file}.lock`].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it('has one writer: a second one is refused and told which process holds it', async () => {
    const { journal, file } = await openTestJournal()
    await expect(openJournal(file)).rejects.toThrow(`in use by process ${process.pid}`)
    const script = `
      import { DatabaseSync } from 'node:sqlite'
      const lock = new DatabaseSync(process.argv[1], { timeout: 0 })
      try { lock.exec('BEGIN IMMEDIATE'); console.log('free') } catch (error) { console.log(error.errcode) }`
    const ask = () =>
      spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script, `${file}.lock`])
        .stdout.toString()
        .trim()
    expect(ask()).toBe('5')
    await journal.close()
    expect(ask()).toBe('free')
  })
})

describe('a journal that cannot be written', () => {
  it.each([
    [
      'its directory is a file',
      (directory: string) => {
        writeFileSync(join(directory, 'file'), '')
        return join(directory, 'file', 'journal.db')
      },
    ],
    [
      'it is a directory',
      (directory: string) => {
        mkdirSync(join(directory, 'journal.db'))
        return join(directory, 'journal.db')
      },
    ],
    [
      'it is no journal',
      (directory: string) => {
        writeFileSync(join(directory, 'journal.db'), 'not a database, but long enough to look at '.repeat(50))
        return join(directory, 'journal.db')
      },
    ],
    [
      'a newer program wrote it',
      async (directory: string) => {
        const { journal, file } = await openTestJournal(join(directory, 'journal.db'))
        await journal.close()
        alterFile(file, 'PRAGMA user_version = 99')
        return file
      },
    ],
    [
      'it is a database of something else',
      (directory: string) => {
        alterFile(join(directory, 'journal.db'), 'CREATE TABLE events (id TEXT)')
        return join(directory, 'journal.db')
      },
    ],
  ])('is refused at the start if %s', async (_, make) => {
    const file = await make(createTempDir())
    await expect(openJournal(file)).rejects.toThrow(
      /(?:Cannot open the journal .*journal\.db: |The journal .*journal\.db (?:is damaged|was written by a newer)|journal\.db is a database, but not a journal)/,
    )
  })

  it('of which nothing was written yet reads as one without events', async () => {
    const file = join(createTempDir(), 'journal.db')
    writeFileSync(file, '')
    const reader = await readJournal(file)
    expect([await reader.count(), await Array.fromAsync(reader.list())]).toEqual([0, []])
    await reader.close()
  })

  it('accepts nothing more once a read has shown that it is damaged, and says so once', async () => {
    const failures: string[] = []
    const { journal, file } = await openTestJournal(undefined, { onFailure: ({ message }) => failures.push(message) })
    const waiting = journal.append(testEntry())
    journal.abandon(new Error('no such table: events'))
    journal.abandon(new Error('no such table: events'))
    await expect(waiting).rejects.toThrow('is damaged')
    await expect(journal.append(testEntry({ id: 'evt_2' }))).rejects.toThrow('is damaged')
    expect(failures).toEqual([`The journal ${file} is damaged: no such table: events.`])
    expect(await journal.count()).toBe(0)
  })

  it('refuses everything once the disk is full, keeps what was acknowledged, and says so once', async () => {
    const failures: string[] = []
    const { journal, file } = await openTestJournal(undefined, {
      maxBytes: 200_000,
      onFailure: (failure) => failures.push(failure.message),
    })
    const acknowledged: string[] = []
    const body = Buffer.alloc(20_000, 0x20)
    // Four at a time, so that the group that fails holds some that would have fitted.
    for (let group = 0; journal.failure() === undefined; group++) {
      const appends = [0, 1, 2, 3].map(async (member) => {
        await journal.append(testEntry({ id: `evt_${group}_${member}`, body }))
        acknowledged.push(`evt_${group}_${member}`)
      })
      const refused = (await Promise.allSettled(appends)).filter(({ status }) => status === 'rejected')
      expect([0, 4]).toContain(refused.length)
    }
    await expect(journal.append(testEntry({ id: 'evt_small', body: Buffer.from('{}') }))).rejects.toThrow(
      `Cannot write the journal ${file}: database or disk is full.`,
    )
    expect(failures).toHaveLength(1)
    expect(acknowledged.length).toBeGreaterThan(3)
    await journal.close()
    const reader = await readJournal(file)
    expect((await Array.fromAsync(reader.list())).map(({ id }) => id)).toEqual(acknowledged)
    await reader.close()
  })
})
