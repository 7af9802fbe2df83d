/**
 * A bulk create in a process of its own, so that it can be killed: rows from a file or stdin, results into a file. It
 * runs what is built, as a user's program does.
 */
import { createReadStream } from 'node:fs'

interface Setup {
  /** Address of the built client and contract. */
  bulkModule: string
  clientModule: string
  contractModule: string
  baseUrl: string
  apiKey: string
  /** `-` for stdin. */
  file: string
  resultsFile: string
  attemptTimeoutMs?: number
  concurrency?: number
}

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup
const { createClient, createPacer } = (await import(
  setup.clientModule
)) as typeof import('../../../src/client/index.js')
const { capYoungGeneration, createAction, readRows, run, runExitCode } = (await import(
  setup.bulkModule
)) as typeof import('../../../src/bulk/index.js')
const { DeliveryCreate } = (await import(setup.contractModule)) as typeof import('../../../src/contract/index.js')

capYoungGeneration()
const pacer = createPacer()
const client = createClient({ baseUrl: setup.baseUrl, apiKey: setup.apiKey, pacer, retries: { baseDelayMs: 20 } })
const startedMs = performance.now()
const summary = await run({
  rows: readRows(setup.file === '-' ? process.stdin : createReadStream(setup.file), { schema: DeliveryCreate }),
  action: createAction(client, { profile: 'test' }),
  resultsFile: setup.resultsFile,
  profile: 'test',
  pacer,
  attemptTimeoutMs: setup.attemptTimeoutMs,
  concurrency: setup.concurrency,
})
await client.close()
process.stdout.write(
  JSON.stringify({
    counts: summary.counts,
    earlier: summary.earlier,
    stopped: summary.stopped,
    cause: summary.cause instanceof Error ? summary.cause.message : undefined,
    elapsedMs: performance.now() - startedMs,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  }),
)
process.exitCode = runExitCode(summary)
