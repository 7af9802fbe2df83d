import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { inTurn, pairedRatio, timeCommand } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'

const connections = 16

/** Bulk creation: compared with a bare loop if there is no rate limit, and with the limit if there is one. */
export async function measureBulk(ground: Ground): Promise<Outcome> {
  return { results: [await withoutLimit(ground), await atTheLimit(ground)] }
}

async function withoutLimit(ground: Ground): Promise<Result> {
  const orders = ground.quick ? 1_500 : 10_000
  const file = writeOrders(ground, orders)
  const { child, ready } = await ground.start('api-server.ts')
  const baseUrl = String(ready.baseUrl)
  let runs = 0
  const ours = async () => {
    // An account of its own: what a run created before is asked for, not created again.
    const account = { DLV_BASE_URL: baseUrl, DLV_API_KEY: `dlvk_bench_${runs++}`, DLV_NO_INPUT: '1' }
    const results = join(ground.newFolder('results'), 'results.ndjson')
    const command = ground.dlv(
      ['deliveries', 'create', '--file', file, '--results', results, '--concurrency', String(connections), '--yes'],
      account,
    )
    return orders / ((await timeCommand(command)).wallMs / 1000)
  }
  const bare = join(ground.project, 'bench/processes/bare-bulk.mjs')
  const theirs = async () => {
    const run = await timeCommand({ file: process.execPath, arguments: [bare, baseUrl, file, String(connections)] })
    return orders / (run.wallMs / 1000)
  }
  const [our = [], their = []] = await inTurn(ground.quick ? 2 : 5, [ours, theirs])
  await ground.stop(child)
  const paired = pairedRatio(our, their)
  const { ratio } = paired
  return {
    id: 'bulk',
    aim: `bulk create of ${orders} orders, no limit, vs. a bare undici loop`,
    bar: '≥ 0.75 ×',
    measured: `${round(ratio)} × (orders per second)`,
    values: { ...paired },
    faster: 'larger',
    met: ratio >= 0.75,
  }
}

async function atTheLimit(ground: Ground): Promise<Result> {
  const perSecond = 20
  const orders = ground.quick ? 120 : 400
  const file = writeOrders(ground, orders)
  const started = await ground.startSandbox(':memory:', '--rate-limit', String(perSecond))
  const account = {
    DLV_BASE_URL: String(started.ready.baseUrl),
    DLV_API_KEY: String(started.ready.apiKey),
    DLV_NO_INPUT: '1',
  }
  const results = join(ground.newFolder('results'), 'results.ndjson')
  await timeCommand(ground.dlv(['deliveries', 'create', '--file', file, '--results', results, '--yes'], account))
  // The run has used the allowance of this second.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const list = await fetch(`${started.ready.baseUrl}/deliveries?from=2020-01-01T00:00:00Z&limit=100`, {
    headers: { authorization: `Bearer ${account.DLV_API_KEY}` },
  })
  const createdAt = await creationTimes(String(started.ready.baseUrl), account.DLV_API_KEY, await list.json())
  const refusals = await countRefusals(String(started.ready.controlUrl))
  await ground.stop(started.child)
  const [first = 0, last = 0] = [createdAt[0], createdAt.at(-1)]
  const afterFirstSecond = createdAt.filter((time) => time > first + 1_000).length
  const used = afterFirstSecond / (perSecond * Math.max((last - first) / 1000 - 1, 1e-9))
  return {
    id: 'bulk-limit',
    aim: `bulk create of ${orders} orders at ${perSecond} per second`,
    bar: '≥ 98 % of the allowance, no 429',
    measured: `${round(used * 100, 1)} % of the allowance after the first second, ${refusals} × 429, ${createdAt.length} created`,
    values: { used, refusals },
    met: used >= 0.98 && refusals === 0 && createdAt.length === orders,
  }
}

interface Page {
  deliveries: { createdAt: string }[]
  nextCursor: string | null
}

async function creationTimes(baseUrl: string, apiKey: string, first: unknown): Promise<number[]> {
  const times: number[] = []
  let page = first as Page
  for (;;) {
    times.push(...page.deliveries.map((delivery) => Date.parse(delivery.createdAt)))
    if (page.nextCursor === null) return times.sort((a, b) => a - b)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const query = new URLSearchParams({ from: '2020-01-01T00:00:00Z', limit: '100', cursor: page.nextCursor })
    const answer = await fetch(`${baseUrl}/deliveries?${query}`, { headers: { authorization: `Bearer ${apiKey}` } })
    page = (await answer.json()) as Page
  }
}

async function countRefusals(controlUrl: string): Promise<number> {
  const answer = await fetch(`${controlUrl}/requests`)
  const text = await answer.text()
  return [...text.matchAll(/"status":\s*429/g)].length
}

function writeOrders(ground: Ground, count: number): string {
  const order = JSON.parse(readFileSync(join(ground.project, 'examples/order.json'), 'utf8')) as Record<string, unknown>
  const file = join(ground.newFolder('orders'), 'orders.ndjson')
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ ...order, clientOrderReference: `BENCH-${index}` }),
  )
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}
