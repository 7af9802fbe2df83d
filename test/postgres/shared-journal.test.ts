import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type JournalEntry, type JournalOptions, openJournal, readJournal } from '../../src/listener/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli, type Running } from '../support/cli/program.js'
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/postgres/database.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const dayMs = 86_400_000
const today = Date.UTC(2026, 2, 2, 15)

type Line = Record<string, unknown>

const eventsOf = (running: Pick<Running, 'lines'>) =>
  running
    .lines()
    .map((line) => JSON.parse(line) as Line)
    .filter(({ type }) => type === 'event')

function entryOf(id: string, receivedAtMs: number): JournalEntry {
  return {
    id,
    source: 'webhook',
    receivedAtMs,
    timestampSeconds: Math.floor(receivedAtMs / 1_000),
    secret: 'test',
    rawHeaders: ['webhook-id', id],
    body: Buffer.from(`{"eventId":"${id}"}`),
    eventType: 'delivery.accepted',
    deliveryId: 'del_1',
  }
}

async function openOn({ address, env }: TestDatabase, nowMs: number, options: JournalOptions = {}) {
  const journal = await openJournal(address, { now: () => nowMs, ...options }, env)
  onTestFinished(() => journal.close())
  return journal
}

describeOnPostgres('receivers that share a journal', () => {
  it('keep an event once that reaches both at the same time, and acknowledge it as new in one of them', async () => {
    const database = await createTestDatabase()
    const [one, two] = [await openOn(database, today), await openOn(database, today)]
    // With sessions that are open already, the statements run side by side.
    await Promise.all([one, two].map((journal, at) => journal.append(entryOf(`evt_open_${at}`, today))))
    const ids = Array.from({ length: 400 }, (_, index) => `evt_${index}`)
    const append = (journal: typeof one, order: readonly string[]) =>
      Promise.all(order.map(async (id) => [id, (await journal.append(entryOf(id, today))).outcome]))
    const [first, second] = await Promise.all([append(one, ids), append(two, ids.toReversed())])
    const outcomes = new Map(second as [string, string][])
    for (const [id = '', outcome = ''] of first ?? [])
      expect([id, ...[outcome, outcomes.get(id)].toSorted()]).toEqual([id, 'duplicate', 'new'])
    expect(await database.sql('SELECT count(*)::int, sum(repeats)::int FROM dlv.ids')).toEqual([
      { count: 402, sum: 400 },
    ])
    expect(await database.sql('SELECT count(*)::int, count(DISTINCT id)::int AS ids FROM dlv.events')).toEqual([
      { count: 402, ids: 402 },
    ])
  })

  it('number more events than one statement takes in the order of their arrival, with repetitions among them', async () => {
    const database = await createTestDatabase()
    const journal = await openOn(database, today)
    const ids = Array.from({ length: 900 }, (_, index) => `evt_${index % 100 === 99 ? index - 90 : index}`)
    const appended = await Promise.all(ids.map((id) => journal.append(entryOf(id, today))))
    expect(appended.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(9)
    expect(await Array.fromAsync(journal.list(), ({ id }) => id)).toEqual([...new Set(ids)])
    const seqs = new Map(appended.map(({ seq }, at) => [ids[at], seq]))
    expect(await Array.fromAsync(journal.list(), ({ id, seq }) => [id, seq])).toEqual([...seqs])
  })

  it('keep each event once whose session ends while others gather behind it', async () => {
    const database = await createTestDatabase()
    const journal = await openOn(database, today)
    await journal.append(entryOf('evt_first', today))
    const ids = Array.from({ length: 2_000 }, (_, index) => `evt_${index}`)
    // Senders who bring their next event once they are answered.
    const outcomes = new Map<string, string>()
    const send = async () => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift())
        outcomes.set(id, (await journal.append(entryOf(id, today))).outcome)
    }
    const senders = Promise.all(Array.from({ length: 600 }, send))
    for (const atLeast of [1, 700]) {
      await until('events', () => outcomes.size >= atLeast)
      await database.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dlv receiver' AND datname = current_database()",
      )
    }
    await senders
    expect([...outcomes.values()].filter((outcome) => outcome !== 'new')).toEqual([])
    expect(await database.sql('SELECT count(*)::int, count(DISTINCT id)::int AS ids FROM dlv.events')).toEqual([
      { count: 2_001, ids: 2_001 },
    ])
  })

  it('find the events of a delivery without reading those of all others', async () => {
    const database = await createTestDatabase()
    const journal = await openOn(database, today)
    await database.sql(
      `INSERT INTO dlv.events (seq, id, account, source, received_at, timestamp_seconds, secret, raw_headers, delivery_id, body)
       SELECT n, 'evt_' || n, '', 'webhook', to_timestamp($1::bigint / 1000.0), 0, 'test', '[]', 'del_' || n % 5000,
         convert_to(repeat('x', 500), 'UTF8')
       FROM generate_series(1, 10000) AS n`,
      [today],
    )
    const found = await Array.fromAsync(journal.list({ deliveryId: 'del_7', limit: 5 }), ({ id }) => id)
    expect(found).toEqual(['evt_7', 'evt_5007'])
    const query = "SELECT id FROM dlv.events WHERE delivery_id = 'del_7' ORDER BY seq"
    expect(await database.sql(query)).toEqual(found.map((id) => ({ id })))
    await journal.close()
    // The server counts what a session read once it is over, or a second later.
    let read: Line | undefined
    await until('the counts', async () => {
      ;[read] = await database.sql(`SELECT sum(seq_tup_read)::int AS all, sum(idx_tup_fetch)::int AS found
        FROM pg_stat_user_tables WHERE relname LIKE 'events\\_%'`)
      return Number(read?.all) > 0 || Number(read?.found) >= 8
    })
    expect(read).toEqual({ all: 0, found: 8 })
  })

  it('keep events readable beside a large one and one with characters that PostgreSQL has no text for', async () => {
    const journal = await openOn(await createTestDatabase(), today)
    const odd = {
      deliveryId: 'a "quoted\\ {delivery}, or two',
      eventType: 'odd\0.type',
      rawHeaders: ['x-half', '\ud800'],
    }
    const large = { body: randomBytes(20_000), deliveryId: randomBytes(5_000).toString('hex') }
    const entries = [
      entryOf('evt_1', today),
      { ...entryOf('evt_2', today), ...odd },
      { ...entryOf('evt_3', today), ...large },
    ]
    const appended = await Promise.all(entries.map((entry) => journal.append(entry)))
    expect(await Array.fromAsync(journal.list(), ({ id, seq }) => [id, seq])).toEqual(
      appended.map(({ seq }, at) => [`evt_${at + 1}`, seq]),
    )
    const kept = { id: 'evt_2', ...odd, eventType: 'odd\u{fffd}.type' }
    expect(await journal.get('evt_2')).toMatchObject(kept)
    expect(await journal.get('evt_3')).toMatchObject({ body: new Uint8Array(large.body) })
    expect(await Array.fromAsync(journal.list({ deliveryId: odd.deliveryId }))).toMatchObject([kept])
    expect(await Array.fromAsync(journal.list({ deliveryId: large.deliveryId }), ({ id }) => id)).toEqual(['evt_3'])
    expect(await Array.fromAsync(journal.list({ eventTypes: ['odd*'] }), ({ id }) => id)).toEqual(['evt_2'])
  })

  it('let no small event overtake a large one that has no room', async () => {
    const journal = await openOn(await createTestDatabase(), today)
    const large = Buffer.alloc(3 * 1_048_576, '{')
    const ids = Array.from({ length: 7 }, (_, index) => `evt_${index}`)
    await Promise.all(
      ids.map((id) => journal.append({ ...entryOf(id, today), body: id === 'evt_6' ? Buffer.from('{}') : large })),
    )
    expect(await Array.fromAsync(journal.list(), ({ id }) => id)).toEqual(ids)
  })
})

describeOnPostgres('listeners with --pull that share a journal', () => {
  const sandbox = serveSandbox()

  it('leave the fetching to one of them, and another continues when that one is killed', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const env = { ...sandbox.env(), ...database.env, DLV_WEBHOOK_SECRET: newSecret() }
    const words = ['webhooks', 'listen', '--pull', '--journal', database.address, '-o', 'ndjson']
    const create = async (...references: string[]) => {
      for (const reference of references)
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference], { env })
    }
    const isReady = (line: string) => line.includes('"ready"')
    const leader = cli.startProcess([...words, '--since', '1h'], { env })
    await leader.line(isReady)
    await create('PULL-1')
    await until('the first event', () => eventsOf(leader).length === 1)
    const other = cli.start(words, { env })
    await other.line(isReady)
    await create('PULL-2')
    await until('the second event', () => eventsOf(leader).length === 2)
    await leader.kill('SIGKILL')
    await create('PULL-3', 'PULL-4')
    await until('the other to fetch', () => eventsOf(other).length === 2)

    const fetched = [...eventsOf(leader), ...eventsOf(other)]
    expect(fetched.map(({ source, duplicate }) => [source, duplicate])).toEqual(Array(4).fill(['pull', false]))
    const listed = await cli.json<Line[]>(['events', 'list'], { env })
    expect(fetched.map(({ eventId }) => eventId).toSorted()).toEqual(listed.map(({ eventId }) => eventId).toSorted())
    expect(await database.sql('SELECT sum(repeats)::int AS repeats, count(*)::int AS events FROM dlv.ids')).toEqual([
      { repeats: 0, events: 4 },
    ])
  })
})

describeOnPostgres('the leader of a shared journal', () => {
  it('gives its lease up by its own clock, before it has heard from the server', async () => {
    const journal = await openOn(await createTestDatabase(), today)
    const closing = new AbortController()
    onTestFinished(() => closing.abort())
    let sleptMs = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + sleptMs)
    onTestFinished(() => clock.mockRestore())
    const lost = await journal.lead('pull', closing.signal)
    expect(lost.aborted).toBe(false)
    // As after SIGSTOP. The server has noticed nothing: its session lives, and would answer.
    sleptMs = 10_000
    await until('the lease to end', () => lost.aborted)
  })
})

describeOnPostgres('the retention of a shared journal', () => {
  const target = 'http://127.0.0.1:9/'

  const daysOf = async (database: TestDatabase, table: string) =>
    (
      await database.sql(
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'dlv.${table}'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => String(name).replace(`${table}_`, ''))

  it('drops days as a whole, with their ids and forwards, and never before 30 days', async () => {
    const database = await createTestDatabase()
    const first = await openOn(database, today)
    await first.forwards.join([{ url: target }], { onChange: () => {}, onWithdrawn: () => {} })
    await Promise.all([entryOf('evt_old', today), entryOf('evt_new', today + dayMs)].map(first.append))
    await first.append({ ...entryOf('evt_old', today + 1), body: Buffer.from('{}') })
    await first.forwards.leave()
    await first.close()
    expect(await daysOf(database, 'events')).toEqual(expect.arrayContaining(['20260302', '20260303', 'default']))

    // A retention of one day counts as 30: the day of the first event is kept until all of it is older.
    const kept = await openOn(database, today + 30 * dayMs, { retentionDays: 1 })
    expect(await Array.fromAsync(kept.list(), ({ id }) => id)).toEqual(['evt_old', 'evt_new'])
    expect(await kept.append(entryOf('evt_old', today + 30 * dayMs))).toMatchObject({ outcome: 'duplicate' })
    await kept.close()

    const later = await openOn(database, Date.UTC(2026, 3, 2, 16), { retentionDays: 1 })
    for (const table of ['events', 'forwards']) {
      const days = await daysOf(database, table)
      expect(days).not.toContain('20260302')
      expect(days).toEqual(expect.arrayContaining(['20260303', '20260401']))
    }
    expect(await Array.fromAsync(later.list(), ({ id }) => id)).toEqual(['evt_new'])
    expect(await later.has(['evt_old', 'evt_new'])).toEqual(new Set(['evt_new']))
    expect(await later.get('evt_old')).toBeUndefined()
    expect(await database.sql('SELECT id FROM dlv.conflicts')).toEqual([])
    expect((await later.status()).pending).toMatchObject([{ url: target, count: 1 }])
    expect(await later.append(entryOf('evt_old', Date.UTC(2026, 3, 2, 17)))).toMatchObject({ outcome: 'new' })
    await later.close()

    const reader = await readJournal(database.address, database.env)
    expect(await Array.fromAsync(reader.list(), ({ id }) => id)).toEqual(['evt_new', 'evt_old'])
    expect(await reader.count()).toBe(2)
    await reader.close()
  })
})
