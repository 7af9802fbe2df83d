import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as poll } from 'node:timers/promises'
import { expect } from 'vitest'
import { startBulkProcess } from './bulk-process.js'
import { orderLines, recordedResults, scratchFolder } from './bulk-run.js'

export interface KilledRuns {
  orders: number
  kills: number
  random: () => number
  server: { baseUrl: string; apiKey?: string }
  attemptTimeoutMs?: number
}

/**
 * Runs a file of orders in a process that is killed with `kill -9` at random points and resumed each time, until it
 * comes to its end; then once more, after `beforeOnceMore`.
 */
export async function runUntilDone(setup: KilledRuns, beforeOnceMore: () => void = () => undefined): Promise<void> {
  const folder = scratchFolder()
  const file = join(folder, 'orders.ndjson')
  const resultsFile = join(folder, 'orders.results.ndjson')
  writeFileSync(file, orderLines(setup.orders))
  const { baseUrl, apiKey = 'key' } = setup.server
  const attemptTimeoutMs = setup.attemptTimeoutMs ?? 5_000
  const begin = () => startBulkProcess({ baseUrl, apiKey, file, resultsFile, attemptTimeoutMs })

  for (let kill = 0; kill < setup.kills; kill++) {
    const { child, ended } = begin()
    const target = sizeOf(resultsFile) + setup.random() * 1.6 * ((setup.orders / setup.kills) * bytesPerRow)
    let isOver = false
    const over = ended.finally(() => {
      isOver = true
    })
    while (!isOver && sizeOf(resultsFile) < target) await poll(1)
    child.kill('SIGKILL')
    await over
  }
  for (let rounds = 0; ; rounds++) {
    const { exitCode, stderr } = await begin().ended
    if (exitCode === 0) break
    // Faults may spend the budget for repetitions, or leave an outcome open: the run is resumed.
    expect([8, 9], stderr).toContain(exitCode)
    expect(rounds).toBeLessThan(100)
  }
  beforeOnceMore()
  const { exitCode, report } = await begin().ended
  expect(exitCode).toBe(0)
  const { created, replayed, existing } = report?.counts ?? { created: 0, replayed: 0, existing: 0 }
  expect(created + replayed + existing).toBe(setup.orders)
  expectWhole(resultsFile, setup.orders)
}

/** Intent and result of one row, roughly. */
const bytesPerRow = 480

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Each row has its delivery, and no delivery has two rows. */
function expectWhole(resultsFile: string, orders: number): void {
  const results = recordedResults(resultsFile)
  expect(results.size).toBe(orders)
  const ids = [...results.values()].map(({ deliveryId }) => deliveryId)
  expect(ids).not.toContain(null)
  expect(new Set(ids).size).toBe(orders)
}
