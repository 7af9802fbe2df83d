import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { ResolvedAccount } from '../../profiles/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { ProcessContext } from '../process/context.js'

/** A command of the program, as it would be typed. */
export interface InnerCommand {
  /** The command and its flags, each `--name=value`. */
  words: readonly string[]
  /** Arguments, whatever they begin with. */
  args?: readonly string[]
  /** Standard input. */
  stdin?: string | Uint8Array | undefined
}

/** The error that a command reports. */
interface InnerError {
  code: string
  message: string
  hint?: string
  status?: number
  requestId?: string
  fieldErrors?: unknown[]
}

interface InnerResult {
  exitCode: number
  /** The JSON that it printed. */
  value: unknown
  error: InnerError | undefined
}

/** Runs a command; the signal interrupts it as Ctrl-C would. */
export type RunCommand = (command: InnerCommand, signal?: AbortSignal) => Promise<InnerResult>

interface InnerOptions {
  /** Given to every command, such as the time limit. */
  globalWords: readonly string[]
  /** The account of every command. */
  account: () => ResolvedAccount
  /** Nothing may be kept: a sandbox answers without writing. */
  isDryRun: boolean
}

/** Exit 9 reports a result too: not the one that was asked for. */
const resultCodes: readonly number[] = [0, 9]

/**
 * Runs commands in this process, one context for each, with `-o json`: what a tool does is what its command does. They
 * never see standard input or output of the process, and never ask.
 */
export function commandRunner(outer: ProcessContext, options: InnerOptions): RunCommand {
  const { run } = outer
  if (run === undefined) throw new Error('The context cannot run commands.')
  const env: NodeJS.ProcessEnv = { ...outer.env, DLV_NO_INPUT: '1', DLV_NO_NOTICE: '1', NO_COLOR: '1' }
  delete env.DLV_OUTPUT
  return async ({ words, args = [], stdin }, signal) => {
    const [stdout, stderr] = [collector(), collector()]
    const line = [
      ...words,
      ...options.globalWords,
      '--output=json',
      '--no-input',
      ...(args.length > 0 ? ['--', ...args] : []),
    ]
    const signals = new EventEmitter()
    const interrupt = () => signals.emit('SIGINT')
    signal?.addEventListener('abort', interrupt, { once: true })
    const exitCode = await new Promise<number>((resolve, reject) => {
      const context: ProcessContext = {
        stdin: Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]),
        stdout: stdout.stream,
        stderr: stderr.stream,
        env,
        cwd: outer.cwd,
        signals: signals as unknown as ProcessContext['signals'],
        nowMs: () => outer.nowMs(),
        exit: resolve,
        account: options.account,
        accountFlags: outer.accountFlags ?? '',
        ...(options.isDryRun ? { sandboxHeaders: { 'x-sandbox-dry-run': 'true' } } : {}),
      }
      run(line, context).catch(reject)
      if (signal?.aborted) interrupt()
    }).finally(() => signal?.removeEventListener('abort', interrupt))
    const printed = tryParseJson(stdout.text(), 'answer')?.value
    if (resultCodes.includes(exitCode) && printed !== undefined) return { exitCode, value: printed, error: undefined }
    return { exitCode, value: printed, error: errorIn(printed) ?? errorOf(stderr.text(), exitCode) }
  }
}

function collector() {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      pieces.push(piece)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}

/** The error of the last line that is one. */
function errorOf(stderr: string, exitCode: number): InnerError {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const error = errorIn(tryParseJson(line)?.value)
    if (error !== undefined) return error
  }
  return { code: 'FAILED', message: stderr.trim().slice(0, 500) || `The command ended with exit code ${exitCode}.` }
}

/** The error object in what a command or the service printed. */
function errorIn(value: unknown): InnerError | undefined {
  if (!isRecord(value) || !isRecord(value.error)) return undefined
  const { code, message, hint, status, requestId, fieldErrors } = value.error
  return {
    code: String(code),
    message: String(message),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(Array.isArray(fieldErrors) && fieldErrors.length > 0 ? { fieldErrors } : {}),
  }
}
