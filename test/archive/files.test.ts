import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ArchivePaths,
  ArchiveReader,
  archivePaths,
  openArchive,
  openForReading,
  runQuery,
} from '../../src/archive/index.js'
import type { UsageError } from '../../src/contract/index.js'
import { eventList, fillOnce, pathsIn, startMs, tablesOf } from '../support/archive/event-list.js'
import { createTempDir } from '../support/temp-dir.js'

const hourMs = 3_600_000
const people = ['Jordan 7', '+19105551007', '19105551007', '7 Ramsey Street', 'ramsey', 'Ring twice', 'Priya 1']

function someEvents(count = 30) {
  const events = Array.from({ length: count }, (_, at) => ({
    delivery: at % 10,
    status: 'accepted',
    atMs: at * 60_000,
    driver: at % 3,
  }))
  const list = eventList(events)
  list.setNow(hourMs)
  return list
}

const openForTest = (paths: ArchivePaths) => openArchive(paths, { nowMs: () => startMs })

function rowsOf(paths: ArchivePaths, sql: string): Record<string, unknown>[] {
  const database = openForReading('archive', paths.archive)
  const rows = database.prepare(sql).all()
  database.close()
  return rows
}

/** What of these texts is in the bytes of a directory's archive files. */
function found(directory: string, texts: readonly string[]): string[] {
  const files = readdirSync(directory).map((name) => readFileSync(`${directory}/${name}`))
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)))
}

describe('The files of an archive', () => {
  it('are for their owner only, with a name that any profile can have', async () => {
    const directory = createTempDir()
    const paths = archivePaths(directory, 'a/b:é')
    expect(paths.archive).toBe(`${directory}/archive-a%2fb%3a%e9.db`)
    await fillOnce(paths, someEvents())
    for (const path of Object.values(paths)) expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('are refused under the name of another account, as a copy, a link or renamed, and stay as they are', async () => {
    const directory = createTempDir()
    const [one, two] = [pathsIn(directory, 'one'), pathsIn(directory, 'two')]
    await fillOnce(one, someEvents())
    const ways = [cpSync, linkSync, symlinkSync, renameSync]
    for (const file of ['archive', 'people'] as const)
      for (const way of ways) {
        await fillOnce(two, someEvents())
        const whole = readFileSync(one[file])
        rmSync(two[file])
        way(one[file], two[file])
        const refused = /that of another account: it was archive-one\.db/
        expect(() => openForReading(file, two[file]), `${way.name} ${file}`).toThrow(refused)
        await expect(openArchive(two, { nowMs: Date.now }), way.name).rejects.toThrow(refused)
        expect(readFileSync(two[file]), way.name).toEqual(whole)
        if (way === renameSync) renameSync(two[file], one[file])
        else rmSync(two[file])
      }
    expect(tablesOf(one).deliveries).not.toEqual([])
  })

  it('are refused with the word newer, if a newer version wrote them', async () => {
    const paths = pathsIn(createTempDir())
    await fillOnce(paths, someEvents())
    const database = new DatabaseSync(paths.archive)
    database.exec('PRAGMA user_version = 99')
    database.close()
    await expect(openForTest(paths)).rejects.toThrow(/written by a newer dlv \(version 99/)
    expect(() => openForReading('archive', paths.archive)).toThrow(/newer/)
  })

  it('are refused if they are another database, or damaged, and say so', async () => {
    const paths = pathsIn(createTempDir())
    new DatabaseSync(paths.archive).exec('CREATE TABLE mine (one)')
    await expect(openForTest(paths)).rejects.toThrow('is a database, but not an archive of dlv')
    rmSync(paths.archive)
    writeFileSync(paths.archive, 'no database at all, but long enough to be read as one'.repeat(100))
    await expect(openForTest(paths)).rejects.toThrow('is damaged')
    rmSync(paths.archive)
    await fillOnce(paths, someEvents())
    truncateSync(paths.archive, 8 * 4_096)
    await expect(fillOnce(paths, someEvents())).rejects.toThrow('is damaged')
    expect(existsSync(paths.archive)).toBe(true)
    rmSync(paths.archive)
    mkdirSync(paths.archive)
    await expect(openForTest(paths)).rejects.toThrow('is a directory')
  })

  it('name the second one if that is damaged, also where both are read or written together', async () => {
    const paths = pathsIn(createTempDir())
    await fillOnce(paths, someEvents())
    const bytes = readFileSync(paths.people)
    writeFileSync(paths.people, bytes.fill(7, 4_096))
    const read = () => [...ArchiveReader.open(paths, { people: true }).deliveries()]
    expect(read).toThrow(`The archive ${paths.people} is damaged`)
    const list = eventList([{ delivery: 99, status: 'accepted', atMs: 0 }])
    list.setNow(hourMs)
    await expect(fillOnce(paths, list)).rejects.toThrow(`The archive ${paths.people} is damaged`)
  })

  it('say of a damaged one what to type, and with that have all again that can be read', async () => {
    const paths = pathsIn(createTempDir(), "it's mine")
    const old = eventList(
      Array.from({ length: 400 }, (_, at) => ({ delivery: at, status: 'accepted', atMs: at * 1_000 })),
    )
    old.setNow(hourMs)
    await fillOnce(paths, old, { personal: false })
    const [{ rootpage = 0 } = {}] = rowsOf(paths, "SELECT rootpage FROM sqlite_schema WHERE name = 'status_history'")
    const bytes = readFileSync(paths.archive)
    bytes.fill(7, (Number(rootpage) - 1) * 4_096, Number(rootpage) * 4_096)
    writeFileSync(paths.archive, bytes)
    const query = () => [
      ...runQuery({ paths, sql: 'SELECT * FROM status_history', parameters: {}, withPeople: false }).rows,
    ]
    const failure = await Promise.resolve()
      .then(query)
      .then(
        () => expect.fail(),
        (error: UsageError) => error,
      )
    expect(failure.message).toBe(`The archive ${paths.archive} is damaged: database disk image is malformed.`)
    const [again = '', rest = ''] = (failure.hint ?? '').split('\n').map((line) => line.slice(line.indexOf(': ') + 2))
    expect(again).toMatch(/dlv sync --from 30d --no-personal$/)
    execFileSync('sh', ['-c', again.replace(/; dlv sync.*/, '')])
    await fillOnce(paths, eventList([{ delivery: 0, status: 'accepted', atMs: 0 }]), { personal: false })
    execFileSync('sh', ['-c', rest], { stdio: 'ignore' })
    const [{ count = 0 } = {}] = rowsOf(paths, 'SELECT count(*) AS count FROM deliveries')
    expect(count).toBe(400)
  })

  it('are filled again if the second one is missing', async () => {
    const paths = pathsIn(createTempDir())
    await fillOnce(paths, someEvents())
    rmSync(paths.people)
    const list = someEvents()
    list.setNow(3 * 24 * hourMs)
    await fillOnce(paths, list)
    expect(tablesOf(paths).people).toHaveLength(10)
    expect(tablesOf(paths).bodies).toHaveLength(30)
  })

  it('stay whole if the disk is full, and are filled when it is not', async () => {
    const [paths, whole] = [pathsIn(createTempDir(), 'full'), pathsIn(createTempDir(), 'whole')]
    const list = eventList(
      Array.from({ length: 400 }, (_, at) => ({ delivery: at, status: 'accepted', atMs: at * 1_000 })),
      () => 20,
    )
    list.setNow(hourMs)
    const writer = await openForTest(paths)
    const { fillArchive } = await import('../../src/archive/index.js')
    const fill = { nowMs: () => startMs, fromMs: () => startMs, onWarning: () => {} }
    writer.people?.exec('PRAGMA max_page_count = 40')
    await expect(fillArchive(writer, list.service, fill)).rejects.toThrow(/Cannot write the archive .*full/)
    const kept = writer.count('events')
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(400)
    writer.close()
    await fillOnce(paths, list)
    await fillOnce(whole, list)
    expect(tablesOf(paths)).toEqual(tablesOf(whole))
  })
})

describe('Two processes', () => {
  it('write one after the other, and the second says what it waits for', async () => {
    const paths = pathsIn(createTempDir())
    await fillOnce(paths, someEvents())
    const holder = spawn(process.execPath, [
      '--no-warnings',
      '-e',
      `const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]);
       d.exec("CREATE VIEW holder AS SELECT " + process.pid + " AS pid, '2026' AS startedAt, 'x' AS nonce; BEGIN IMMEDIATE");
       console.log('held'); process.stdin.once('data', () => process.exit())`,
      `${paths.archive}.lock`,
    ])
    onTestFinished(() => void holder.kill())
    await new Promise((resolve) => holder.stdout.once('data', resolve))
    const waited: (number | undefined)[] = []
    const opening = openArchive(paths, { nowMs: () => startMs, onWait: ({ pid }) => waited.push(pid) })
    // Readers are not held up.
    const reader = openForReading('archive', paths.archive)
    expect(reader.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 30 })
    reader.close()
    await expect(openArchive(paths, { nowMs: () => startMs, waitMs: 0 })).rejects.toThrow(
      `is being written by process ${holder.pid}`,
    )
    holder.stdin.write('end')
    ;(await opening).close()
    expect(waited).toEqual([holder.pid])
  })
})

describe('Personal data', () => {
  it('is in the second file only, and in none with personal: false, which holds for later fills', async () => {
    const directory = createTempDir()
    const paths = pathsIn(directory)
    await fillOnce(paths, someEvents())
    expect(found(directory, people)).toEqual(expect.arrayContaining(['Jordan 7', '+19105551007']))
    const first = readFileSync(paths.archive)
    expect(people.filter((text) => first.includes(text))).toEqual([])
    await fillOnce(paths, someEvents(), { personal: false })
    await fillOnce(paths, someEvents())
    expect(found(directory, people)).toEqual([])
    expect(readdirSync(directory)).toEqual(['archive-local.db'])
  })

  it('of a delivery is gone from the bytes of all files once it is forgotten, and stays out; its figures stay', async () => {
    const directory = createTempDir()
    const paths = pathsIn(directory)
    const list = someEvents(300)
    list.setNow(6 * hourMs)
    await fillOnce(paths, list)
    const own = ['Jordan 7', '+19105551007', '19105551007', '7 Ramsey Street', '7 ramsey street']
    expect(found(directory, own)).toEqual(own)
    const before = tablesOf(paths)
    const writer = await openForTest(paths)
    expect(writer.forget({ deliveryIds: ['del_7'] })).toBe(1)
    // Also while the process still has the file open, and its log beside it.
    expect(found(directory, own)).toEqual([])
    writer.close()
    list.setNow(3 * 24 * hourMs)
    await fillOnce(paths, list)
    expect(found(directory, own)).toEqual([])
    const after = tablesOf(paths)
    expect(after.deliveries).toEqual(before.deliveries)
    expect(after.people).toHaveLength(9)
    expect(after.bodies).toHaveLength(270)
  })

  it('that is older than a time is gone, and stays out', async () => {
    const directory = createTempDir()
    const paths = pathsIn(directory)
    await fillOnce(paths, someEvents())
    const writer = await openForTest(paths)
    writer.forget({ beforeMs: startMs + hourMs })
    writer.close()
    await fillOnce(paths, someEvents())
    expect(found(directory, [...people, 'Jordan', 'Ramsey'])).toEqual([])
    expect(tablesOf(paths)).toMatchObject({ people: [], driver_people: [], bodies: [] })
    expect(tablesOf(paths).deliveries).toHaveLength(10)
  })

  it('is dropped with what is dropped', async () => {
    const directory = createTempDir()
    const paths = pathsIn(directory)
    const list = eventList([
      { delivery: 7, status: 'delivered', atMs: 0, driver: 1 },
      { delivery: 8, status: 'accepted', atMs: 0 },
    ])
    list.setNow(hourMs)
    await fillOnce(paths, list)
    const writer = await openForTest(paths)
    expect(writer.drop(startMs + hourMs)).toBe(1)
    writer.close()
    expect(found(directory, ['Jordan 7', '7 Ramsey Street', 'Priya 1'])).toEqual([])
    const { deliveries, people: persons, events } = tablesOf(paths)
    expect([deliveries, persons, events]).toMatchObject([
      [{ delivery_id: 'del_8' }],
      [{ delivery_id: 'del_8' }],
      [{ delivery_id: 'del_8' }],
    ])
  })

  it('is dropped with a driver where no delivery goes', async () => {
    const directory = createTempDir()
    const paths = pathsIn(directory)
    const list = eventList([{ delivery: 9, status: 'driver_assigned', atMs: 0, driver: 2 }])
    list.setNow(hourMs)
    await fillOnce(paths, list)
    const writer = await openForTest(paths)
    expect(writer.drop(startMs + hourMs)).toBe(0)
    writer.close()
    expect(found(directory, ['Priya 2'])).toEqual([])
  })
})
