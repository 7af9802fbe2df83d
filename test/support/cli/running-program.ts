import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A program that is still running: its lines as they come, and its end. */
export interface Running {
  child: ChildProcess
  /** Resolves with the first line, from the last one taken on, that fits; fails if the program ends before. */
  line(fits: (line: string) => boolean): Promise<string>
  /** Everything printed so far. */
  lines(): readonly string[]
  /** Everything on standard error so far. */
  errors(): string
  /** Resolves once this text was printed, on stdout or stderr, or the program has ended. */
  hasPrinted(text: string): Promise<void>
  ended: Promise<Ended>
  kill(signal?: NodeJS.Signals): Promise<Ended>
}

/** Reads a program's lines from now on; `words` name it where it disappoints. */
export function runningOf(child: ChildProcess, words: readonly string[]): Running {
  const lines: string[] = []
  let taken = 0
  let wake: () => void = () => {}
  const reader = createInterface({ input: child.stdout ?? process.stdin })
  reader.on('line', (line) => {
    lines.push(line)
    wake()
  })
  let errors = ''
  child.stderr?.on('data', (text: string) => {
    errors += text
  })
  const ended = outcomeOf(child)
  let isOver = false
  void ended.then(() => {
    isOver = true
    wake()
  })
  return {
    child,
    ended,
    lines: () => lines,
    errors: () => errors,
    hasPrinted: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (errors.includes(text) || lines.some((line) => line.includes(text))) resolve()
        }
        reader.on('line', look)
        child.stderr?.on('data', look)
        void ended.then(() => resolve())
        look()
      }),
    async line(fits) {
      for (;;) {
        while (taken < lines.length) {
          const line = lines[taken++] ?? ''
          if (fits(line)) return line
        }
        if (isOver) throw new Error(`dlv ${words.join(' ')} ended without that line: ${(await ended).stderr}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    kill(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** What a program has printed and how it ended, once it has. */
export function outcomeOf(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }))
  })
}
