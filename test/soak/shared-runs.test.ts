import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { createCli } from '../support/cli/program.js'
import { testOrder } from '../support/orders.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { testSeed } from '../support/samples.js'
import { startRoughSandboxProgram } from '../support/sandbox/rough-sandbox.js'
import { createTempDir } from '../support/temp-dir.js'

const orders = 10_000
const machines = 3
const kills = 5

describeOnPostgres('10,000 orders on three machines, each killed five times', () => {
  test('are created once each, and every row has an outcome', async () => {
    const cli = createCli(afterAll)
    const seed = testSeed()
    const random = seededRandom(seed)
    const database = await createTestDatabase()
    const sandbox = await startRoughSandboxProgram(cli, seed)
    const file = join(createTempDir(), 'orders.ndjson')
    // Orders that are delivered at once: only its key keeps one from being made a second time.
    const lines = Array.from({ length: orders }, (_, index) =>
      JSON.stringify(testOrder(`SHARED-${index}`, { metadata: { sandbox_pace: 'instant' } })),
    )
    writeFileSync(file, `${lines.join('\n')}\n`)
    const env = { ...database.env, DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey, DLV_NO_INPUT: '1' }
    const words = ['deliveries', 'create', '--file', file, '--results', database.address, '--attempt-timeout', '1s']
    const rowCounts = async () => {
      const [counts] = await database.sql(
        'SELECT count(*)::int AS rows, count(outcome)::int AS settled FROM dlv.bulk_rows',
      )
      return counts as { rows: number; settled: number } | undefined
    }
    let killed = 0
    const machine = async () => {
      for (let kill = 0; kill < kills; kill++) {
        const run = cli.startProcess(words, { env })
        await new Promise((resolve) => setTimeout(resolve, 300 + random() * 1_500))
        const { exitCode } = await run.kill('SIGKILL')
        if (exitCode === null || exitCode === 137) killed++
      }
      // A burst of failures stops a run, to be resumed: 8. On a busy machine that may happen often, but each run settles rows.
      for (let settled = 0, idle = 0; ; ) {
        const end = await cli.startProcess(words, { env }).ended
        const before = settled
        settled = (await rowCounts())?.settled ?? 0
        idle = settled > before ? 0 : idle + 1
        if (end.exitCode !== 8 || idle === 3) return end
      }
    }
    const ends = await Promise.all(Array.from({ length: machines }, machine))
    expect(killed).toBe(machines * kills)
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(ends.map(() => 0))
    expect(await sandbox.deliveryCount()).toBe(orders)
    expect(await rowCounts()).toEqual({ rows: orders, settled: orders })
    console.log(`seed ${seed}, ${killed} kills, ${await sandbox.deliveryCount()} deliveries`)
  })
})
