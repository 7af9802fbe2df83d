import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournal, readJournal, salvageJournal } from '../../src/listener/index.js'
import { seededRandom } from '../../src/shared/seeded-random.js'
import { createTempDir } from '../support/temp-dir.js'

const pageBytes = 4_096
const eventCount = 300

/** The body of an event: every tenth is so large that it lies in many pages. */
function bodyOf(number: number): Buffer {
  const note = number % 10 === 0 ? 'x'.repeat(20_000 + number) : 'short'
  return Buffer.from(`{ "eventId":"evt_${number}", "note":"${note}", "n":${number}.0 }`)
}

/** A journal of many events that was closed, or that a killed listener left with its write-ahead log. */
async function filledJournal(isClosed: boolean): Promise<string> {
  const directory = createTempDir()
  const original = join(directory, 'original.db')
  const journal = await openJournal(original)
  onTestFinished(() => journal.close())
  const receivedAtMs = Date.now()
  for (let first = 0; first < eventCount; first += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const number = first + index
        return journal.append({
          id: `evt_${number}`,
          source: number % 2 === 0 ? 'webhook' : 'pull',
          receivedAtMs: receivedAtMs + number,
          timestampSeconds: 1_772_463_600 + number,
          secret: 'test',
          rawHeaders: ['webhook-id', `evt_${number}`],
          body: bodyOf(number),
          eventType: 'delivery.accepted',
          deliveryId: number % 3 === 0 ? undefined : `del_${number}`,
          occurredAt: '2026-03-02T15:00:00.000Z',
          forwardTo: ['http://localhost:3000/'],
        })
      }),
    )
  }
  if (isClosed) await journal.close()
  const file = join(directory, 'journal.db')
  copyFileSync(original, file)
  if (!isClosed) copyFileSync(`${original}-wal`, `${file}-wal`)
  return file
}

/** Writes garbage over pages, counted from 1. */
function overwrite(file: string, pages: readonly number[], random = seededRandom(1)): void {
  const bytes = readFileSync(file)
  for (const page of pages)
    for (let at = (page - 1) * pageBytes; at < page * pageBytes && at < bytes.length; at++)
      bytes[at] = Math.floor(random() * 256)
  writeFileSync(file, bytes)
}

function rootPageOf(file: string, table: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  database.close()
  return Number(row?.rootpage)
}

/** Salvages, and looks at what came out: only whole events, in order. */
async function salvaged(file: string) {
  const to = `${file}.salvaged`
  const report = salvageJournal(file, to)
  const reader = await readJournal(to)
  const events = await Array.fromAsync(reader.list())
  await reader.close()
  const numbers = events.map(({ id }) => Number(id.slice(4)))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  for (const [index, event] of events.entries()) {
    const number = numbers[index] ?? -1
    expect(Buffer.from(event.body).equals(bodyOf(number))).toBe(true)
    expect([event.source, event.rawHeaders]).toEqual([number % 2 === 0 ? 'webhook' : 'pull', ['webhook-id', event.id]])
  }
  expect(report.recovered).toBe(events.length)
  const database = new DatabaseSync(to)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  database.close()
  return { ...report, events }
}

const kinds: [name: string, damage: (file: string) => void, recovered: (count: number) => boolean][] = [
  ['whose first page is garbage', (file) => overwrite(file, [1]), (count) => count === eventCount],
  [
    'whose tree has lost its root',
    (file) => overwrite(file, [rootPageOf(file, 'events')]),
    (count) => count === eventCount,
  ],
  [
    'with garbage in the middle',
    (file) => overwrite(file, [20, 21, 22, 60]),
    (count) => count > eventCount / 2 && count < eventCount,
  ],
  [
    'that was cut in half',
    (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
    (count) => count > eventCount / 4 && count < eventCount,
  ],
  ['that is a text', (file) => writeFileSync(file, 'this was a journal once. '.repeat(1_000)), (count) => count === 0],
]

describe.each(kinds)('a journal %s', (_, damage, isExpected) => {
  it('is said to be damaged, with what to do', async () => {
    const file = await filledJournal(true)
    damage(file)
    const read = async () => {
      const reader = await readJournal(file)
      onTestFinished(() => reader.close())
      const all = [
        ...(await Array.fromAsync(reader.list())),
        ...(await Array.fromAsync(reader.list({ deliveryId: 'del_1' }))),
      ]
      for (const { id, seq } of all) {
        await reader.get(id)
        await reader.forwardsOf(seq)
      }
    }
    await expect(read()).rejects.toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringContaining(`The journal ${file} is damaged: `),
        hint: expect.stringContaining(`dlv webhooks log --journal ${file} --salvage ${file}.salvaged`),
      }),
    )
  })

  it('gives back what can be read', async () => {
    const file = await filledJournal(true)
    damage(file)
    const { recovered } = await salvaged(file)
    expect(isExpected(recovered), `recovered ${recovered}`).toBe(true)
  })
})

it('a journal whose headers of an event are damaged is said to be damaged', async () => {
  const file = await filledJournal(true)
  const database = new DatabaseSync(file)
  database.exec("UPDATE events SET raw_headers = '[\"webhook' WHERE id = 'evt_7'")
  database.close()
  const reader = await readJournal(file)
  onTestFinished(() => reader.close())
  await expect(reader.get('evt_7')).rejects.toThrow(
    `The journal ${file} is damaged: the headers of event evt_7 are not JSON.`,
  )
  expect(await salvaged(file)).toMatchObject({ recovered: eventCount - 1, damaged: 1 })
})

it('what a killed listener had only in its write-ahead log is salvaged, although the file is garbage', async () => {
  const file = await filledJournal(false)
  const inFile = Math.ceil(readFileSync(file).length / pageBytes)
  overwrite(
    file,
    Array.from({ length: inFile }, (_, index) => index + 1),
  )
  expect((await salvaged(file)).recovered).toBe(eventCount)
})

it('a body that lost one of its pages is counted, not copied', async () => {
  const file = await filledJournal(true)
  const bytes = readFileSync(file)
  // In a page of its own somewhere in the body of evt_250.
  const at = bytes.lastIndexOf('x'.repeat(pageBytes - 4))
  bytes.fill(0x01, at, at + 100)
  writeFileSync(file, bytes)
  expect(await salvaged(file)).toMatchObject({ recovered: eventCount - 1, damaged: 1 })
})

it('garbage at random places never ends a salvage', async () => {
  const file = await filledJournal(true)
  const whole = readFileSync(file)
  const random = seededRandom(Date.now())
  const pages = Math.floor(whole.length / pageBytes)
  const damagedFile = `${file}.damaged`
  for (let round = 0; round < 25; round++) {
    const bytes = Buffer.from(whole)
    // Mostly in the parts that say where everything lies.
    for (let change = 0; change < 20; change++) {
      const page = Math.floor(random() * pages)
      bytes[page * pageBytes + Math.floor(random() * (change % 2 === 0 ? 64 : pageBytes))] = Math.floor(random() * 256)
    }
    writeFileSync(damagedFile, bytes)
    const to = `${damagedFile}.${round}`
    const { recovered, damaged } = salvageJournal(damagedFile, to)
    expect(recovered).toBeGreaterThan(eventCount / 2)
    expect(recovered + damaged).toBeLessThanOrEqual(eventCount)
  }
})

it('a salvage changes nothing that there is, and waits for nobody', async () => {
  const file = await filledJournal(true)
  writeFileSync(`${file}.salvaged`, '')
  expect(() => salvageJournal(file, `${file}.salvaged`)).toThrow('exists already')
  expect(() => salvageJournal(`${file}.missing`, `${file}.new`)).toThrow('Journal not found')
  const journal = await openJournal(file)
  onTestFinished(() => journal.close())
  expect(() => salvageJournal(file, `${file}.new`)).toThrow('in use by process')
})
