import type { ChildProcess } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { exponent, median, timeCommand } from '../measure.ts'
import { type Outcome, type Plot, type Result, round } from '../result.ts'

const headers = { authorization: 'Bearer dlvk_sbx_fast', 'content-type': 'application/json' }

interface Costs {
  size: number
  getMs: number
  createMs: number
  listMs: number
  lookUpMs: number
  eventsMs: number
  exportMs: number
}

const names = {
  getMs: 'get',
  createMs: 'create',
  listMs: 'first list page',
  lookUpMs: 'lookup by reference',
  eventsMs: 'events of one delivery',
} as const
const kinds = Object.keys(names) as (keyof typeof names)[]

/** The cost of a request as the sandbox fills, and of an export as it grows. */
export async function measureScale(ground: Ground): Promise<Outcome> {
  const sizes = ground.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000]
  const sandboxes: FilledSandbox[] = []
  for (const size of sizes) sandboxes.push(await fill(ground, size))
  const figures = {} as Record<Kind, number[]>
  for (const kind of kinds) figures[kind] = await timedInTurn(kind, sandboxes, ground.quick ? 3 : 20)
  const costs: Costs[] = []
  for (const [at, sandbox] of sandboxes.entries()) {
    const ofKind = (kind: Kind) => figures[kind][at] ?? Number.NaN
    costs.push({
      size: sandbox.size,
      getMs: ofKind('getMs'),
      createMs: ofKind('createMs'),
      listMs: ofKind('listMs'),
      lookUpMs: ofKind('lookUpMs'),
      eventsMs: ofKind('eventsMs'),
      exportMs: await exportMs(ground, sandbox),
    })
    await ground.stop(sandbox.child)
  }
  const [smallest, largest] = [costs[0], costs.at(-1)]
  if (smallest === undefined || largest === undefined) return { results: [] }
  const results: Result[] = kinds.map((kind) => {
    const ratio = largest[kind] / smallest[kind]
    const slope = exponent(costs.map((cost) => ({ size: cost.size, cost: cost[kind] })))
    return {
      id: `scale-${kind.slice(0, -2)}`,
      aim: `sandbox ${names[kind]} with ${largest.size.toLocaleString('en')} deliveries vs. ${smallest.size.toLocaleString('en')}`,
      bar: '≤ 1.2 ×',
      measured: `${round(ratio)} × (${round(largest[kind], 3)} ms vs. ${round(smallest[kind], 3)} ms), exponent ${round(slope)}`,
      values: { ratio, exponent: slope },
      faster: 'smaller',
      met: ratio <= 1.2,
    }
  })
  const slope = exponent(costs.map(({ size, exportMs }) => ({ size, cost: exportMs })))
  results.push({
    id: 'scale-export',
    aim: `cost of an export as it grows to ${largest.size.toLocaleString('en')} deliveries`,
    bar: 'exponent ≤ 1.1',
    measured: `exponent ${round(slope)}`,
    values: { exponent: slope },
    met: slope <= 1.1,
  })
  const series = (label: string, kind: keyof Costs) => ({
    label,
    points: costs.map((cost) => ({ x: cost.size, y: cost[kind] })),
  })
  const plots: Plot[] = [
    {
      file: 'scale-sandbox.svg',
      title: 'Cost of one request as the sandbox fills',
      xLabel: 'deliveries in the sandbox',
      yLabel: 'milliseconds',
      logarithmic: true,
      series: kinds.map((kind) => series(names[kind], kind)),
    },
    {
      file: 'scale-export.svg',
      title: 'Cost of an export of all deliveries',
      xLabel: 'deliveries',
      yLabel: 'milliseconds',
      logarithmic: true,
      series: [series('dlv deliveries list --all', 'exportMs')],
    },
  ]
  return { results, plots: ground.quick ? [] : plots }
}

type Kind = (typeof kinds)[number]

/** A sandbox of one size, and the requests that are timed. */
interface FilledSandbox {
  size: number
  child: ChildProcess
  account: Record<string, string>
  requests: Record<Kind, (index: number) => Promise<Response>>
}

async function fill(ground: Ground, size: number): Promise<FilledSandbox> {
  const data = join(ground.newFolder('scale'), 'sandbox.db')
  const { child, ready } = await ground.startSandbox(data)
  const baseUrl = String(ready.baseUrl)
  await seed(String(ready.controlUrl), size)
  settle(data)
  const from = '2020-01-01T00:00:00Z'
  // Events are kept for 30 days.
  const since = new Date(Date.now() - 29 * 86_400_000).toISOString()
  const page = (await (await fetch(`${baseUrl}/deliveries?from=${from}&limit=100`, { headers })).json()) as {
    deliveries: { deliveryId: string; clientOrderReference: string }[]
  }
  const ids = page.deliveries.map((delivery) => delivery.deliveryId)
  const order = JSON.parse(readFileSync(join(ground.project, 'examples/order.json'), 'utf8')) as Record<string, unknown>
  const get = (path: string) => fetch(`${baseUrl}${path}`, { headers })
  return {
    size,
    child,
    account: { DLV_BASE_URL: baseUrl, DLV_API_KEY: 'dlvk_sbx_fast', DLV_NO_INPUT: '1' },
    requests: {
      getMs: (index) => get(`/deliveries/${ids[index % ids.length]}`),
      createMs: (index) =>
        fetch(`${baseUrl}/deliveries`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': `scale-${size}-${index}` },
          body: JSON.stringify({ ...order, clientOrderReference: `SCALE-${size}-${index}` }),
        }),
      listMs: () => get(`/deliveries?from=${from}`),
      lookUpMs(index) {
        const reference = page.deliveries[index % ids.length]?.clientOrderReference ?? ''
        return get(`/deliveries?clientOrderReference=${encodeURIComponent(reference)}`)
      },
      eventsMs: (index) => get(`/events?since=${since}&deliveryId=${ids[index % ids.length]}`),
    },
  }
}

/** The median of each sandbox, a few requests to each in turn: what else the machine does meets all of them alike. */
async function timedInTurn(kind: Kind, sandboxes: readonly FilledSandbox[], rounds: number): Promise<number[]> {
  const times = sandboxes.map((): number[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [at, { size, requests }] of sandboxes.entries())
      for (let index = round * atOnce; index < (round + 1) * atOnce; index++) {
        const began = performance.now()
        const answer = await requests[kind](index)
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`a request returned ${answer.status} at ${size} deliveries`)
        // The first round is a warm-up.
        if (round > 0) times[at]?.push(performance.now() - began)
      }
  return times.map(median)
}

/** Requests to one sandbox before it is the next one's turn. */
const atOnce = 20

async function exportMs(ground: Ground, { account }: FilledSandbox): Promise<number> {
  const exported = await timeCommand(
    ground.dlv(['deliveries', 'list', '--from', '29d', '--all', '-o', 'ndjson', '--timeout', '30m'], account),
  )
  return exported.wallMs
}

/** Syncs the seeded data to disk: pending gigabytes would slow down every measured request. */
function settle(data: string): void {
  const file = openSync(data, 'r+')
  fsyncSync(file)
  closeSync(file)
}

/** Deliveries per request: a million at once would exceed any client's timeout. */
const seededAtOnce = 20_000

async function seed(controlUrl: string, size: number): Promise<void> {
  for (let done = 0; done < size; done += seededAtOnce) {
    const body = JSON.stringify({ count: Math.min(seededAtOnce, size - done), accountId: 'acc_fast' })
    const seeded = await fetch(`${controlUrl}/seed`, { method: 'POST', headers, body })
    if (!seeded.ok) throw new Error(`seeding returned ${seeded.status}: ${await seeded.text()}`)
    await seeded.arrayBuffer()
  }
}
