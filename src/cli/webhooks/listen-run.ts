import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../../listener/index.js'
import { isPostgresAddress } from '../../postgres/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { shellWord } from '../../shared/shell-word.js'
import { runCommandLine } from '../process/command-line.js'
import type { ProcessContext } from '../process/context.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import type { Expectation } from './expect.js'

/** How long to wait for events after a command has ended, if no limit was given. */
const graceMs = 10_000

/**
 * Listens until the signal, until the expectation is met or has timed out, and with a command until that has ended:
 * returns its exit code if it failed, then 9 if the expectation was not met. Returns 0 if a signal ended it, which sets
 * its own exit code.
 *
 * @throws UsageError if the journal can no longer be written
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

/**
 * Notices about events in a listener's own journal that wait for targets other than these, one sentence per target,
 * with the command that sends them. In a shared journal every forwarder sends them, so there are none.
 */
export async function waitingNotices(
  listener: Listener,
  journal: string,
  targets: readonly string[] = [],
): Promise<string[]> {
  if (isPostgresAddress(journal) || listener.failure() !== undefined) return []
  const others = (await listener.backlog()).filter(({ url }) => !targets.includes(url))
  return others.map(({ url, count }) => {
    const wait = count === 1 ? '1 event waits' : `${count.toLocaleString('en-US')} events wait`
    return `${wait} for ${url}; dlv webhooks listen --forward-to ${shellWord(url)} sends what waits.`
  })
}
