import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { lockRun, type RunLock } from '../../src/bulk/record/run-lock.js'
import { UsageError } from '../../src/contract/index.js'
import { createTempDir } from '../support/temp-dir.js'

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const aDeadLock = () => JSON.stringify({ pid: 2_147_483_000, host: hostname(), startedAt: '1', nonce: 'gone' })

describe('A lock whose run is gone', () => {
  test('is taken over by one of many runs that are resumed at once, and by no two', async () => {
    for (let round = 0; round < 40; round++) {
      const file = join(createTempDir(), 'results.ndjson')
      writeFileSync(`${file}.lock`, aDeadLock())
      const claims = await Promise.allSettled(Array.from({ length: 8 }, () => lockRun(file)))
      const held = claims.filter((claim): claim is PromiseFulfilledResult<RunLock> => claim.status === 'fulfilled')
      expect(held).toHaveLength(1)
      for (const claim of claims) if (claim.status === 'rejected') expect(claim.reason).toBeInstanceOf(UsageError)
      expect(JSON.parse(readFileSync(`${file}.lock`, 'utf8'))).toMatchObject({ pid: process.pid })
      await held[0]?.value.release()
      expect(readdirSync(dirname(file))).toEqual([])
    }
  })

  test.each([
    ['of another machine', { pid: 1, host: 'elsewhere', startedAt: '1', nonce: 'x' }],
    ['of a process that lives', { pid: process.ppid, host: hostname(), startedAt: '', nonce: 'x' }],
  ])('is not taken over where it may be one %s', async (_, holder) => {
    const file = join(createTempDir(), 'results.ndjson')
    writeFileSync(`${file}.lock`, JSON.stringify(holder))
    await expect(lockRun(file)).rejects.toThrow(/Another run is writing/)
  })

  test.skipIf(process.platform !== 'linux')('is taken over where its number was given to another process', async () => {
    const file = join(createTempDir(), 'results.ndjson')
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.pid, host: hostname(), startedAt: '1', nonce: 'x' }))
    await (await lockRun(file)).release()
  })

  test('is taken over where it was torn', async () => {
    const file = join(createTempDir(), 'results.ndjson')
    writeFileSync(`${file}.lock`, '{"pid":')
    await (await lockRun(file)).release()
  })
})

describe('A lock that does not say yet whose it is', () => {
  test('is given the time to be written, and then belongs to who wrote it', async () => {
    const file = join(createTempDir(), 'results.ndjson')
    writeFileSync(`${file}.lock`, '')
    const claim = expect(lockRun(file)).rejects.toThrow(/Another run is writing/)
    // A moment that is long for a process between two calls, and shorter than what it is given.
    await wait(300)
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid, host: hostname(), startedAt: '', nonce: 'x' }))
    await claim
  })
})

describe.skipIf(process.platform !== 'linux')('Where the kernel refuses hard links', () => {
  /** Runs that claim one file at once, in a process that can make no hard link. */
  async function claims(errno: string, resultsFile: string) {
    const worker = [
      path('support/bulk/lock-claims.ts'),
      ...['bulk', 'client'].map((name) => new URL(`../../dist/${name}.js`, import.meta.url).href),
    ]
    const words = [path('support/bulk/no-hard-links.py'), errno, process.execPath, ...worker, resultsFile, '8']
    const { stdout } = await promisify(execFile)('python3', words)
    return JSON.parse(stdout) as { held: number; refused: number }
  }

  test.each([
    ['EPERM', 'there was no lock', undefined],
    ['ENOTSUP', 'its holder is gone', aDeadLock()],
    ['ENOSYS', 'it does not say whose it is', ''],
  ])('(%s), one of many runs at once has the lock, and no two, where %s', async (errno, _, before) => {
    const file = join(createTempDir(), 'results.ndjson')
    if (before !== undefined) writeFileSync(`${file}.lock`, before)
    expect(await claims(errno, file)).toEqual({ held: 1, refused: 7 })
    expect(readdirSync(dirname(file))).toEqual(['results.ndjson'])
  })
})
