import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'

/** A sandbox that fails as services do, each fault now and then, drawn from a seed. */
export interface RoughSandbox {
  sandbox: RunningSandbox
  /** Deliveries that exist in it. */
  deliveryCount(): Promise<number>
}

export async function startRoughSandbox(seed: number): Promise<RoughSandbox> {
  const sandbox = await startSandbox({ rateLimit: 'off', deliverWebhooks: false })
  const rules = [
    ...['RESET', 'TIMEOUT_AFTER_COMMIT', 'TRUNCATE', 'GARBAGE', 'INTERNAL_ERROR', 'IDEMPOTENCY_CONFLICT'].map(
      (force) => ({
        operation: 'createDelivery',
        probability: 0.01,
        force,
      }),
    ),
    { operation: 'createDelivery', probability: 0.003, force: 'HANG' },
    { operation: 'createDelivery', probability: 0.005, force: 'SERVICE_UNAVAILABLE; retry_after=0' },
    { operation: 'createDelivery', probability: 0.005, force: 'RATE_LIMIT_EXCEEDED; retry_after=0' },
    { operation: '*', probability: 0.05, latencyMs: { min: 1, max: 30 } },
  ]
  const answer = await fetch(`${sandbox.controlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seed, rules }),
  })
  if (!answer.ok) throw new Error(`The sandbox refused the faults: ${await answer.text()}`)
  return {
    sandbox,
    async deliveryCount() {
      let count = 0
      let cursor: string | null = null
      do {
        const query = new URLSearchParams({
          from: '2020-01-01T00:00:00Z',
          limit: '100',
          ...(cursor === null ? {} : { cursor }),
        })
        const page = await fetch(`${sandbox.baseUrl}/deliveries?${query}`, {
          headers: { authorization: `Bearer ${sandbox.apiKey}` },
        })
        const { deliveries, nextCursor } = (await page.json()) as { deliveries: unknown[]; nextCursor: string | null }
        count += deliveries.length
        cursor = nextCursor
      } while (cursor !== null)
      return count
    },
  }
}
