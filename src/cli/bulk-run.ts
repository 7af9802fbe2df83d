import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Client,
  type Pacer,
  type RowAction,
  type RowResult,
  type Rows,
  type RunSummary,
  run,
} from '../client/index.js'
import { runView } from '../render/run-view.js'
import { spanText } from '../render/times.js'
import type { Notices } from './notices.js'
import type { Output } from './output.js'
import { canAnimate } from './terminal.js'

/** One bulk run from rows to printed results. */
export interface BulkRun<Input> {
  rows: Rows
  action: RowAction<Input>
  client: Client
  pacer: Pacer
  profile: string
  resultsFile: string
  concurrency: number | undefined
  timeoutMs: number | undefined
  attemptTimeoutMs: number | undefined
  signal: AbortSignal
}

/** Where a run keeps its record unless told: beside the input, or for a pipe in the data directory. */
export function defaultResultsFile(input: string, dataDir: string, nowMs: number): string {
  if (input !== '-') return `${input}.results.ndjson`
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-')
  const mark = createHash('sha256').update(`${process.pid} ${nowMs}`).digest('hex').slice(0, 6)
  return join(dataDir, 'runs', `${stamp}-${mark}.ndjson`)
}

/**
 * Carries a run out and prints its results as they come; on a terminal those that need a look, with progress on stderr.
 * Answers with how it ended.
 */
export async function bulkRun<Input>(input: BulkRun<Input>, output: Output, notices: Notices): Promise<RunSummary> {
  const { resultsFile, signal, client: _client, ...options } = input
  mkdirSync(dirname(resultsFile), { recursive: true, mode: 0o700 })
  const results = new Pipe<RowResult>()
  const isForPeople = output.style.terminal && output.choices.format === 'table' && !output.choices.quiet
  const progress = canAnimate(process.env) ? process.stderr : undefined
  const printing = output.stream(runView, results)
  try {
    return await run({
      ...options,
      resultsFile,
      signal,
      onResult: (result) => {
        if (!isForPeople || needsLook(result)) results.push(result)
      },
      onProgress: ({ done, failed, perSecond, etaMs, waitingMs }) => {
        const eta = etaMs === undefined ? '' : `, ${spanText(etaMs)} left`
        const wait = waitingMs > 0 ? `, waiting ${spanText(waitingMs)}` : ''
        progress?.write(`\r\u001b[2K${done} done, ${failed} failed, ${perSecond.toFixed(1)}/s${eta}${wait}`)
      },
    })
  } finally {
    progress?.write('\r\u001b[2K')
    results.end()
    await printing
    notices.notice(`Results and record: ${resultsFile}`)
  }
}

function needsLook({ outcome }: RowResult): boolean {
  return outcome === 'failed' || outcome === 'conflict' || outcome === 'unknown'
}

/** One sentence on how a run ended. */
export function runSentence({ counts, earlier, left, stopped, resumeAt }: RunSummary): string {
  const parts = Object.entries(counts).flatMap(([outcome, count]) => (count > 0 ? [`${count} ${outcome}`] : []))
  const before = earlier > 0 ? ` (${earlier} of them in an earlier run)` : ''
  const open = left > 0 ? `; ${left} left` : ''
  const why = stopped === undefined ? '' : `. Stopped: ${reasons[stopped]}; the same command again goes on`
  const when = resumeAt === undefined ? '' : ` (from ${resumeAt.toISOString()})`
  return `${parts.length === 0 ? 'No rows' : parts.join(', ')}${before}${open}${why}${when}.`
}

const reasons = {
  outage: 'the service gives no usable answers',
  wait: 'the service asks for a longer wait than is allowed',
  unauthorized: 'the key is refused',
  interrupted: 'interrupted',
  record: 'the results cannot be written',
} as const

/** Values handed from callbacks to a loop. */
class Pipe<Value> implements AsyncIterable<Value> {
  private readonly held: Value[] = []
  private isOver = false
  private wake = () => {}

  push(value: Value): void {
    this.held.push(value)
    this.wake()
  }

  end(): void {
    this.isOver = true
    this.wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (;;) {
      const value = this.held.shift()
      if (value !== undefined) yield value
      else if (this.isOver) return
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
    }
  }
}
