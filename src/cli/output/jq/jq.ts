import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'
import { Worker } from 'node:worker_threads'
import { longestDelayMs } from '../../../shared/durations.js'
import { crashOf, failureOf, JqTimeoutError, remarksOf } from './failure.js'
import { countOf, type Ended, type Input, type Report, type Setup } from './protocol.js'

interface JqOptions {
  /** The time that the expression can take for each input; `Infinity` for no limit. */
  timeoutMs: number
  /** Whether results go to a terminal. */
  terminal: boolean
  print(text: string): Promise<void>
  /** Prints what an expression writes to standard error. */
  remark(text: string): void
  /** The signal of a command that handles interruptions itself. */
  interruption(): AbortSignal | undefined
}

/** The time that an expression has after an interruption: enough for an ordinary one to finish. */
const graceMs = 2_000

/**
 * One run of jq in a thread of its own: takes values as they arrive and prints the results. Its memory is limited in the
 * WebAssembly module, see scripts/jq-web.js.
 */
export class Jq {
  /** Rejects with a `UsageError` if the expression does not compile. */
  readonly compiled: Promise<void>
  private readonly worker: Worker
  private readonly counts = new Int32Array(new SharedArrayBuffer(8))
  private isOver = false

  constructor(
    private readonly expression: string,
    private readonly options: JqOptions,
  ) {
    const workerData: Setup = {
      expression,
      program: programFile('jq.wasm.br'),
      terminal: options.terminal,
      counts: this.counts.buffer,
    }
    // The source itself, because a standalone program has no file; and no environment variables.
    this.worker = new Worker(programFile('jq-worker.cjs').toString(), {
      eval: true,
      argv: [],
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
      workerData,
    })
    this.compiled = this.ready(Number.POSITIVE_INFINITY)
    this.compiled.catch(() => {})
  }

  /** Runs the expression on each of these values, which are JSON, and prints the results. */
  async select(json: string): Promise<void> {
    await this.compiled
    await this.give(new TextEncoder().encode(`${json}\n`))
  }

  /** Ends the thread. After a success the expression first reads the end of its input, which `inputs` waits for. */
  async finish(isSuccess: boolean): Promise<void> {
    try {
      if (!isSuccess) return
      await this.compiled
      await this.give(null)
    } finally {
      this.isOver = true
      await this.worker.terminate()
    }
  }

  private async give(input: Input): Promise<void> {
    // An expression that has halted takes no more input.
    if (this.isOver) return
    this.worker.postMessage(input, input === null ? [] : [input.buffer])
    this.tick(countOf.sent)
    await this.ready(this.options.timeoutMs)
  }

  /** Resolves when all results so far have been printed. */
  private async ready(timeoutMs: number): Promise<void> {
    const ended = await this.report(timeoutMs)
    if (ended === undefined) return
    this.isOver = true
    this.remark(remarksOf(ended))
    const failure = failureOf(this.expression, ended)
    if (failure !== undefined) throw failure
  }

  /** Prints results; returns how the run ended, or `undefined` if it is waiting for more input. */
  private report(timeoutMs: number): Promise<Ended | undefined> {
    const { worker, expression, options } = this
    const { promise, resolve, reject } = Promise.withResolvers<Ended | undefined>()
    const stop = (error: unknown) => {
      this.isOver = true
      void worker.terminate()
      reject(error)
    }
    const countdown = new Countdown(timeoutMs, () => stop(new JqTimeoutError(expression, timeoutMs)))
    let printing = Promise.resolve()
    const print = async (text: string) => {
      countdown.pause()
      await options.print(text)
      if (!this.isOver) countdown.resume()
      this.tick(countOf.printed)
    }
    const heard = (report: Report) => {
      if ('ended' in report) worker.off('exit', exited)
      if ('text' in report) printing = printing.then(() => print(report.text))
      else void printing.then(() => resolve('ended' in report ? report.ended : this.remark(report.said)))
    }
    const failed = (error: Error) => stop(crashOf(expression, error))
    const exited = () => failed(new Error('the thread of jq ended early'))
    const signal = options.interruption()
    let grace: NodeJS.Timeout | undefined
    const interrupted = () => {
      grace = setTimeout(() => stop(new DOMException('Interrupted', 'AbortError')), graceMs)
    }
    worker.on('message', heard).on('error', failed).on('exit', exited).ref()
    countdown.resume()
    if (signal?.aborted) interrupted()
    else signal?.addEventListener('abort', interrupted, { once: true })
    return promise.finally(() => {
      worker.off('message', heard).off('error', failed).off('exit', exited).unref()
      countdown.pause()
      clearTimeout(grace)
      signal?.removeEventListener('abort', interrupted)
    })
  }

  private remark(said: string): undefined {
    if (said !== '') this.options.remark(said.trimEnd())
  }

  private tick(count: number): void {
    Atomics.add(this.counts, count, 1)
    Atomics.notify(this.counts, count)
  }
}

/** A time limit that can be paused; it starts paused. */
class Countdown {
  private timer: NodeJS.Timeout | undefined
  private startedMs = 0

  constructor(
    private leftMs: number,
    private readonly expired: () => void,
  ) {}

  resume(): void {
    this.startedMs = performance.now()
    if (Number.isFinite(this.leftMs))
      this.timer = setTimeout(this.expired, Math.min(Math.max(0, this.leftMs), longestDelayMs))
  }

  pause(): void {
    clearTimeout(this.timer)
    this.leftMs -= performance.now() - this.startedMs
  }
}

/** A file of the program: next to its chunks, or inside the executable. */
function programFile(name: string): Buffer {
  return isSea() ? Buffer.from(getRawAsset(name)) : readFileSync(join(import.meta.dirname, '..', name))
}
