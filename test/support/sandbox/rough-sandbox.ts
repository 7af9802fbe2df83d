import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cli } from '../cli/program.js'

/** Faults of creations, each now and then, drawn from a seed. */
function roughFaults(seed: number) {
  const create = (probability: number, what: object) => ({ operation: 'createDelivery', probability, ...what })
  const forces = ['RESET', 'TIMEOUT_AFTER_COMMIT', 'TRUNCATE', 'GARBAGE', 'INTERNAL_ERROR', 'IDEMPOTENCY_CONFLICT']
  const rules = [
    ...forces.map((force) => create(0.01, { force })),
    create(0.003, { force: 'HANG' }),
    create(0.005, { force: 'SERVICE_UNAVAILABLE; retry_after=0' }),
    create(0.005, { force: 'RATE_LIMIT_EXCEEDED; retry_after=0' }),
    { operation: '*', probability: 0.05, latencyMs: { min: 1, max: 30 } },
  ]
  return { seed, rules }
}

/** `dlv sandbox start`, in a process of its own, with its faults on. */
interface RoughSandboxProgram {
  baseUrl: string
  apiKey: string
  deliveryCount(): Promise<number>
  /** The last requests that it received, each with its id. */
  requests(): Promise<unknown[]>
}

/** Starts one whose references are free again once their delivery has ended: only the keys prevent duplicates. */
export async function startRoughSandboxProgram(
  cli: Cli,
  seed: number,
  env: NodeJS.ProcessEnv = {},
): Promise<RoughSandboxProgram> {
  const words = ['--port', '0', '--rate-limit', 'off', '--switch', 'duplicates=active', '-o', 'json']
  const program = cli.startProcess(['sandbox', 'start', '--data', join(cli.home, 'sandbox.db'), ...words], { env })
  const { baseUrl, apiKey } = JSON.parse(await program.line(() => true)) as { baseUrl: string; apiKey: string }
  const list = ['deliveries', 'list', '--from', '2020-01-01T00:00:00Z', '--all']
  const rules = join(cli.home, 'faults.json')
  writeFileSync(rules, JSON.stringify(roughFaults(seed)))
  const there = { env: { DLV_BASE_URL: baseUrl, DLV_API_KEY: apiKey } }
  await cli.json(['sandbox', 'faults', '--file', rules], there)
  return {
    baseUrl,
    apiKey,
    deliveryCount: async () => (await cli.json<unknown[]>(list, there)).length,
    requests: () => cli.json<unknown[]>(['sandbox', 'requests'], there),
  }
}
