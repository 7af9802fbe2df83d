import { type ChildProcess, spawn } from 'node:child_process'
import type { ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'
import { programEnvironment } from './program-environment.js'

/** How long a command can take to end after SIGTERM. */
const killedAfterMs = 5_000

/**
 * Runs a command line in the shell, with `input` as its standard input; its output goes to stderr, so that stdout stays
 * ours. Resolves with its exit code. When the signal aborts, and when the command has ended, every process in its process
 * group is ended too.
 */
export function runCommandLine(
  { env, cwd, stderr }: ProcessContext,
  commandLine: string,
  variables: Record<string, string>,
  signal: AbortSignal,
  input?: string,
): Promise<number> {
  const child = spawn(commandLine, {
    shell: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', stderr, stderr],
    cwd,
    env: { ...programEnvironment(env, true), ...variables },
    // A separate process group, to be ended as a whole.
    detached: process.platform !== 'win32',
  })
  // A command that does not read its input is not an error.
  child.stdin?.on('error', () => {}).end(input)
  const endNow = () => endGroup(child, 'SIGKILL')
  const end = () => {
    endGroup(child, 'SIGTERM')
    setTimeout(endNow, killedAfterMs).unref()
  }
  signal.addEventListener('abort', end, { once: true })
  process.once('exit', endNow)
  return new Promise<number>((resolve) => {
    child.on('error', () => resolve(exitCodes.unknownCommand))
    child.on('exit', (code) => resolve(code ?? exitCodes.terminated))
  }).finally(() => {
    signal.removeEventListener('abort', end)
    endGroup(child, 'SIGTERM')
  })
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!isGone) throw error
  }
}
