import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenError } from '../../shared/node-errors.js'
import { sleep } from '../../shared/sleep.js'
import { addressOf, isForeign } from '../http/request-limits.js'
import { fatalFailure, type Journal } from '../journal/journal.js'
import { acceptedHosts, reachableName } from '../self-check.js'
import type { Metrics } from './metrics.js'

/** A port for operators of the listener, separate from the one that receives webhooks. */
export interface AdminServer {
  url: string
  close(): Promise<void>
}

interface AdminOptions {
  host: string
  port: number
  journal: Pick<Journal, 'backlog' | 'failure' | 'failovers' | 'ownedShards' | 'probe'>
  metrics: Metrics
  isClosing(): boolean
}

/** An orchestrator that gets no answer in time takes the process for dead. */
const answeredWithinMs = 2_500

/** @throws UsageError if the port is not available */
export async function startAdminServer(options: AdminOptions): Promise<AdminServer> {
  const { host, port, journal, metrics } = options
  const notReadyBecause = readiness(options)
  const names = acceptedHosts(host)
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
    }
    const { host: name, path: target } = addressOf(request)
    // HAProxy's check is `OPTIONS / HTTP/1.0` unless it is told another.
    const path = request.method === 'OPTIONS' ? '/readyz' : target.split('?')[0]
    // A web page that reaches the loopback by a name of its own reads nothing here.
    if (isForeign(name, names)) return answer(403, 'not the name of this machine\n')
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '')) return answer(405, 'GET only\n')
    const health = (problem: string | undefined) => answer(problem === undefined ? 200 : 503, `${problem ?? 'ok'}\n`)
    if (path === '/livez') return health(fatalFailure(journal)?.message)
    if (path === '/readyz' || path === '/healthz') {
      const late = sleep(answeredWithinMs).then(() => 'the journal has not answered yet')
      return health(await Promise.race([notReadyBecause(), late]))
    }
    if (path === '/metrics') return answer(200, await metrics.text(journal), 'text/plain; version=0.0.4; charset=utf-8')
    answer(404, 'Only /livez, /readyz, /healthz and /metrics are here.\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(host, port, error, 'adminPort')))
    server.listen(port, host, resolve)
  })
  return {
    url: `http://${reachableName(host)}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** How long a commit proves that the journal takes events, and how long one look at it is believed. */
const committedWithinMs = 5_000
const believedMs = 500

/** Finds out whether events can be taken, by a write if none was committed just now. */
function readiness({ journal, metrics, isClosing }: AdminOptions): () => Promise<string | undefined> {
  let looked: { atMs: number; problem: Promise<string | undefined> } | undefined
  const probed = () =>
    journal.probe().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  return async () => {
    if (isClosing()) return 'it is stopping'
    const failure = journal.failure()
    if (failure !== undefined) return failure.error.message
    if (performance.now() - metrics.lastCommitMs() < committedWithinMs) return undefined
    if (looked === undefined || performance.now() - looked.atMs > believedMs)
      looked = { atMs: performance.now(), problem: probed() }
    return looked.problem
  }
}
