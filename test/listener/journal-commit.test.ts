import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { groupCommit } from '../../src/listener/journal-commit.js'

let folder: string
let database: DatabaseSync
let failures: Error[]
/** Syncs that were begun, each for the test to end. */
let syncs: { end(): void; fail(error: Error): void }[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dlv-commit-'))
  database = new DatabaseSync(join(folder, 'journal.db'))
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE kept (id TEXT UNIQUE)')
  failures = []
  syncs = []
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

/** A commit whose disk takes as long as the test likes. */
function slowDisk() {
  const sync = {
    begin: () =>
      new Promise<void>((resolve, reject) => {
        syncs.push({ end: resolve, fail: reject })
      }),
    now: () => {},
  }
  const commit = groupCommit(database, sync, 'journal.db', (failure) => failures.push(failure))
  const insert = database.prepare('INSERT INTO kept VALUES (?)')
  return { commit, keep: (id: string) => commit.write(() => Number(insert.run(id).changes)) }
}

const kept = () => database.prepare('SELECT id FROM kept ORDER BY id').all().length

async function syncBegun(count: number): Promise<void> {
  while (syncs.length < count) await turn()
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  await turn()
  return Promise.race([promise.then(() => true), turn(false)])
}

describe('A commit of the journal', () => {
  it('tells no writer that it is done before the disk has said so', async () => {
    const { keep } = slowDisk()
    const first = keep('a')
    await syncBegun(1)
    expect(kept()).toBe(1)
    expect(await isSettled(first)).toBe(false)
    syncs[0]?.end()
    expect(await first).toBe(1)
  })

  it('takes all that arrive during a sync into the next one, and counts none of them done by the first', async () => {
    const { keep } = slowDisk()
    const first = keep('a')
    await syncBegun(1)
    const later = ['b', 'c', 'd'].map(keep)
    syncs[0]?.end()
    await first
    await syncBegun(2)
    expect(await isSettled(Promise.race(later))).toBe(false)
    syncs[1]?.end()
    await Promise.all(later)
    expect(syncs).toHaveLength(2)
    expect(kept()).toBe(4)
  })

  it('refuses what a failed sync was for, what waited behind it and all that comes later, and says so once', async () => {
    const { keep, commit } = slowDisk()
    const first = keep('a')
    await syncBegun(1)
    const waiting = keep('b')
    syncs[0]?.fail(new Error('EIO: i/o error, fdatasync'))
    for (const refused of [first, waiting])
      await expect(refused).rejects.toThrow(/journal\.db can no longer be written/)
    await expect(keep('c')).rejects.toThrow('EIO')
    expect(failures).toHaveLength(1)
    expect(commit.failure()).toBe(failures[0])
    commit.flush()
    expect(syncs).toHaveLength(1)
  })

  it('refuses a whole transaction where one of its writes fails, and leaves none of it', async () => {
    const { keep } = slowDisk()
    const group = ['a', 'a'].map(keep)
    for (const refused of group) await expect(refused).rejects.toThrow('UNIQUE')
    expect(kept()).toBe(0)
    expect(failures).toHaveLength(1)
  })

  it('brings everything to the disk at once when it is flushed, what is under way as well', async () => {
    const { keep, commit } = slowDisk()
    const first = keep('a')
    await syncBegun(1)
    const second = keep('b')
    commit.flush()
    expect(await Promise.all([first, second])).toEqual([1, 1])
    const third = keep('c')
    syncs[0]?.end()
    await syncBegun(2)
    syncs[1]?.end()
    expect(await third).toBe(1)
  })
})
