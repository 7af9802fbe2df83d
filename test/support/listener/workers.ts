import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'

/** Starts a worker as the program does, for a listener in this process. */
export function forkWorker(words: readonly string[] = []): ChildProcess {
  return fork(join(process.cwd(), 'bin', 'run.js'), ['__webhook-worker', ...words], {
    serialization: 'advanced',
    execArgv: [],
  })
}

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return platform === 'linux' ? childrenInProc(pid) : numbers(execFileSync('pgrep', ['-P', String(pid)]).toString())
  } catch {
    return []
  }
}

/** Tests ask for them every few milliseconds, in which pgrep would look at every process of the machine. */
function childrenInProc(pid: number | undefined): number[] {
  const threads = `/proc/${pid}/task`
  return readdirSync(threads).flatMap((thread) => numbers(readFileSync(join(threads, thread, 'children'), 'utf8')))
}

const numbers = (text: string) => text.match(/\d+/g)?.map(Number) ?? []
