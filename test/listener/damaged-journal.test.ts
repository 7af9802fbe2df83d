import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournal, readJournal } from '../../src/listener/index.js'
import { seededRandom } from '../../src/shared/math.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'

const pageBytes = 4_096
const eventCount = 300

/** The body of an event: every tenth is so large that it lies in many pages. */
function bodyOf(number: number): Buffer {
  const note = number % 10 === 0 ? 'x'.repeat(20_000 + number) : 'short'
  return Buffer.from(`{ "eventId":"evt_${number}", "note":"${note}", "n":${number}.0 }`)
}

/** A journal of many events. */
async function filledJournal(): Promise<string> {
  const file = join(createTempDir(), 'journal.db')
  const journal = await openJournal(file)
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
  await journal.close()
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

const kinds: [name: string, damage: (file: string) => void][] = [
  ['whose first page is garbage', (file) => overwrite(file, [1])],
  ['whose tree has lost its root', (file) => overwrite(file, [rootPageOf(file, 'events')])],
  ['with garbage in the middle', (file) => overwrite(file, [20, 21, 22, 60])],
  ['that was cut in half', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['that is a text', (file) => writeFileSync(file, 'this was a journal once. '.repeat(1_000))],
]

describe.each(kinds)('a journal %s', (_, damage) => {
  it('is said to be damaged, with what to do', async () => {
    const file = await filledJournal()
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
        hint: [
          `Fetch what the service still has into a new journal: startListener({ journal: "${file}.new" }) and pullEvents({ listener })`,
          `Recover older events from the damaged file: sqlite3 ${file} .recover | sqlite3 ${file}.recovered`,
        ].join('\n'),
      }),
    )
  })
})

it('a journal whose headers of an event are damaged is said to be damaged', async () => {
  const file = await filledJournal()
  alterFile(file, "UPDATE events SET raw_headers = '[\"webhook' WHERE id = 'evt_7'")
  const reader = await readJournal(file)
  onTestFinished(() => reader.close())
  await expect(reader.get('evt_7')).rejects.toThrow(
    `The journal ${file} is damaged: the headers of event evt_7 are not JSON.`,
  )
})
