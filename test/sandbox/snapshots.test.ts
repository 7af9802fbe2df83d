import { spawnSync } from 'node:child_process'
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { applicationId, formatVersion } from '../../src/sandbox/store/schema.js'
import { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A sandbox in a file, with one delivery and a snapshot of it. */
async function withSnapshot() {
  const data = join(createTempDir(), 'sandbox.db')
  const { sandbox, caller } = await startTestSandbox({ data })
  const { body } = await caller.create(testOrder())
  const { file } = await caller.steer('POST', '/snapshots/good')
  return { sandbox, caller, data, deliveryId: String(body.deliveryId), file: String(file) }
}

function scramble(file: string): void {
  const bytes = readFileSync(file)
  for (let at = 8_192; at < bytes.length; at += 7) bytes[at] = 0xa5
  writeFileSync(file, bytes)
}

/** Gives an index the page of another one, which SQLite notices only if it compares them with the table. */
function crossIndexes(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const startOf = (name: string) => {
    const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)
    return (Number(row?.rootpage) - 1) * 4_096
  }
  const [from, to] = [startOf('deliveries_by_status'), startOf('deliveries_by_age')]
  database.close()
  const bytes = readFileSync(file)
  bytes.copy(bytes, to, from, from + 4_096)
  writeFileSync(file, bytes)
}

const unusable: [string, (file: string) => void, string][] = [
  ['is empty', (file) => writeFileSync(file, ''), 'is empty'],
  ['is truncated', (file) => truncateSync(file, 10_000), 'is damaged'],
  ['is cut off in its first page', (file) => truncateSync(file, 60), 'is damaged'],
  ['has damaged pages', scramble, 'is damaged'],
  ['has an index that does not match its table', crossIndexes, 'is damaged ('],
  ['is no database', (file) => writeFileSync(file, 'not a database\n'.repeat(999)), 'is not a database'],
  ['is a database of another program', (file) => alterFile(file, 'PRAGMA application_id = 1'), 'was not written by'],
  ['has a newer format', (file) => alterFile(file, `PRAGMA user_version = ${formatVersion + 1}`), 'has format'],
  ['has an older format', (file) => alterFile(file, `PRAGMA user_version = ${formatVersion - 1}`), 'has format'],
  ['lacks a table', (file) => alterFile(file, 'DROP TABLE quotes'), 'other columns in its table quotes'],
  [
    'lacks a column',
    (file) => alterFile(file, 'ALTER TABLE events DROP COLUMN hooks'),
    'other columns in its table events',
  ],
  ['holds no state', (file) => alterFile(file, 'DELETE FROM settings'), 'holds no state'],
]

describe('a snapshot that', () => {
  test.each(unusable)('%s is refused, and the state stays', async (_, spoil, reason) => {
    const { caller, deliveryId, file } = await withSnapshot()
    spoil(file)
    const before = readFileSync(file)
    const reply = await caller.trySteer('POST', '/snapshots/good/restore')
    expect(reply).toMatchObject({ status: 422, code: 'SNAPSHOT_UNUSABLE' })
    expect(reply.text).toContain(reason)
    expect(reply.text).toContain('The state was left as it is.')
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
    expect((await caller.create(testOrder())).status).toBe(201)
    expect(readFileSync(file)).toEqual(before)
  })

  test('nobody may write to is restored, and left as it is', async () => {
    const { caller, deliveryId, file } = await withSnapshot()
    const before = readFileSync(file)
    chmodSync(file, 0o400)
    await caller.steer('POST', '/reset')
    expect(await caller.steer('POST', '/snapshots/good/restore')).toMatchObject({ restored: true })
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(dirname(file))).toEqual(['good.db'])
  })

  test('another program was changing when it was killed is refused, and left as it is', async () => {
    const { caller, deliveryId, file } = await withSnapshot()
    const script = `
      const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
      database.exec("PRAGMA cache_size = 1; BEGIN; UPDATE deliveries SET record = record || printf('%.*c', 90000, 'x')")
      process.kill(process.pid, 'SIGKILL')`
    spawnSync(process.execPath, ['-e', script, file])
    expect(existsSync(`${file}-journal`)).toBe(true)
    const before = readFileSync(file)
    const reply = await caller.trySteer('POST', '/snapshots/good/restore')
    expect(reply).toMatchObject({ status: 422, code: 'SNAPSHOT_UNUSABLE' })
    expect(readFileSync(file)).toEqual(before)
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
  })

  test('was copied there by hand is restored', async () => {
    const { caller, deliveryId, file } = await withSnapshot()
    copyFileSync(file, join(dirname(file), 'by-hand.db'))
    await caller.steer('POST', '/reset')
    await caller.steer('POST', '/snapshots/by-hand/restore')
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
  })

  test('does not exist is not found, with those that do', async () => {
    const { caller } = await withSnapshot()
    const reply = await caller.trySteer('POST', '/snapshots/other/restore')
    expect(reply).toMatchObject({ status: 404, body: { error: { details: { known: ['good'] } } } })
  })
})

describe('saving a snapshot', () => {
  const list = async (caller: Caller) =>
    (await caller.steer('GET', '/snapshots')).snapshots as { name: string; savedAt: string; bytes: number }[]

  test('shows when each was saved, and how large it is', async () => {
    const { caller, file } = await withSnapshot()
    const savedAt = new Date('2026-03-02T15:00:00Z')
    utimesSync(file, savedAt, savedAt)
    expect(await list(caller)).toEqual([
      { name: 'good', savedAt: '2026-03-02T15:00:00.000Z', bytes: statSync(file).size },
    ])
  })

  test('does not overwrite one unless told to', async () => {
    const { caller, file } = await withSnapshot()
    const before = readFileSync(file)
    await caller.create(testOrder())
    const refused = await caller.trySteer('POST', '/snapshots/good')
    expect(refused).toMatchObject({ status: 409, code: 'SNAPSHOT_EXISTS' })
    expect(refused.body).toMatchObject({ error: { details: { name: 'good', savedAt: expect.any(String) } } })
    expect(readFileSync(file)).toEqual(before)
    await caller.steer('POST', '/snapshots/good', { force: true })
    expect(readFileSync(file)).not.toEqual(before)
  })

  test('gives directory and files to their owner only, whatever the umask', async () => {
    for (const umask of [0o000, 0o277]) {
      const before = process.umask(umask)
      onTestFinished(() => void process.umask(before))
      const data = join(createTempDir(), 'deep', 'sandbox.db')
      const { caller } = await startTestSandbox({ data })
      const { file } = await caller.steer('POST', '/snapshots/one')
      process.umask(before)
      const folder = dirname(data)
      const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))])
      expect(modes, `umask ${umask.toString(8)}`).toEqual([
        ['sandbox.db', '600'],
        ['sandbox.db-shm', '600'],
        ['sandbox.db-wal', '600'],
        ['sandbox.db.snapshots', '700'],
      ])
      expect([modeOf(folder), modeOf(String(file))]).toEqual(['700', '600'])
    }
  })

  test('leaves nothing behind, and removes what a killed process left', async () => {
    const { caller, file } = await withSnapshot()
    const folder = dirname(file)
    const gone = 2 ** 22 + 1 // above the highest process id
    const [abandoned, old, running] = [
      `a.db.${gone}.1-2.tmp`,
      `b.db.${process.pid}.1-2.tmp`,
      `c.db.${process.pid}.1-2.tmp`,
    ]
    for (const name of [abandoned, old, running]) writeFileSync(join(folder, name), 'half')
    const yesterday = new Date(Date.now() - 86_400_000)
    utimesSync(join(folder, old), yesterday, yesterday)
    await caller.steer('POST', '/snapshots/second')
    expect(readdirSync(folder).sort()).toEqual([running, 'good.db', 'second.db'].sort())
  })

  test.skipIf(process.platform !== 'linux')(
    'has it on the disk before it gets its name, and then its name',
    async () => {
      const { caller, file } = await withSnapshot()
      const second = file.replace('good', 'second')
      const { fsyncSync, renameSync } = fs
      const steps: string[] = []
      const shortName = (path: string) => path.replace(/^.*\//, '').replace(/\..*\.tmp$/, '.tmp')
      fs.fsyncSync = (descriptor) => {
        steps.push(`fsync ${shortName(fs.readlinkSync(`/proc/self/fd/${descriptor}`))}`)
        fsyncSync(descriptor)
      }
      fs.renameSync = (from, to) => {
        steps.push(`rename ${shortName(String(from))} ${shortName(String(to))}`)
        renameSync(from, to)
      }
      syncBuiltinESMExports()
      onTestFinished(() => {
        Object.assign(fs, { fsyncSync, renameSync })
        syncBuiltinESMExports()
      })
      await caller.steer('POST', '/snapshots/second')
      expect(steps).toEqual(['fsync second.tmp', 'rename second.tmp second.db', 'fsync sandbox.db.snapshots'])
      expect(statSync(second).size).toBeGreaterThan(0)
    },
  )

  test('that fails leaves the one before', async () => {
    const { caller, file } = await withSnapshot()
    const before = readFileSync(file)
    const taken = join(dirname(file), 'taken.db')
    mkdirSync(taken)
    writeFileSync(join(taken, 'file'), '')
    expect((await caller.trySteer('POST', '/snapshots/taken', { force: true })).code).toBe('SERVICE_UNAVAILABLE')
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(dirname(file)).sort()).toEqual(['good.db', 'taken.db'])
  })
})

test('restoring leaves the address of pages to the server that runs now', async () => {
  const { sandbox, data, deliveryId } = await withSnapshot()
  await sandbox.close()
  const { sandbox: server } = await startTestSandbox({ data })
  const embedded = createSandbox({ data })
  onTestFinished(() => embedded.close())
  const caller = new Caller(embedded)
  await caller.steer('POST', '/snapshots/good/restore')
  const { body } = await caller.get(`/deliveries/${deliveryId}`)
  expect(String(body.trackingUrl)).toContain(new URL(server.baseUrl).origin)
  expect((await fetch(String(body.trackingUrl))).status).toBe(200)
})

test('the file says that it is one of the sandbox’s', async () => {
  const { data } = await withSnapshot()
  const database = new DatabaseSync(data, { readOnly: true })
  expect(database.prepare('PRAGMA application_id').get()).toEqual({ application_id: applicationId })
  database.close()
})
