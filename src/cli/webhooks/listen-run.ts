import { setTimeout as sleep } from 'node:timers/promises'
import { type Listener, type ListenerOptions, type ListenerRecord, matchesType } from '../../listener/index.js'
import { isPostgresAddress } from '../../postgres/index.js'
import { shellWord } from '../../shared/command-words.js'
import { longestDelayMs } from '../../shared/durations.js'
import { isLoopback } from '../../shared/web-address.js'
import { parseEventTypePattern } from '../input/contract-words.js'
import { parseDurationMs } from '../input/times.js'
import type { Notices } from '../output/notices.js'
import { runCommandLine } from '../process/command-line.js'
import type { ProcessContext } from '../process/context.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import { forwardingOf, type ListenFlags, parseRoutes, type RouteAccounts, tlsOf } from './listen-flags.js'

/** How long to wait for events after a command has ended, if no limit was given. */
const graceMs = 10_000

/**
 * Listens until the signal, until the expectation is met or has timed out, and with a command until that has ended:
 * returns its exit code if it failed, then 9 if the expectation was not met. Returns 0 if a signal ended it, which sets
 * its own exit code.
 *
 * @param secret what the command gets as DLV_WEBHOOK_SECRET
 * @throws UsageError if the journal can no longer be written
 */
export async function listenUntil(
  context: ProcessContext,
  listener: Listener,
  secret: string,
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
    const variables = { DLV_WEBHOOK_URL: listener.url, DLV_WEBHOOK_SECRET: secret }
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
  journal: string | object,
  targets: readonly string[] = [],
): Promise<string[]> {
  if ((typeof journal === 'string' && isPostgresAddress(journal)) || listener.failure() !== undefined) return []
  const others = (await listener.backlog()).filter(({ url }) => !targets.includes(url))
  return others.map(({ url, count }) => {
    const wait = count === 1 ? '1 event waits' : `${count.toLocaleString('en-US')} events wait`
    // The name of a target that has a query is no address.
    const again = url.includes('#')
      ? 'dlv webhooks listen --forward-to with its whole address'
      : `dlv webhooks listen --forward-to ${shellWord(url)}`
    return `${wait} for ${url}; ${again} sends what waits.`
  })
}

/** The events that a listener waits for before it ends. */
interface Expectation {
  see(record: ListenerRecord): void
  /** `true` once all have arrived, `false` on a timeout; absent if nothing is expected. */
  met: Promise<boolean> | undefined
  /** Whether the wait has a limit. */
  hasLimit: boolean
  /** The events that are still missing: `expected 2 delivery.failed, got 1`. */
  missing(): string
}

/** The expectation of `--expect`, `--count` and `--within`. */
export function expectationOf(
  flags: {
    expect?: string[] | undefined
    count?: number | undefined
    within?: string | undefined
  },
  notices: Pick<Notices, 'notice'>,
): Expectation {
  const withinMs = flags.within === undefined ? undefined : parseDurationMs(flags.within, '--within')
  const types = flags.expect?.map((type) => parseEventTypePattern(type, '--expect', notices))
  return expectEvents(types, flags.count ?? 1, withinMs)
}

/**
 * Waits for `count` events of each type, which can end with a star; a repeated event is counted once. `withinMs` limits the
 * wait from the ready line on. The timer does not keep the process alive.
 */
function expectEvents(types: readonly string[] | undefined, count: number, withinMs: number | undefined): Expectation {
  if (types === undefined) return { see: () => {}, met: undefined, hasLimit: false, missing: () => '' }
  const left = new Map(types.map((type) => [type, count]))
  let settle = (_met: boolean) => {}
  const met = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  return {
    see(record) {
      if (record.type === 'ready' && withinMs !== undefined)
        setTimeout(settle, Math.min(withinMs, longestDelayMs), false).unref()
      if (record.type !== 'event' || record.duplicate) return
      for (const [type, missing] of left) {
        if (!matchesType([type], record.eventType ?? undefined)) continue
        if (missing > 1) left.set(type, missing - 1)
        else left.delete(type)
      }
      if (left.size === 0) settle(true)
    },
    met,
    hasLimit: withinMs !== undefined,
    missing: () =>
      [...left].map(([type, missing]) => `expected ${count} ${type}, got ${count - missing || 'none'}`).join('; '),
  }
}

/** A listener's dependencies besides its flags. */
interface ListenSurroundings
  extends Pick<
    ListenerOptions,
    | 'secrets'
    | 'account'
    | 'otherSecrets'
    | 'journal'
    | 'env'
    | 'badAnswers'
    | 'onRecord'
    | 'onFailure'
    | 'onOutage'
    | 'isBehind'
  > {
  /** The accounts that a target may name. */
  routeAccounts: RouteAccounts
  /** Routes of the project file: targets by event type, or `*`. */
  projectRoutes: Readonly<Record<string, string>>
}

/** Starts the listener. Its code is loaded only here. */
export async function openListener(
  context: ProcessContext,
  flags: Partial<ListenFlags>,
  around: ListenSurroundings,
): Promise<Listener> {
  const { startListener } = await import('../../listener/index.js')
  const { projectRoutes, routeAccounts, ...options } = around
  return startListener({
    ...options,
    host: flags.host,
    port: flags.port,
    path: flags.path,
    allowedHosts: flags['allow-host'],
    receive: !flags['no-receive'],
    adminPort: flags['admin-port'],
    adminHost: flags['admin-host'],
    drainWaitMs: flags['drain-wait'] === undefined ? undefined : parseDurationMs(flags['drain-wait'], '--drain-wait'),
    ...(await tlsOf(context, flags)),
    forward: {
      routes: parseRoutes(
        flags['forward-to'] ?? [],
        projectRoutes,
        typesOf(flags.events, { notice() {} }),
        routeAccounts,
      ),
      ...forwardingOf(flags),
    },
  })
}

/** The types of `--events a,b`. */
export function typesOf(events: string | undefined, notices: Pick<Notices, 'notice'>): string[] | undefined {
  return events?.split(',').map((type) => parseEventTypePattern(type.trim(), '--events', notices))
}

/** How the service can reach a listener, which may be one that only this machine can reach. */
export function reachAdvice(url: string, isOwnSandbox: boolean): string {
  const { origin, hostname, port } = new URL(url)
  if (isOwnSandbox) return `If it is not registered yet: dlv sandbox endpoints add ${url}`
  if (!isLoopback(hostname)) return `Register ${origin} where the service can reach it.`
  return [
    'Only this machine can post there. Let --pull fetch events, or put a tunnel:',
    `  cloudflared tunnel --url ${origin} --http-host-header localhost`,
    `  ngrok http ${port} --host-header=localhost`,
  ].join('\n')
}

/**
 * Holds the records of a listener until what shows them is there: a page, or the ready line, behind which a reader can
 * miss no event.
 */
export function heldRecords<Held>() {
  const early: Held[] = []
  let show = (record: Held): void => void early.push(record)
  return {
    see: (record: Held): void => show(record),
    release(shown: (record: Held) => void): void {
      show = shown
      for (const record of early) shown(record)
    },
  }
}
