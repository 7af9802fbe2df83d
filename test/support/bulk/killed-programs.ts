import { expect } from 'vitest'
import { seededRandom } from '../../../src/shared/math.js'
import type { Cli } from '../cli/program.js'
import { startRoughSandboxProgram } from '../sandbox/rough-sandbox.js'
import { runUntilDone } from './killed-runs.js'

interface KilledPrograms {
  orders: number
  kills: number
  seed: number
  /** Variables of the sandbox's process. */
  sandboxEnv?: NodeJS.ProcessEnv
  /** Prepares a start, given the service's address; answers with variables that the start gets besides. */
  beforeStart?(baseUrl: string): Promise<NodeJS.ProcessEnv>
}

/**
 * `dlv deliveries create --file`, killed and resumed, on `dlv sandbox start` with its faults on; expects each order to
 * be there once, and nothing to be sent when the file is run once more. Answers with how often it was killed.
 */
export async function createByKilledPrograms(
  cli: Cli,
  { orders, kills, seed, sandboxEnv, beforeStart = async () => ({}) }: KilledPrograms,
): Promise<number> {
  const sandbox = await startRoughSandboxProgram(cli, seed, sandboxEnv)
  const service = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
  const words = ['deliveries', 'create', '--attempt-timeout', '1s', '-o', 'ndjson', '--file']
  let received: unknown[] = []
  const run = await runUntilDone({
    orders,
    kills,
    random: seededRandom(seed),
    // An order that is delivered at once: only its key keeps it from being made a second time.
    orderOverrides: { metadata: { sandbox_pace: 'instant' } },
    begin: async ({ file }) =>
      cli.startProcess([...words, file], { env: { ...service, ...(await beforeStart(sandbox.baseUrl)) } }),
    beforeOnceMore: async () => {
      expect(await sandbox.deliveryCount()).toBe(orders)
      received = await sandbox.requests()
    },
  })
  expect(received.length).toBeGreaterThan(0)
  expect(await sandbox.requests()).toEqual(received)
  expect(run.last.stderr).toContain(`(${orders.toLocaleString('en-US')} of them in an earlier run).`)
  expect(run.last.stdout).toBe('')
  expect(await sandbox.deliveryCount()).toBe(orders)
  return run.kills
}
