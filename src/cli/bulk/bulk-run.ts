import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RowAction, RowResult, Rows, RunOptions, RunSummary } from '../../bulk/index.js'
import { namedRecord, openRecord, type RunRecord, runOn, severalAccounts } from '../../bulk/internal.js'
import type { Pacer } from '../../client/index.js'
import { progressBar, progressWords, type RunProgress, runView } from '../../render/run-view.js'
import { shellWord } from '../../shared/command-words.js'
import { capGarbage, capYoungGeneration } from '../../shared/young-generation.js'
import { rowErrorInFlags } from '../errors/flag-words.js'
import type { Notices } from '../output/notices.js'
import type { Output } from '../output/output.js'
import type { OutputStream, ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'
import { BufferedAsyncQueue } from './async-queue.js'
import { areShared, openableResults } from './results-place.js'
import { Reasons, type RowWarnings } from './row-warnings.js'

/** A bulk run, from rows to printed results. */
interface BulkRun<Input> {
  context: ProcessContext
  rows: Rows
  warnings: RowWarnings
  action: RowAction<Input>
  pacer: Pacer
  owner: string
  seal: RunOptions<Input>['seal']
  account: RunOptions<Input>['account']
  content: RunOptions<Input>['content']
  resultsFile: string
  /** The name of the input. */
  input: string
  concurrency: number | undefined
  timeoutMs?: number | undefined
  attemptTimeoutMs?: number | undefined
  signal: AbortSignal
  /** The file for the rejected rows, written after the run. */
  rejects?: string | undefined
  /** The encoding of the input. */
  encoding?: string | undefined
  /** Whether running the same command again finds its results file. */
  isResumable: boolean
  /** The cost of this run's rows so far, such as ` for $2,104.50 without tips, tips $310.00`. */
  spent?: (() => string) | undefined
}

/** The default results file: next to the input, or in the data directory for a pipe. */
export function defaultResultsFile(input: string, dataDir: string, nowMs: number): string {
  if (input !== '-') return `${input}.results.ndjson`
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-')
  const mark = hash('sha256', `${process.pid} ${nowMs}`, 'hex').slice(0, 6)
  return join(dataDir, 'runs', `${stamp}-${mark}.ndjson`)
}

function resultsWords({
  input,
  resultsFile,
  encoding,
}: Pick<BulkRun<never>, 'input' | 'resultsFile' | 'encoding'>): string {
  const own = resultsFile === defaultResultsFile(input, '', 0) ? '' : ` --results ${shellWord(resultsFile)}`
  const spelt = encoding === undefined ? '' : ` --encoding ${shellWord(encoding)}`
  return `--file ${shellWord(input)}${own}${spelt}`
}

/** From this length on a run collects its garbage earlier: 30 MB less for 5 % more CPU. In a short run it would be 10 %. */
const longRunMs = 5_000

/** The number of results that can wait to be printed before the run waits for the reader. */
const heldResults = 1_000

/**
 * Executes a run and prints its results as they come; on a terminal, only those that need attention. Progress goes to
 * stderr. Returns how it ended.
 */
export async function bulkRun<Input>(input: BulkRun<Input>, output: Output, notices: Notices): Promise<RunSummary> {
  const { context, resultsFile, signal, isResumable, spent, rejects, encoding, warnings, ...options } = input
  const path = openableResults(context, resultsFile)
  const becomesLong = context.ownsHeap ? setTimeout(capGarbage, longRunMs, 100).unref() : undefined
  if (context.ownsHeap) capYoungGeneration()
  const results = new BufferedAsyncQueue<RowResult>(heldResults)
  const reporter = runReporter(context, output.choices.format === 'json')
  const printing = output.pages(runView, afterClearing(results, reporter))
  const sayDraining = () => {
    reporter.clear()
    notices.notice('Finishing requests in flight. Press Ctrl-C again to quit now.')
  }
  signal.addEventListener('abort', sayDraining, { once: true })
  const reasons = new Reasons()
  let changeable: string | undefined
  let summary: RunSummary | undefined
  try {
    summary = await runOn(
      {
        ...options,
        rows: warnings.watch(input.rows, () => reporter.clear()),
        resultsFile: path,
        environment: context.env,
        signal,
        onResult: (told) => {
          const result = told.error === null ? told : { ...told, error: rowErrorInFlags(told.error) }
          changeable ??= changeableOf(result)
          if (result.outcome === 'failed' && result.error !== null) reasons.add(result.error)
          return output.forPeople && !needsLook(result) ? undefined : results.push(result)
        },
        onProgress: (progress) => reporter.show(progress),
      },
      recordFor(context),
    )
    return summary
  } finally {
    clearTimeout(becomesLong)
    reporter.clear()
    results.end()
    await printing
    warnings.end()
    if (summary !== undefined) {
      // Several accounts have one file, which is named once.
      const isAlone = context.accountRows === undefined
      if (isAlone && (areShared(path) || existsSync(path))) notices.notice(`Results: ${resultsFile}`)
      notices.notice(runSentence(summary, isResumable ? undefined : resultsFile, spent?.()))
      if (reasons.text !== '') notices.notice(reasons.text)
      if (output.forPeople && changeable !== undefined)
        notices.notice(`To change the delivery of a conflict: dlv deliveries update ${changeable} --set PATH=VALUE`)
      // A row that is a conflict is one again when it is sent again.
      const { failed = 0 } = summary.counts
      if (isAlone && output.forPeople && failed > 0 && input.input !== '-' && rejects === undefined)
        notices.notice(`To repair them: dlv deliveries results ${resultsWords(input)} --rejects rejected.csv`)
    }
  }
}

/** How the record of a run is opened: one account of several shares it with the others. */
function recordFor({ accountRows }: ProcessContext): (options: RunOptions<never>) => Promise<RunRecord> {
  if (accountRows === undefined) return openRecord
  const { profile, record } = accountRows
  return async (options) => {
    const account = { profile, mark: options.owner }
    // In a database each account has its own, which other machines find by its key.
    return areShared(options.resultsFile)
      ? namedRecord(account, await openRecord(options))
      : record.of(account, () => openRecord({ ...options, owner: severalAccounts }))
  }
}

/** The progress bar is removed before results are printed on the same screen. */
async function* afterClearing(results: AsyncIterable<RowResult[]>, reporter: RunReporter): AsyncGenerator<RowResult[]> {
  for await (const batch of results) {
    reporter.clear()
    yield batch
  }
}

/** The delivery of a conflict that an update may still make what its row says. */
function changeableOf({ outcome, deliveryId, error }: RowResult): string | undefined {
  const advice = outcome === 'conflict' && deliveryId !== null ? `dlv deliveries update ${deliveryId}` : undefined
  return advice !== undefined && error?.hint?.includes(advice) === true && deliveryId !== null ? deliveryId : undefined
}

/** Whether a row has to be checked. */
export function needsLook({ outcome }: RowResult): boolean {
  return outcome === 'failed' || outcome === 'conflict' || outcome === 'unknown'
}

/**
 * A sentence on how a run ended. `resumeFile` is the file to name to resume a run whose input is a pipe; `spent` is what
 * the deliveries cost that it created, such as ` for $2,104.50 without tips, tips $310.00`.
 */
function runSentence(
  { counts, earlier, left, stopped, cause, resumeAt }: RunSummary,
  resumeFile?: string,
  spent = '',
): string {
  const parts = Object.entries(counts).flatMap(([outcome, count]) => {
    const cost = outcome === 'created' && earlier === 0 ? spent : ''
    return count > 0 ? [`${count.toLocaleString('en-US')} ${outcome}${cost}`] : []
  })
  const now = spent === '' ? '' : `; this run${spent}`
  const before = earlier > 0 ? ` (${earlier.toLocaleString('en-US')} of them in an earlier run${now})` : ''
  const open = left > 0 ? '; the other rows are left' : ''
  const none = stopped === undefined ? 'No rows' : 'No row has an outcome'
  const settled = parts.length === 0 ? none : `${parts.join(', ')}${before}${open}`
  if (stopped === undefined) return `${settled}.`
  const why = cause instanceof Error && stopped !== 'time' ? ` (${cause.message})` : ''
  const how =
    resumeFile === undefined ? 'Run the same command' : `Run the command with the same rows and --results ${resumeFile}`
  const when = resumeAt === undefined ? '' : ` after ${resumeAt.toISOString()}`
  return `${settled}. Stopped: ${stopTexts[stopped]}${why}. ${how}${when} to resume.`
}

const stopTexts = {
  outage: 'no usable response from the service',
  wait: 'the service asks for a longer wait than is allowed',
  time: 'the time of --timeout is up',
  unauthorized: 'access was refused',
  proxy: 'the proxy refuses the way to the service',
  interrupted: 'interrupted',
  record: 'the results cannot be written',
} as const

/** Shows the progress of a run on stderr. */
interface RunReporter {
  show(progress: RunProgress): void
  /** Removes the bar, so that something else can be printed. */
  clear(): void
}

/** Time between two lines if the bar cannot be redrawn. */
const lineEveryMs = 5_000

const eraseLine = '\r\u001b[2K'

/**
 * A bar that redraws itself on a terminal; elsewhere a plain line every five seconds, or nothing if output is held
 * back.
 */
function runReporter(context: Pick<ProcessContext, 'stderr' | 'env'>, isHeld: boolean): RunReporter {
  if (isHeld) return { show: () => undefined, clear: () => undefined }
  return canAnimate(context) ? animated(context.stderr) : plain(context.stderr)
}

function animated(stderr: OutputStream): RunReporter {
  let isDrawn = false
  return {
    show(progress) {
      stderr.write(`${eraseLine}${progressBar(progress, stderr.columns ?? 80)}`)
      isDrawn = true
    },
    clear() {
      if (isDrawn) stderr.write(eraseLine)
      isDrawn = false
    },
  }
}

function plain(stderr: OutputStream): RunReporter {
  let lastMs = performance.now()
  return {
    show(progress) {
      const nowMs = performance.now()
      if (nowMs - lastMs < lineEveryMs) return
      lastMs = nowMs
      stderr.write(`${progressWords(progress)}\n`)
    },
    clear: () => undefined,
  }
}
