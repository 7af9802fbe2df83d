import { spawn } from 'node:child_process'
import type { Listener, ListenerRecord } from '../listener/index.js'
import { type ExitCode, exitCodes } from './exit-codes.js'

/** What a listener waits for before it ends by itself. */
export interface Expectation {
  see(record: ListenerRecord): void
  /** `true` when enough came, `false` when the time was over; absent where nothing is expected. */
  met: Promise<boolean> | undefined
}

/**
 * Counts events of the given types (with a star for any ending), each once. `withinMs` limits the wait, from now on; the
 * timer keeps no process alive.
 */
export function expectEvents(
  types: readonly string[] | undefined,
  count: number,
  withinMs: number | undefined,
  matches: (types: readonly string[], eventType: string | undefined) => boolean,
): Expectation {
  if (types === undefined) return { see: () => {}, met: undefined }
  let left = count
  let settle = (_met: boolean) => {}
  const met = new Promise<boolean>((resolve) => {
    settle = resolve
    if (withinMs !== undefined) setTimeout(() => resolve(false), withinMs).unref()
  })
  return {
    see(record) {
      if (record.type !== 'event' || record.duplicate || record.conflict) return
      if (matches(types, record.eventType ?? undefined) && --left <= 0) settle(true)
    },
    met,
  }
}

/**
 * Keeps listening until the signal, until what is expected came or did not, and with a command until that has ended: its
 * exit code first, then 9 where the expectation was not met. 0 where the signal ended it, which sets its own code.
 */
export async function listenUntil(
  listener: Listener,
  secret: string,
  met: Promise<boolean> | undefined,
  commandLine: string | undefined,
  signal: AbortSignal,
): Promise<ExitCode> {
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted')
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  if (commandLine !== undefined) {
    const variables = { DLV_WEBHOOK_URL: listener.url, DLV_WEBHOOK_SECRET: secret }
    const code = await runCommandLine(commandLine, variables, signal)
    if (code !== 0 || signal.aborted) return code as ExitCode
    if (met === undefined) return exitCodes.done
  }
  const outcome = await Promise.race([met ?? aborted, aborted])
  if (outcome === 'aborted') return exitCodes.done
  await listener.forwarded()
  return outcome ? exitCodes.done : exitCodes.otherOutcome
}

/** Runs a command line in the shell; its output goes to stderr, so that stdout stays ours. Resolves with its exit code. */
function runCommandLine(commandLine: string, variables: Record<string, string>, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(commandLine, {
      shell: true,
      stdio: ['ignore', process.stderr, process.stderr],
      env: { ...process.env, ...variables },
    })
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
    child.on('error', () => resolve(exitCodes.unknownCommand))
    child.on('close', (code) => resolve(code ?? exitCodes.terminated))
  })
}
