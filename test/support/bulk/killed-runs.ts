import type { ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as poll } from 'node:timers/promises'
import { expect } from 'vitest'
import { createTempDir } from '../temp-dir.js'
import { orderLines, recordedResults } from './run.js'

interface KilledRuns<End extends RunEnd> {
  orders: number
  kills: number
  random: () => number
  /** Fields of each order besides those of a realistic one. */
  orderOverrides?: Record<string, unknown>
  /** Starts or resumes a run of a file in a separate process. */
  begin(files: RunFiles): Begun<End> | Promise<Begun<End>>
  /** Called when every order is settled, before the file is run once more. */
  beforeOnceMore?: () => void | Promise<void>
}

interface Begun<End> {
  child: ChildProcess
  ended: Promise<End>
}

interface RunFiles {
  file: string
  /** The default place of the program. */
  resultsFile: string
}

interface RunEnd {
  /** `null` for a process that was killed. */
  exitCode: number | null
  stderr: string
}

/**
 * Runs a file of orders in a process that is killed with `kill -9` at random points, as often as asked, and resumed each
 * time, until it comes to its end; then once more. Answers with how that last run ended, and how often one was killed:
 * less than asked only if a run had come to its end before.
 */
export async function runUntilDone<End extends RunEnd>(setup: KilledRuns<End>): Promise<{ last: End; kills: number }> {
  const file = join(createTempDir(), 'orders.ndjson')
  const files = { file, resultsFile: `${file}.results.ndjson` }
  writeFileSync(file, orderLines(setup.orders, 1, setup.orderOverrides))
  const startedMs = performance.now()

  const settledRows = resultCounter(files.resultsFile)
  let kills = 0
  let stops = 0
  for (;;) {
    const killsLeft = setup.kills - kills
    const run = killsLeft > 0 ? killedRun(setup, files, killsLeft, settledRows) : (await setup.begin(files)).ended
    const { exitCode, stderr } = await run
    if (exitCode === 0) break
    if (exitCode === null) kills++
    else {
      // Faults may spend the budget for repetitions, or leave an outcome open: the run is resumed.
      expect([8, 9], stderr).toContain(exitCode)
      expect(++stops).toBeLessThan(100)
    }
  }
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  process.stderr.write(`${setup.orders} orders, ${kills} kills, ${stops} other stops, ${seconds} s\n`)

  await setup.beforeOnceMore?.()
  const last = await (await setup.begin(files)).ended
  expect(last.exitCode, last.stderr).toBe(0)
  expectWhole(files.resultsFile, setup.orders)
  return { last, kills }
}

/** Kills a run somewhere in its share of the rows that are left: never all of them. */
async function killedRun<End extends RunEnd>(
  { orders, random, begin }: KilledRuns<End>,
  files: RunFiles,
  killsLeft: number,
  settledRows: () => number,
): Promise<End> {
  const settled = settledRows()
  const target = settled + random() * ((orders - settled) / (killsLeft + 1))
  const { child, ended } = await begin(files)
  let isOver = false
  const over = ended.finally(() => {
    isOver = true
  })
  while (!isOver && settledRows() <= target) await poll(1)
  child.kill('SIGKILL')
  return over
}

/** Counts the results in a file that is being written; each call reads what is new. */
function resultCounter(resultsFile: string): () => number {
  const block = Buffer.alloc(1_048_576)
  let offset = 0
  let count = 0
  return () => {
    if (!existsSync(resultsFile)) return 0
    const file = openSync(resultsFile, 'r')
    const bytesRead = readSync(file, block, 0, block.length, offset)
    closeSync(file)
    // The last line may be in the middle of being written, and be cut off when the run is resumed.
    const whole = block.subarray(0, bytesRead).lastIndexOf(10) + 1
    count += block.toString('latin1', 0, whole).split('"outcome":').length - 1
    offset += whole
    return count
  }
}

/** Each row has its delivery, and no delivery has two rows. */
function expectWhole(resultsFile: string, orders: number): void {
  const results = [...recordedResults(resultsFile).values()]
  expect(results).toHaveLength(orders)
  for (const { outcome } of results) expect(['created', 'replayed', 'existing']).toContain(outcome)
  const ids = results.map(({ deliveryId }) => deliveryId)
  expect(ids).not.toContain(null)
  expect(new Set(ids).size).toBe(orders)
}
