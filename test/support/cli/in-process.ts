import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Interruption, ProcessContext } from '../../../src/cli/process/context.js'
import type { Launched } from './running-program.js'

const root = process.cwd()

interface BuiltProgram {
  run(argv: string[], readManifest: () => string, context: ProcessContext): Promise<void>
}

/** The program as npm installs it, loaded once a worker. */
let program: BuiltProgram | undefined

function builtProgram(): BuiltProgram {
  program ??= createRequire(import.meta.url)(join(root, 'dist', 'program', 'dlv.cjs')) as BuiltProgram
  return program
}

/** What a command is given instead of a process of its own. */
interface InProcess {
  env: NodeJS.ProcessEnv
  cwd: string
  /** What standard input holds, or is sent. */
  stdin: string | Readable
  /** Columns of the terminal that shows stdout and stderr together; pipes unless it is given. */
  columns?: number | undefined
  /** Rows of that terminal; a terminal without them is never too small. */
  rows?: number | undefined
  /** The program's clock, in milliseconds since the epoch. */
  nowMs?: (() => number) | undefined
}

/** Starts the built program in this process, by its own entry: parsing, dispatch, errors and exit code included. */
export function launchInProcess(words: readonly string[], options: InProcess): Launched {
  const { columns, rows, stdin, env, cwd, nowMs = Date.now } = options
  const terminal = columns === undefined ? undefined : { isTTY: true, columns, ...(rows === undefined ? {} : { rows }) }
  const stdout = Object.assign(new PassThrough(), terminal)
  const stderr = new PassThrough()
  const signals = new EventEmitter()
  const ended = new Promise<number>((resolve, reject) => {
    const context: ProcessContext = {
      stdin: Object.assign(
        typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin,
        terminal,
      ),
      stdout,
      stderr: terminal === undefined ? stderr : stdout,
      env,
      cwd,
      signals: signals as ProcessContext['signals'],
      nowMs,
      exit: resolve,
    }
    builtProgram()
      .run([...words], readManifest, context)
      .catch(reject)
  })
  return {
    pid: process.pid,
    stdout,
    stderr,
    signal: (name) => signals.emit(name satisfies Interruption),
    end: endOf(ended, stdout, stderr),
  }
}

function readManifest(): string {
  return readFileSync(join(root, 'oclif.manifest.json'), 'utf8')
}

/** The exit code, once everything printed before it can be read. */
async function endOf(exit: Promise<number>, ...streams: PassThrough[]) {
  const exitCode = await exit
  for (const stream of streams) stream.end()
  await Promise.allSettled(streams.map((stream) => finished(stream)))
  return { exitCode, signal: null }
}
