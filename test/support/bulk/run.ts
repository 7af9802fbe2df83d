import { readFileSync } from 'node:fs'
import {
  createAction,
  type RowResult,
  type Rows,
  type RunOptions,
  type RunSummary,
  readRows,
  run,
} from '../../../src/bulk/index.js'
import { type Client, type ClientOptions, createClient, createPacer } from '../../../src/client/index.js'
import { DeliveryCreate } from '../../../src/contract/index.js'
import { testOrder } from '../orders.js'

/** So many orders as NDJSON: `R-1`, `R-2`, … */
export function orderLines(count: number, from = 1, overrides: Record<string, unknown> = {}): string {
  const line = (number: number) => `${JSON.stringify(testOrder(`R-${number}`, overrides))}\n`
  return Array.from({ length: count }, (_, index) => line(from + index)).join('')
}

export function rowsOf(text: string): Rows {
  return readRows([Buffer.from(text)], { schema: DeliveryCreate, bytesTotal: Buffer.byteLength(text) })
}

export interface CreateRun {
  baseUrl: string
  rows: Rows
  resultsFile: string
  client?: Partial<ClientOptions>
  run?: Partial<RunOptions<never>>
}

/** A bulk create as the command line does it: one client, one pacer, one results file. */
export async function runCreates(setup: CreateRun): Promise<RunSummary & { results: RowResult[] }> {
  const clock = setup.client?.clock
  const pacer = createPacer(clock === undefined ? {} : { clock })
  const client: Client = createClient({ baseUrl: setup.baseUrl, apiKey: 'key', pacer, ...setup.client })
  const results: RowResult[] = []
  try {
    const summary = await run({
      rows: setup.rows,
      action: createAction(client),
      resultsFile: setup.resultsFile,
      owner: 'test',
      pacer,
      clock,
      onResult: (result) => results.push(result),
      ...setup.run,
    })
    return { ...summary, results }
  } finally {
    await client.close()
  }
}

/** The last result of each row in a results file. */
export function recordedResults(resultsFile: string): Map<number, RowResult> {
  const results = new Map<number, RowResult>()
  for (const line of readFileSync(resultsFile, 'utf8').split('\n')) {
    if (line === '' || !line.endsWith('}')) continue
    const entry = JSON.parse(line) as Partial<RowResult>
    if (entry.outcome !== undefined && entry.row !== undefined) results.set(entry.row, entry as RowResult)
  }
  return results
}
