import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openForWriting } from '../../src/archive/database.js'
import { viewStatements, views } from '../../src/archive/views.js'
import { deliveryStatuses } from '../../src/contract/index.js'
import { MetricsTally } from '../../src/report/metrics.js'
import { figuresOf } from '../../src/trade/figures.js'
import { columnOf, problemOf } from '../../src/trade/problems.js'
import { lateByMs, type PromiseSource } from '../../src/trade/promise.js'
import { fc, sampleCount } from '../support/samples.js'
import { createTempDir } from '../support/temp-dir.js'

const minuteMs = 60_000
/** Moments before and after the present, more of them around the limits, and long ago. */
const agoMs = fc.oneof(
  fc.integer({ min: -30 * minuteMs, max: 130 * minuteMs }),
  fc
    .constantFrom(5, 10, 15, 20, 119, 120, 47 * 60, 48 * 60, 1_440)
    .chain((minutes) => fc.integer({ min: -3_000, max: 3_000 }).map((more) => minutes * minuteMs + more * 7)),
  fc.integer({ min: 0, max: 100 * 24 * 60 * minuteMs }),
)
const sources: PromiseSource[] = ['file', 'quote', 'window', 'firstEta']
const drawn = fc.record({
  status: fc.constantFrom(...deliveryStatuses, 'held', "in 'quotes'"),
  reason: fc.option(fc.constantFrom('gate_closed', "it's odd", '')),
  sinceAgo: fc.option(agoMs),
  promisedAgo: fc.option(agoMs),
  source: fc.constantFrom(...sources),
  positionAgo: fc.option(agoMs),
  isPrecise: fc.boolean(),
})

interface Row {
  id: number
  status: string
  reason: string | null
  sinceMs: number | undefined
  promisedMs: number | undefined
  source: PromiseSource
  positionMs: number | undefined
}

function archiveOf(rows: readonly Row[], clockAheadMs: number) {
  const file = join(createTempDir(), 'archive.db')
  const database = openForWriting('archive', file)
  database
    .prepare(`INSERT INTO syncs (source, from_at, to_at, clock_ahead_ms) VALUES ('events', '', '', ?)`)
    .run(clockAheadMs)
  // Tells a reader of the view which present it was judged by.
  database.exec(
    `INSERT INTO deliveries (delivery_id, status, outcome, seen_at) VALUES ('known', 'failed', 'failed', '')`,
  )
  const insert = database.prepare(
    `INSERT INTO deliveries (delivery_id, status, status_reason_code, status_since, ended_at, created_at, promised_by, promise_source, position_at, seen_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
  )
  const text = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  for (const { id, status, reason, sinceMs, promisedMs, source, positionMs } of rows)
    insert.run(
      String(id),
      status,
      reason,
      text(sinceMs),
      status === 'delivered' ? text(sinceMs) : null,
      text((sinceMs ?? 0) - minuteMs),
      text(promisedMs),
      promisedMs === undefined ? null : source,
      text(positionMs),
    )
  return { database, file }
}

/** Deliveries with the given ages, seen from a service whose clock is ahead by so much. */
const world = fc.record({
  clockAheadMs: fc.constantFrom(0, 40 * 24 * 60 * minuteMs, -3 * 60 * minuteMs),
  deliveries: fc.array(drawn, { minLength: 150, maxLength: 150 }),
})

function rowsOf({ clockAheadMs, deliveries }: typeof world extends fc.Arbitrary<infer World> ? World : never): Row[] {
  const nowMs = Date.now() + clockAheadMs
  return deliveries.map(({ status, reason, sinceAgo, promisedAgo, source, positionAgo, isPrecise }, id) => {
    const at = (ago: number | null) =>
      ago === null ? undefined : isPrecise ? nowMs - ago : Math.floor((nowMs - ago) / 1_000) * 1_000
    return {
      id,
      status,
      reason,
      sinceMs: at(sinceAgo),
      promisedMs: at(promisedAgo),
      source,
      positionMs: at(positionAgo),
    }
  })
}

describe('The view problems', () => {
  it('says of any delivery what lists and boards say', () => {
    fc.assert(
      fc.property(world, (drawnWorld) => {
        const rows = rowsOf(drawnWorld)
        const { database } = archiveOf(rows, drawnWorld.clockAheadMs)
        const found = new Map(
          database
            .prepare('SELECT * FROM problems')
            .all()
            .map((row) => [row.delivery_id, row]),
        )
        const nowMs = Date.parse(String(found.get('known')?.as_of))
        expect(Math.abs(nowMs - Date.now() - drawnWorld.clockAheadMs)).toBeLessThan(20_000)
        for (const { id, status, reason, sinceMs, promisedMs, source, positionMs } of rows) {
          const promise = promisedMs === undefined ? undefined : { promisedByMs: promisedMs, source }
          const standing = { status, statusReasonCode: reason, sinceMs, promise, positionMs }
          const told = problemOf(standing, nowMs)
          const problem = columnOf(standing, told, nowMs) === 'done' ? undefined : told
          const row = found.get(String(id))
          expect({ status, problem: row?.problem, late: row?.late_seconds }).toEqual({
            status,
            problem: problem?.text,
            late: problem && Math.floor(problem.lateMs / 1_000),
          })
        }
        database.close()
      }),
      { numRuns: sampleCount(12), endOnFailure: true },
    )
  })

  it('is plain SQL, which the sqlite3 shell reads too', () => {
    const { database, file } = archiveOf([], 0)
    database.close()
    const shell = (sql: string) => execFileSync('sqlite3', ['-readonly', file, sql], { encoding: 'utf8' })
    expect(shell('select problem from problems')).toBe('failed\n')
    expect(shell('select day, deliveries, failed from daily')).toBe('|1|1\n')
    expect(shell('select * from on_time; select * from webhook_health')).toBe('')
  })
})

describe('The view on_time', () => {
  it('judges as a report does', () => {
    fc.assert(
      fc.property(world, (drawnWorld) => {
        const rows = rowsOf(drawnWorld).map((row) => ({
          ...row,
          status: 'delivered',
          sinceMs: row.sinceMs ?? Date.now(),
        }))
        const { database } = archiveOf(rows, 0)
        const judged = database.prepare('SELECT * FROM on_time').all()
        for (const { id, sinceMs, promisedMs } of rows) {
          const row = judged.find((one) => one.delivery_id === String(id))
          const lateMs = promisedMs === undefined ? undefined : lateByMs(promisedMs, sinceMs)
          expect([row?.is_on_time, row?.late_seconds]).toEqual(
            lateMs === undefined ? [null, null] : [Number(lateMs === 0), Math.floor(lateMs / 1_000)],
          )
        }
        const promises = new Map(rows.map(({ id, promisedMs }) => [String(id), promisedMs] as const))
        const tally = new MetricsTally({
          file: new Map([...promises].flatMap(([id, ms]) => (ms === undefined ? [] : [[id, ms]]))),
        })
        for (const { id, sinceMs } of rows)
          tally.add({
            ...figuresOf([{ status: 'delivered', atMs: sinceMs }]),
            latest: { clientOrderReference: String(id) },
            firstEtaMs: undefined,
            windowStartMs: undefined,
            windowEndMs: undefined,
          })
        const metrics = tally.metrics()
        const total = database.prepare('SELECT avg(is_on_time) AS value, count(is_on_time) AS n FROM on_time').get()
        expect({ value: total?.value, n: total?.n }).toEqual({ value: metrics.onTime.value, n: metrics.onTime.n })
        database.close()
      }),
      { numRuns: sampleCount(5), endOnFailure: true },
    )
  })
})

describe('A view', () => {
  it('has the columns that are described', () => {
    const { database } = archiveOf([], 0)
    for (const [name, { columns }] of Object.entries(views))
      expect(
        database
          .prepare(`SELECT * FROM ${name}`)
          .columns()
          .map((column) => column.name),
      ).toEqual(Object.keys(columns))
    database.close()
  })

  it('is replaced in a file that a version with other limits has written', () => {
    const { database, file } = archiveOf([], 0)
    database.exec(`DROP VIEW problems; CREATE VIEW problems AS SELECT 'older' AS problem`)
    database.close()
    const opened = openForWriting('archive', file)
    const [, created] = viewStatements('sqlite')
    expect(opened.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'problems'`).get()?.sql).toBe(created)
    opened.close()
  })
})
