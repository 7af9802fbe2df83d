import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../../src/contract/index.js'
import { createSandbox, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createCli } from '../support/cli/program.js'
import { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'
import { thrownBy } from '../support/thrown-by.js'

/** A sandbox that is closed with its test; whatever it reports fails it. */
function open(data: string, options: { replaceDamaged?: boolean } = {}): { sandbox: Sandbox; caller: Caller } {
  const reported: unknown[] = []
  const sandbox = createSandbox({ data, rateLimit: 'off', onError: (error) => reported.push(error), ...options })
  onTestFinished(async () => {
    await sandbox.close()
    expect(reported).toEqual([])
  })
  return { sandbox, caller: new Caller(sandbox) }
}

/** A closed sandbox file with so many deliveries, and a snapshot of it named `good`. */
async function createFile(count = 3): Promise<{ data: string; deliveryId: string }> {
  const data = join(createTempDir(), 'sandbox.db')
  const sandbox = createSandbox({ data, rateLimit: 'off' })
  const caller = new Caller(sandbox)
  const { body } = await caller.create(testOrder())
  for (let created = 1; created < count; created++) await caller.create(testOrder())
  await caller.steer('POST', '/snapshots/good')
  await sandbox.close()
  return { data, deliveryId: String(body.deliveryId) }
}

/** Overwrites every page of a table, which leaves the file one that opens. */
function scramble(file: string, table: string): void {
  const database = new DatabaseSync(file)
  const sql = 'SELECT pageno FROM dbstat WHERE name = ?'
  const pages = database.prepare(sql).all(table) as { pageno: number }[]
  const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number }
  database.close()
  const bytes = readFileSync(file)
  for (const { pageno } of pages) bytes.fill(0xa5, (pageno - 1) * size, pageno * size)
  writeFileSync(file, bytes)
}

const asideOf = (data: string) => readdirSync(dirname(data)).filter((name) => name.includes('.damaged-'))

describe('a damaged sandbox file', () => {
  test.each<[string, (file: string) => void]>([
    ['that is something else', (file) => writeFileSync(file, 'no database at all\n'.repeat(500))],
    ['that was cut off', (file) => truncateSync(file, 20_000)],
    ['whose settings are no JSON', (file) => alterFile(file, "UPDATE settings SET value = '{' WHERE name = 'secrets'")],
    ['that lacks a table', (file) => alterFile(file, 'DROP TABLE quotes')],
    ['with damaged pages', (file) => scramble(file, 'deliveries')],
  ])('%s is named as that, with the way back', async (_, damage) => {
    const { data } = await createFile()
    damage(data)
    const before = readFileSync(data)
    const error = thrownBy(() => createSandbox({ data }))
    expect(error).toBeInstanceOf(UsageError)
    expect(String(error)).toMatch(/The sandbox file \S+sandbox\.db is damaged: .+\.$/)
    expect((error as UsageError).hint).toMatch(/Restore a snapshot, or start it with \{ replaceDamaged: true \}/)
    expect(readFileSync(data)).toEqual(before)
  })

  test.each<[string, (file: string) => void]>([
    ['pages', (file) => scramble(file, 'deliveries')],
    ['records', (file) => alterFile(file, 'UPDATE deliveries SET record = substr(record, 9)')],
  ])('whose %s are damaged while it is in use answers so, and never as a bug', async (_, damage) => {
    const { data, deliveryId } = await createFile()
    const { caller } = open(data)
    damage(data)
    const reply = await caller.get(`/deliveries/${deliveryId}`)
    expect(reply).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' })
    expect(reply.text).toMatch(/sandbox\.db is damaged/)
    expect(reply.body).toMatchObject({
      error: { details: { hint: expect.stringContaining('{ replaceDamaged: true }') } },
    })
    expect(reply.text).not.toMatch(/bug|mistake/)
  })

  test.each<[string, (file: string) => void]>([
    ['opens', (file) => scramble(file, 'deliveries')],
    ['does not open', (file) => writeFileSync(file, 'x'.repeat(9_000))],
  ])('that %s is kept beside an empty one where that is asked for', async (_, damage) => {
    const { data, deliveryId } = await createFile()
    damage(data)
    const before = readFileSync(data)
    const { sandbox, caller } = open(data, { replaceDamaged: true })
    expect(sandbox.damagedFile).toMatch(/sandbox\.db\.damaged-/)
    expect(readFileSync(String(sandbox.damagedFile))).toEqual(before)
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(404)
    expect((await caller.create(testOrder())).status).toBe(201)
    await caller.steer('POST', '/snapshots/good/restore')
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
  })

  test('in use is replaced by a reset', async () => {
    const { data } = await createFile()
    const { caller } = open(data)
    scramble(data, 'deliveries')
    const { damagedFile } = await caller.steer('POST', '/reset')
    expect(existsSync(String(damagedFile))).toBe(true)
    expect((await caller.create(testOrder())).status).toBe(201)
  })

  test('in use is replaced by a restored snapshot', async () => {
    const { data, deliveryId } = await createFile()
    const { caller } = open(data)
    scramble(data, 'deliveries')
    expect(await caller.steer('POST', '/snapshots/good/restore')).toMatchObject({ damagedFile: expect.any(String) })
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
  })

  test('in use stays where the snapshot is damaged too', async () => {
    const { data } = await createFile()
    const { caller } = open(data)
    scramble(data, 'deliveries')
    writeFileSync(`${data}.snapshots/good.db`, 'x'.repeat(9_000))
    expect((await caller.trySteer('POST', '/snapshots/good/restore')).code).toBe('SNAPSHOT_UNUSABLE')
    expect(asideOf(data)).toEqual([])
  })

  test('that is whole is never replaced', async () => {
    const { data, deliveryId } = await createFile()
    const { sandbox, caller } = open(data, { replaceDamaged: true })
    expect([sandbox.damagedFile, asideOf(data)]).toEqual([undefined, []])
    expect((await caller.get(`/deliveries/${deliveryId}`)).status).toBe(200)
  })
})

describe('a database of another program', () => {
  test.each([
    ['without a version', 'CREATE TABLE cookies (name TEXT)'],
    ['with one', 'CREATE TABLE cookies (name TEXT); PRAGMA user_version = 12'],
    ['with an application id', 'CREATE TABLE cookies (name TEXT); PRAGMA application_id = 7'],
  ])('%s is refused and left as it is, by a reset as well', (_, sql) => {
    const data = join(createTempDir(), 'cookies.db')
    alterFile(data, sql)
    const before = readFileSync(data)
    for (const replaceDamaged of [false, true])
      expect(() => createSandbox({ data, replaceDamaged })).toThrow(/is a database of another program/)
    expect(readFileSync(data)).toEqual(before)
    expect(readdirSync(dirname(data))).toEqual(['cookies.db'])
  })
})

describe('the program with a damaged sandbox file', () => {
  test.each<[string, (file: string) => void, string[]]>([
    ['whose pages', (file) => scramble(file, 'deliveries'), ['deliveries', 'list', '--from', '1d']],
    ['whose events', (file) => alterFile(file, 'UPDATE events SET body = substr(body, 9)'), ['events', 'list']],
  ])('%s are damaged while it is in use asks once, and says how to mend it', async (_, damage, words) => {
    const { data } = await createFile()
    const served = await startSandbox({ data, rateLimit: 'off' })
    onTestFinished(() => served.close())
    damage(data)
    const env = { DLV_BASE_URL: served.baseUrl, DLV_API_KEY: served.apiKey }
    const { exitCode, stderr } = await createCli().run([...words, '--verbose'], { env })
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining(`The sandbox file ${data} is damaged`)])
    expect(stderr).toContain('hint: Run dlv sandbox snapshot restore NAME, or dlv sandbox reset')
    expect(stderr.match(/GET \S*\/(?:deliveries|events)/g)).toHaveLength(1)
  })

  test('of another place than the usual one is not confused with it in the advice', async () => {
    const cli = createCli()
    const file = join(cli.home, 'order.json')
    writeFileSync(file, '{}\n'.repeat(2_000))
    const { exitCode, stderr } = await cli.run(['sandbox', 'start', '--port', '0', '--data', file])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('It was left unchanged.')
    expect(stderr).not.toContain('sandbox reset')
    expect(readFileSync(file, 'utf8')).toBe('{}\n'.repeat(2_000))
  })

  test('says so, is fixed by its own hint, and keeps what was there', async () => {
    const cli = createCli()
    const data = join(cli.home, 'data')
    const env = { DLV_DATA_DIR: data }
    await cli.json(['sandbox', 'seed', '--count', '2'], { env })
    await cli.json(['sandbox', 'snapshot', 'save', 'good'], { env })
    const file = join(data, 'sandbox.db')
    for (const mend of [
      ['sandbox', 'reset', '--yes'],
      ['sandbox', 'snapshot', 'restore', 'good'],
    ]) {
      writeFileSync(file, 'x'.repeat(9_000))
      const failed = await cli.run(['deliveries', 'list'], { env })
      expect(failed.exitCode).toBe(2)
      expect(failed.stderr).toContain(`The sandbox file ${file} is damaged`)
      expect(failed.stderr).toContain('dlv sandbox reset')
      expect(failed.stderr).not.toContain('bug')
      const mended = await cli.run(mend, { env })
      expect([mended.exitCode, mended.stderr]).toEqual([0, expect.stringContaining('The sandbox file was damaged')])
    }
    expect(asideOf(file)).toHaveLength(2)
    expect(await cli.json<unknown[]>(['deliveries', 'list', '--from', '1h'], { env })).toHaveLength(2)
  })
})
