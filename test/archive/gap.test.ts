import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { gapsIn, mergedPeriods } from '../../src/archive/files.js'
import type { EventRecord } from '../../src/contract/index.js'
import { openJournal } from '../../src/listener/index.js'
import { dayMs } from '../../src/shared/durations.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { jsonLines } from '../support/json-lines.js'

describe('An archive that was not filled for longer than the service keeps events', () => {
  const cli = createCli(afterAll)
  let deliveries = 0
  let events = 0
  let accepted = 0

  beforeAll(async () => {
    await cli.run(['sandbox', 'seed', '--over', '6h', '--count', '12', '--pace', 'real', '--seed', '5'])
    await cli.run(['sync'])
    const counted = await cli.run([
      'query',
      "select (select count(*) from deliveries), count(*), sum(event_type = 'delivery.accepted') from events",
      '-o',
      'csv',
    ])
    ;[deliveries = 0, events = 0, accepted = 0] = (counted.stdout.trim().split(/\s+/).at(-1) ?? '')
      .split(',')
      .map(Number)
    await cli.run(['sandbox', 'clock', 'advance', '40d'])
  })

  it('holds the dictionary by which other programs read the JSON of events', () => {
    const data = join(cli.home, '.local/share/dlv')
    const database = (file: string) => new DatabaseSync(join(data, file), { readOnly: true })
    const words = database('archive-local.db')
      .prepare("SELECT value FROM settings WHERE name = 'body_dictionary'")
      .get()
    const sql = "SELECT id, body FROM bodies WHERE kind = 'event' LIMIT 1"
    const { id, body } = database('archive-local.people.db').prepare(sql).get() as { id: string; body: Uint8Array }
    const json = inflateSync(body, { dictionary: Buffer.from(String(words?.value)) }).toString()
    expect(JSON.parse(json)).toMatchObject({ eventId: id })
  })

  it('lists the events that it kept, in both directions, by delivery and type', async () => {
    expect(events).toBeGreaterThan(20)
    const list = async (...flags: string[]) => {
      const { stdout, stderr } = await cli.run(['events', 'list', '--since', '60d', '-o', 'ndjson', ...flags])
      expect(stderr).toMatch(/The archive has no events from \S+ to \S+\./)
      return jsonLines<{ eventId: string; eventType: string; deliveryId: string; data: { delivery?: object } }>(stdout)
    }
    const all = await list('--all')
    expect(all).toHaveLength(events)
    expect(all[0]?.data.delivery).toBeDefined()
    const newest = await list('--newest', '--limit', '3')
    expect(newest.map(({ eventId }) => eventId)).toEqual(
      all
        .slice(-3)
        .reverse()
        .map(({ eventId }) => eventId),
    )
    const { deliveryId = '' } = all[0] ?? {}
    const ofOne = await list('--all', '--delivery', deliveryId)
    expect(ofOne).toEqual(all.filter((event) => event.deliveryId === deliveryId))
    const ofType = await list('--all', '--type', 'delivery.accepted')
    expect(ofType).toEqual(all.filter((event) => event.eventType === 'delivery.accepted'))
  })

  it('sends them again, by their period and type', async () => {
    const { url, sent } = await countingReceiver()
    const words = ['events', 'replay', '--since', '60d', '--type', 'accepted', '--to', url, '-o', 'ndjson']
    const { stdout, stderr } = await cli.run(words)
    expect(stderr).toMatch(/The archive has no events from \S+ to \S+\./)
    const replayed = jsonLines<{ eventId: string; outcome: string }>(stdout)
    expect(replayed.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(accepted)
    expect(sent).toEqual(replayed.map(({ eventId }) => eventId))
  })

  it('reports on them, and names the gap in report, sync and syncs', async () => {
    const { stdout, stderr } = await cli.run(['report', '--from', '60d', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ deliveries, gaps: [{ events: 0 }] })
    expect(stderr).toMatch(
      /The archive has no events from \S+ to \S+: what began then is not counted\. dlv sync --backfill/,
    )
    const { older, from } = await cli.json<{ older: { from: string; to: string }[]; from: string }>(['sync'])
    expect(older).toHaveLength(1)
    expect(Date.parse(older[0]?.to ?? '')).toBeLessThan(Date.parse(from))
    const { stdout: rows } = await cli.run(['query', 'select source from syncs order by 1', '-o', 'csv'])
    expect(rows).toMatch(/^source\s+events\s+events until \S+\s*$/)
    const early = await cli.run(['report', '--from', '400d'])
    expect(early).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('too early') })
  })

  it('closes the gap with a backfill, and says nothing of it then', async () => {
    await cli.run(['sync', '--backfill', '50d'])
    const { stdout, stderr } = await cli.run(['report', '--from', '60d', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ deliveries })
    expect(stderr).not.toContain('has no events')
  })

  it('forgets a period that --keep drops', async () => {
    await cli.run(['sync', '--keep', '35d'])
    const { stdout } = await cli.run(['query', 'select source from syncs order by 1', '-o', 'csv'])
    expect(stdout.trim().split(/\s+/)).toEqual(['source', 'backfill', 'events'])
    const early = await cli.run(['report', '--from', '60d'])
    expect(early).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('too early') })
  })
})

it('reports on what only a journal received, and says so', async () => {
  const cli = createCli(onTestFinished)
  await cli.run(['sandbox', 'seed', '--over', '6h', '--count', '12', '--pace', 'real', '--seed', '5'])
  const events = jsonLines<EventRecord>(
    (await cli.run(['events', 'list', '--since', '7h', '--all', '-o', 'ndjson'])).stdout,
  )
  const file = join(cli.home, 'received.db')
  const journal = await openJournal(file)
  for (const { eventId: id, eventType, occurredAt, deliveryId, data } of events)
    await journal.append({
      id,
      source: 'webhook',
      timestampSeconds: Math.floor(Date.parse(occurredAt) / 1_000),
      secret: 'test',
      rawHeaders: ['webhook-id', id],
      forwardTo: [],
      body: Buffer.from(JSON.stringify(data)),
      receivedAtMs: Date.parse(occurredAt) + 1_000,
      eventType,
      occurredAt,
      deliveryId: deliveryId ?? undefined,
    })
  await journal.close()
  await cli.run(['sandbox', 'clock', 'advance', '40d'])
  const deliveries = new Set(events.flatMap(({ deliveryId }) => deliveryId ?? [])).size
  await cli.run(['sync', '--journal', file])
  const { stdout, stderr } = await cli.run(['report', '--from', '60d', '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({ deliveries, gaps: [{ events: events.length }] })
  expect(stderr).toContain('of what began then, only what a journal received is counted. dlv sync --backfill')
  // The journal's own events are not those that the service still lists.
  const { url, sent } = await countingReceiver()
  const again = ['events', 'replay', '--verbatim', '--since', '60d', '--journal', file, '--to', url]
  expect((await cli.run(again, { nowMs: () => Date.now() + 40 * dayMs })).stderr).not.toContain('kept for 30 days')
  expect(sent).toHaveLength(events.length)
})

async function countingReceiver() {
  const sent: string[] = []
  const url = await startHttpServer((request, response) => {
    sent.push(String(request.headers['webhook-id']))
    request.resume().once('end', () => response.end())
  })
  return { url, sent }
}

it('periods that touch are one, and what lies between others is a gap', () => {
  const merged = mergedPeriods([
    { fromMs: 50, toMs: 60 },
    { fromMs: 10, toMs: 20 },
    { fromMs: 20, toMs: 30 },
    { fromMs: 12, toMs: 15 },
  ])
  expect(merged).toEqual([
    { fromMs: 10, toMs: 30 },
    { fromMs: 50, toMs: 60 },
  ])
  expect(gapsIn({ fromMs: 0, toMs: 70 }, merged)).toEqual([
    { fromMs: 0, toMs: 10 },
    { fromMs: 30, toMs: 50 },
    { fromMs: 60, toMs: 70 },
  ])
  expect(gapsIn({ fromMs: 15, toMs: 30 }, merged)).toEqual([])
  expect(gapsIn({ fromMs: 35, toMs: 40 }, merged)).toEqual([{ fromMs: 35, toMs: 40 }])
})
