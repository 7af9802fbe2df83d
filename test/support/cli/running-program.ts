import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Interruption } from '../../../src/cli/process/context.js'

/** How a program ended. */
export interface End {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

export interface Ended extends End {
  stdout: string
  stderr: string
}

/** A program that was just started, in a process of its own or in this one. */
export interface Launched {
  /** The process that runs it: the one that was started, or this one. */
  pid: number | undefined
  stdout: Readable
  stderr: Readable
  signal(name: Interruption): void
  end: Promise<End>
}

/** A program that is still running: its lines as they come, and its end. */
export interface Running {
  /** The process that runs it. */
  pid: number | undefined
  /** Resolves with the first line, from the last one taken on, that fits; fails if the program ends before. */
  line(fits: (line: string) => boolean): Promise<string>
  /** Everything printed so far. */
  lines(): readonly string[]
  /** Everything on standard error so far. */
  errors(): string
  /** Resolves once this text was printed, on stdout or stderr, or the program has ended. */
  hasPrinted(text: string): Promise<void>
  ended: Promise<Ended>
  /** Sends a signal (SIGTERM unless told) and waits for the end. */
  kill(signal?: Interruption): Promise<Ended>
}

/** The same in a process of its own, which can be killed, stopped and left without a reader. */
export interface RunningProcess extends Omit<Running, 'kill'> {
  child: ChildProcess
  kill(signal?: NodeJS.Signals): Promise<Ended>
}

export function launchedProcess(child: ChildProcess): Launched {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('A program is started with pipes')
  return {
    pid: child.pid,
    stdout,
    stderr,
    signal: (name) => child.kill(name),
    end: new Promise((resolve) => {
      child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
    }),
  }
}

/** Reads a program's lines from now on; `words` name it in an error. */
export function runningOf(launched: Launched, words: readonly string[]): Running {
  const lines: string[] = []
  let taken = 0
  let errors = ''
  const printed = watchers()
  createInterface({ input: launched.stdout }).on('line', (line) => {
    lines.push(line)
    printed.tell()
  })
  launched.stderr.on('data', (text: string) => {
    errors += text
    printed.tell()
  })
  const ended = outcomeOf(launched)
  let isOver = false
  void ended.then(() => {
    isOver = true
    printed.tell()
  })
  return {
    pid: launched.pid,
    ended,
    lines: () => lines,
    errors: () => errors,
    async hasPrinted(text) {
      while (!isOver && !errors.includes(text) && !lines.some((line) => line.includes(text))) await printed.next()
    },
    async line(fits) {
      for (;;) {
        while (taken < lines.length) {
          const line = lines[taken++] ?? ''
          if (fits(line)) return line
        }
        if (isOver) throw new Error(`dlv ${words.join(' ')} ended without that line: ${(await ended).stderr}`)
        await printed.next()
      }
    },
    kill(signal = 'SIGTERM') {
      launched.signal(signal)
      return ended
    },
  }
}

export function runningProcessOf(child: ChildProcess, words: readonly string[]): RunningProcess {
  const running = runningOf(launchedProcess(child), words)
  return {
    ...running,
    child,
    kill(signal = 'SIGTERM') {
      child.kill(signal)
      return running.ended
    },
  }
}

/** Whoever waits for something to be printed. */
function watchers() {
  let waiting: (() => void)[] = []
  return {
    next: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
      }),
    tell() {
      const told = waiting
      waiting = []
      for (const resolve of told) resolve()
    },
  }
}

/** What a program has printed and how it ended, once it has. */
export async function outcomeOf({ stdout, stderr, end }: Launched): Promise<Ended> {
  const printed = { stdout: '', stderr: '' }
  stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
  })
  stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
  })
  return { ...(await end), ...printed }
}
