import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { UsageError } from '../../contract/index.js'
import type { ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'
import { programEnvironment } from './program-environment.js'

/** How long a command can take to end after SIGTERM. */
const killedAfterMs = 5_000

/**
 * Runs a command line in the shell, with `input` as its standard input; its output goes to stderr, so that stdout stays
 * ours. Resolves with its exit code. When the signal aborts, and when the command has ended, every process in its process
 * group is ended too.
 *
 * @throws UsageError if the system cannot be given the variables
 */
export async function runCommandLine(
  { env, cwd, stderr }: Pick<ProcessContext, 'env' | 'cwd' | 'stderr'>,
  commandLine: string,
  variables: Record<string, string>,
  signal: AbortSignal,
  input?: string,
): Promise<number> {
  const child = start(commandLine, {
    shell: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', stderr, stderr],
    cwd,
    env: { ...programEnvironment(env, true), ...variables },
    // A separate process group, to be ended as a whole.
    detached: process.platform !== 'win32',
  })
  // A command that does not read its input is not an error.
  child.stdin?.on('error', () => {}).end(input)
  const end = () => {
    endGroup(child, 'SIGTERM')
    setTimeout(() => endGroup(child, 'SIGKILL'), killedAfterMs).unref()
  }
  signal.addEventListener('abort', end, { once: true })
  endAtExit(child)
  return new Promise<number>((resolve) => {
    child.on('error', () => resolve(exitCodes.unknownCommand))
    child.on('exit', (code) => resolve(code ?? exitCodes.terminated))
  }).finally(() => {
    signal.removeEventListener('abort', end)
    endGroup(child, 'SIGTERM')
    forgetGone()
  })
}

/** Commands whose process groups may still have members: what a command started may outlive it. */
const groups = new Set<ChildProcess>()

function endAtExit(child: ChildProcess): void {
  forgetGone()
  if (groups.size === 0) process.once('exit', endAll)
  groups.add(child)
}

function endAll(): void {
  for (const child of groups) endGroup(child, 'SIGKILL')
}

function forgetGone(): void {
  for (const child of groups) if (hasEnded(child) && !hasGroup(child)) groups.delete(child)
  if (groups.size === 0) process.removeListener('exit', endAll)
}

/** Some failures to start are events of the child, and others are thrown: a NUL in a variable, one that is too long. */
function start(commandLine: string, options: SpawnOptions): ChildProcess {
  try {
    return spawn(commandLine, options)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why =
      code === 'E2BIG'
        ? 'its variables are longer than the system allows'
        : JSON.stringify([commandLine, options.env]).includes('\\u0000')
          ? 'a NUL cannot be in a variable'
          : undefined
    if (why === undefined) throw error
    throw new UsageError(`The command cannot be started: ${why}.`, { cause: error })
  }
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Whether processes of a command that has ended are still there. */
function hasGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === 'win32') return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
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
