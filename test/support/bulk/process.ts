import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Counts } from '../../../src/bulk/index.js'

const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
const built = (name: string) => new URL(`../../../dist/${name}.js`, import.meta.url).href

interface BulkProcess {
  child: ChildProcess
  /** Resolves when the process is gone; `report` is what it said at its end. */
  ended: Promise<{ exitCode: number | null; report: BulkReport | undefined; stderr: string }>
}

interface BulkReport {
  counts: Counts
  /** Rows that were settled before. */
  earlier: number
  stopped?: string
  cause?: string
  elapsedMs: number
  peakMegabytes: number
}

/** Starts a bulk create in a process of its own. */
export function startBulkProcess(setup: {
  baseUrl: string
  apiKey?: string
  file: string
  resultsFile: string
  attemptTimeoutMs?: number
  concurrency?: number
}): BulkProcess {
  const full = {
    apiKey: 'key',
    ...setup,
    bulkModule: built('bulk'),
    clientModule: built('client'),
    contractModule: built('contract'),
  }
  const child = spawn(process.execPath, [worker, JSON.stringify(full)], { stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([exitCode]: (number | null)[]) => ({
    exitCode: exitCode ?? null,
    report: stdout === '' ? undefined : (JSON.parse(stdout) as BulkReport),
    stderr,
  }))
  return { child, ended }
}

/** The seed of this test run: given by `DLV_TEST_SEED`, else new; printed, so that it can be given again. */
export function testSeed(): number {
  const given = process.env.DLV_TEST_SEED
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  process.stderr.write(`seed ${seed} (repeat with DLV_TEST_SEED=${seed})\n`)
  return seed
}
