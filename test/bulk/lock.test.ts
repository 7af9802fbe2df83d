import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFileRecord } from '../../src/bulk/record/file-record.js'
import { UsageError } from '../../src/contract/index.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'

const header = { operation: 'createDelivery', owner: 'test' }
const claimsScript = fileURLToPath(new URL('../support/bulk/lock-claims.ts', import.meta.url))
const modules = ['bulk', 'client'].map((name) => new URL(`../../dist/${name}.js`, import.meta.url).href)

const resultsFilePath = () => join(createTempDir(), 'results.ndjson')

/** Runs on one results file, in a process of its own. */
async function claims(resultsFile: string, times: number) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-warnings',
    claimsScript,
    ...modules,
    resultsFile,
    String(times),
  ])
  return JSON.parse(stdout) as { held: number; refused: number; overlaps: number }
}

/** A process that locks a results file and keeps it until it is killed. */
async function holder(resultsFile: string) {
  const script = `
    import { DatabaseSync } from 'node:sqlite'
    const database = new DatabaseSync(process.argv[1])
    const holder = "SELECT " + process.pid + " AS pid, '2026-03-02T15:00:00Z' AS startedAt, 'x' AS nonce"
    database.exec('CREATE VIEW holder AS ' + holder)
    database.exec('BEGIN IMMEDIATE')
    console.log('held')
    setInterval(() => database.isOpen, 1_000)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script, `${resultsFile}.lock`])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

/** A lock as a power failure may leave it: the header is whole, the pages behind it are not. */
function damagedDatabase(): Buffer {
  const file = join(mkdtempSync(join(tmpdir(), 'dlv-test-')), 'lock')
  alterFile(file, 'CREATE VIEW holder AS SELECT 1 AS pid')
  const bytes = readFileSync(file)
  rmSync(dirname(file), { recursive: true })
  return bytes.fill(0xff, 100)
}

describe('The lock of a results file', () => {
  test('is held by one run at a time, in one process', async () => {
    const file = resultsFilePath()
    const first = await openFileRecord(file, header)
    const refusal = openFileRecord(file, header)
    await expect(refusal).rejects.toThrow(UsageError)
    await expect(refusal).rejects.toThrow(`Another run is writing ${file} (process ${process.pid}, started 20`)
    // The refused one has taken nothing from the first.
    await expect(openFileRecord(file, header)).rejects.toThrow('Another run is writing')
    await first.close()
    await (await openFileRecord(file, header)).close()
    expect(readdirSync(dirname(file))).toEqual([])
  })

  test('is held by one process at a time, while it is made and removed again and again', async () => {
    const file = resultsFilePath()
    // Two meet at its removal more often than four, which wait for a processor.
    const counts = await Promise.all(Array.from({ length: 2 }, () => claims(file, 20)))
    expect(counts.map(({ held, overlaps }) => [held, overlaps])).toEqual(counts.map(() => [20, 0]))
    expect(readdirSync(dirname(file))).toEqual([])
  })

  test('names the process that holds it, and ends with that process', async () => {
    const file = resultsFilePath()
    const child = await holder(file)
    await expect(openFileRecord(file, header)).rejects.toThrow(
      `Another run is writing ${file} (process ${child.pid}, started 2026-03-02T15:00:00Z)`,
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(`${file}.lock`)).toBe(true)
    await (await openFileRecord(file, header)).close()
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test.each([
    ['text', Buffer.from('precious text, longer than the sixteen bytes that a database begins with')],
    ['a damaged database', damagedDatabase()],
  ])('is named as damaged where it holds %s, with the fix, and left as it is', async (_, content) => {
    const file = resultsFilePath()
    writeFileSync(`${file}.lock`, content)
    await expect(openFileRecord(file, header)).rejects.toMatchObject({
      kind: 'usage',
      message: `The lock file ${file}.lock is damaged.`,
      hint: `Make sure that no other dlv is using it, then remove ${file}.lock.`,
    })
    expect(readFileSync(`${file}.lock`)).toEqual(content)
  })

  test('and the results are for their owner only, whatever the umask', async () => {
    const umask = process.umask(0)
    try {
      const file = resultsFilePath()
      const record = await openFileRecord(file, header)
      expect([file, `${file}.lock`].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600])
      await record.close()
    } finally {
      process.umask(umask)
    }
  })
})
