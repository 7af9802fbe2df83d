import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runExitCode } from '../../src/bulk/index.js'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { orderLines, rowsOf, runCreates } from '../support/bulk/run.js'
import { createTempDir } from '../support/temp-dir.js'

let sandbox: RunningSandbox
afterEach(() => sandbox.close())

describe('300 orders at 20 a second', () => {
  test('are never refused and use at least 95 % of the allowance after the first second, 98 % being the aim', async () => {
    sandbox = await startSandbox({ deliverWebhooks: false })
    const answers: { status: number | undefined; atMs: number }[] = []
    const { baseUrl, apiKey } = sandbox
    const summary = await runCreates({
      baseUrl,
      rows: rowsOf(orderLines(300)),
      resultsFile: join(createTempDir(), 'results.ndjson'),
      client: { apiKey, onTrace: ({ status }) => answers.push({ status, atMs: performance.now() }) },
    })
    expect(runExitCode(summary)).toBe(0)
    expect(answers.filter(({ status }) => status === 429)).toEqual([])
    const firstMs = answers[0]?.atMs ?? 0
    const after = answers.filter(({ atMs }) => atMs >= firstMs + 1_000)
    const seconds = ((after.at(-1)?.atMs ?? 0) - firstMs - 1_000) / 1_000
    const used = after.length / (seconds * 20)
    process.stderr.write(`${(used * 100).toFixed(1)} % of the allowance used after the first second\n`)
    expect(used).toBeGreaterThanOrEqual(0.95)
  })
})
