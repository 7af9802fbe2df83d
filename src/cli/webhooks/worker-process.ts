import { type ChildProcess, spawn } from 'node:child_process'
import { isSea } from 'node:sea'

/** The hidden command that a worker runs. */
const command = '__webhook-worker'

/** Starts this program again, as a worker of a listener. */
export function launchWorker(): ChildProcess {
  const program = isSea() ? [] : [...process.execArgv, process.argv[1] ?? '']
  return spawn(process.execPath, [...program, command], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
}
