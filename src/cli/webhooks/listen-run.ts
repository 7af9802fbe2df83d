import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import type { ProcessContext } from '../process/context.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import { runCommandLine } from './command-line.js'
import type { Expectation } from './expect.js'

/** How long events may still come after a command has ended, where nobody said within what time. */
const graceMs = 10_000

/**
 * Keeps listening until the signal, until what is expected came or did not, and with a command until that has ended: its
 * exit code first, then 9 where the expectation was not met. 0 where the signal ended it, which sets its own code.
 *
 * @throws UsageError where the disk refused, which is what ended it.
 */
export async function listenUntil(
  context: ProcessContext,
  listener: Listener,
  secrets: readonly NamedSecret[],
  { met, hasLimit }: Expectation,
  commandLine: string | undefined,
  signal: AbortSignal,
): Promise<ExitCode> {
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted')
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const ends: Promise<boolean | 'aborted'>[] = [aborted]
  if (commandLine !== undefined) {
    const variables = { DLV_WEBHOOK_URL: listener.url, DLV_WEBHOOK_SECRET: secrets[0]?.secret ?? '' }
    const code = await runCommandLine(context, commandLine, variables, signal)
    if (code !== 0) return code as ExitCode
    if (met === undefined) return exitCodes.done
    if (!hasLimit) ends.push(sleep(graceMs, false, { ref: false }))
  }
  if (met !== undefined) ends.push(met)
  const outcome = await Promise.race(ends)
  const failure = listener.failure()
  if (failure !== undefined) throw failure
  if (outcome === 'aborted') return exitCodes.done
  await Promise.race([listener.forwarded(), aborted])
  return outcome ? exitCodes.done : exitCodes.otherOutcome
}
