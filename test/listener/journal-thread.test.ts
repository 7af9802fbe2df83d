import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type JournalEntry, type JournalOptions, openJournal, readJournal } from '../../src/listener/index.js'
import { createTempDir } from '../support/temp-dir.js'
import { until } from '../support/until.js'

/** The threads of this process that have said they can write, and have not ended. */
const threads = new Set<Worker>()
const hasThread = () => threads.size > 0

const watch = (worker: Worker) => {
  worker.once('message', () => threads.add(worker)).once('exit', () => threads.delete(worker))
}
beforeAll(() => process.on('worker', watch))
afterAll(() => process.off('worker', watch))

function entryOf(id: string, change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id,
    source: 'webhook',
    receivedAtMs: 1_772_463_600_000,
    timestampSeconds: 1_772_463_600,
    secret: 'test',
    rawHeaders: ['Webhook-Id', id],
    body: Buffer.from(`{"eventId":"${id}","note":"${'ä'.repeat(Number(id.slice(-1)) || 0)}"}`),
    forwardTo: ['http://127.0.0.1:1/'],
    ...change,
  }
}

/** A journal that a thread writes by now, and the ids that it holds. */
async function openBusyJournal(options: JournalOptions = {}) {
  const file = join(createTempDir(), 'journal.db')
  const journal = await openJournal(file, options)
  onTestFinished(() => journal.close())
  const ids: string[] = []
  /** The ids that were kept. */
  const appendMany = async (count: number) => {
    const append = async () => {
      const id = `evt_${ids.length}`
      ids.push(id)
      await journal.append(entryOf(id))
      return id
    }
    const settled = await Promise.allSettled(Array.from({ length: count }, append))
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }
  await until('a thread', async () => {
    await appendMany(20)
    return hasThread()
  })
  for (let group = 0; group < 30; group++) await appendMany(20)
  return { journal, file, ids, appendMany }
}

describe('a journal that is written in a thread', () => {
  it('is not, while events come one after the other', async () => {
    const journal = await openJournal(join(createTempDir(), 'journal.db'))
    for (let number = 0; number < 100; number++) await journal.append(entryOf(`evt_${number}`))
    expect(hasThread()).toBe(false)
    await journal.close()
  })

  it('numbers events in order, knows them again, and is read at once', async () => {
    const { journal, file, ids } = await openBusyJournal()
    const [first, again, other] = await Promise.all([
      journal.append(entryOf('evt_new', { eventType: 'driver.updated', deliveryId: 'del_1', occurredAt: 'then' })),
      journal.append(entryOf('evt_new')),
      journal.append(entryOf('evt_new', { body: Buffer.from('{}') })),
    ])
    const seq = ids.length + 1
    expect([first, again, other]).toEqual([
      { outcome: 'new', seq },
      { outcome: 'duplicate', seq },
      { outcome: 'conflict', seq },
    ])
    expect(await journal.get('evt_new')).toMatchObject({
      seq,
      repeats: 1,
      conflicts: 1,
      eventType: 'driver.updated',
      deliveryId: 'del_1',
      occurredAt: 'then',
      rawHeaders: ['Webhook-Id', 'evt_new'],
    })
    await journal.setCursor('pull', 'here')
    expect(await journal.cursor('pull')).toBe('here')
    const forward = { seq, id: 'evt_new', lane: 'evt_new' }
    const url = 'http://127.0.0.1:1/'
    expect(await journal.forwards.finish({ forward, url, delivered: true, attempts: 2, status: 204 })).toBe(true)
    expect(await journal.forwardsOf(seq)).toEqual([{ url, state: 'delivered', attempts: 2, status: 204 }])
    await journal.close()
    expect(hasThread()).toBe(false)
    expect(statSync(file).size).toBeGreaterThan(100_000)
    const reader = await readJournal(file)
    expect(await reader.count()).toBe(seq)
    const listed: unknown[] = []
    for await (const event of reader.list()) listed.push([event.seq, Buffer.from(event.body).toString()])
    expect(listed).toEqual([...ids, 'evt_new'].map((id, index) => [index + 1, String(entryOf(id).body)]))
    await reader.close()
  })

  it('closes after what was handed over before is on disk', async () => {
    const { journal, file, ids, appendMany } = await openBusyJournal()
    const [kept] = await Promise.all([appendMany(500), journal.close()])
    expect(kept).toHaveLength(500)
    const reader = await readJournal(file)
    expect(await reader.count()).toBe(ids.length)
    await reader.close()
  })

  it('takes nothing more once the file is full, and has kept all that it said it had', async () => {
    const failures: string[] = []
    const { journal, file, appendMany } = await openBusyJournal({
      maxBytes: 1_500_000,
      onFailure: ({ message }) => failures.push(message),
    })
    const kept: string[] = []
    while (journal.failure() === undefined) kept.push(...(await appendMany(200)))
    expect(failures).toEqual([`Cannot write the journal ${file}: database or disk is full.`])
    await expect(journal.append(entryOf('evt_late'))).rejects.toThrow('disk is full')
    expect(kept.length).toBeGreaterThan(1_000)
    expect((await journal.has(kept)).size).toBe(kept.length)
  })
})
