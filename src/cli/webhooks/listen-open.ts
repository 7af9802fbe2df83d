import type { Listener, ListenerOptions } from '../../listener/index.js'
import { isLoopback } from '../../shared/web-address.js'
import { parseEventTypePattern } from '../input/contract-words.js'
import { parseDurationMs } from '../input/durations.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { forwardingOf, type ListenFlags, parseRoutes, type RouteAccounts, tlsOf } from './listen-flags.js'

/** A listener's dependencies besides its flags. */
interface ListenSurroundings
  extends Pick<
    ListenerOptions,
    'secrets' | 'account' | 'otherSecrets' | 'journal' | 'env' | 'badAnswers' | 'onRecord' | 'onFailure' | 'isBehind'
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
