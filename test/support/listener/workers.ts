import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { join } from 'node:path'

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
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}
