import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runExitCode } from '../../src/bulk/index.js'
import { testSeed } from '../support/bulk/process.js'
import { orderLines, recordedResults, rowsOf, runCreates } from '../support/bulk/run.js'
import { type RoughSandbox, startRoughSandbox } from '../support/sandbox/rough-sandbox.js'
import { createTempDir } from '../support/temp-dir.js'

let rough: RoughSandbox
beforeEach(async () => {
  rough = await startRoughSandbox(testSeed())
})
afterEach(() => rough.sandbox.close())

describe('A run against a sandbox that fails now and then', () => {
  test('creates every order once', async () => {
    const resultsFile = join(createTempDir(), 'results.ndjson')
    const { baseUrl, apiKey } = rough.sandbox
    const client = { apiKey, retries: { baseDelayMs: 10 } }
    for (let round = 0; round < 20; round++) {
      const rows = rowsOf(orderLines(300))
      const summary = await runCreates({ baseUrl, rows, resultsFile, client, run: { attemptTimeoutMs: 400 } })
      if (runExitCode(summary) === 0) break
      // An unlucky draw may spend the budget for repetitions: the run is resumed, as a person would.
      expect(summary.stopped).toBe('outage')
    }
    const results = recordedResults(resultsFile)
    expect(new Set([...results.values()].map(({ deliveryId }) => deliveryId)).size).toBe(300)
    expect(await rough.deliveryCount()).toBe(300)
  })
})
