import { limits as contractLimits, UsageError } from '../contract/index.js'
import { isPostgresAddress, shownAddress } from '../postgres/index.js'
import { sleep } from '../shared/sleep.js'
import { type NamedSecret, parseSecret } from '../webhooks/index.js'
import { type AdminServer, readiness, startAdminServer } from './admin/admin-server.js'
import { listenerMetrics } from './admin/metrics.js'
import { startForwarder } from './forward/forwarder.js'
import { checkRoutes, targetsOf } from './forward/routes.js'
import { badAnswers } from './http/bad-answers.js'
import { receiver } from './http/receiver.js'
import { type RejectionReport, rejectionReporter } from './http/rejections.js'
import { type ListenerServer, listenerServer } from './http/server.js'
import { eventIntake } from './intake.js'
import { openJournal } from './journal/open.js'
import { type ListenerNote, listenerCursor } from './journal/sqlite/listener-record.js'
import { defaultListenerLimits } from './limits.js'
import type { ListenerOptions } from './options.js'
import { acceptedHosts, reachableName } from './own-names.js'
import { heldUntilReady } from './records.js'
import type { Listener } from './running-listener.js'
import { selfCheck } from './self-check.js'

/**
 * Starts to receive webhooks: each is verified over its raw bytes and on disk before it is acknowledged. Resolves once
 * the listener has reached itself.
 *
 * @throws UsageError if a secret, the address, the certificate or the journal cannot be used.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const limits = { ...defaultListenerLimits, ...options.limits }
  const host = options.host ?? '127.0.0.1'
  const path = options.path ?? '/'
  const now = options.now ?? Date.now
  const metrics = listenerMetrics()
  const { onRecord, release } = heldUntilReady((record) => {
    metrics.record(record)
    options.onRecord?.(record)
  })
  const env = options.env ?? process.env
  const isReceiving = options.receive !== false
  const toleranceSeconds = options.toleranceSeconds ?? contractLimits.webhookToleranceSeconds
  const given = options.secrets
  const secrets = typeof given === 'function' ? given : () => given
  const firstSecret = checkSecrets(secrets())
  const routes = checkRoutes(options.forward?.routes ?? [])
  if (!path.startsWith('/')) throw new UsageError(`the path ${path} does not start with a slash`)
  const { tls } = options
  if (!options.journal)
    throw new UsageError('a listener needs a journal', { hint: 'Name a file, or a postgres:// address.' })
  const journal = await openJournal(
    options.journal,
    {
      now,
      onCommitted: metrics.committed,
      maxBytes: limits.journalBytes,
      onFailure: options.onFailure,
    },
    env,
  )
  const forwarder = await startForwarder(options.forward ?? { routes }, {
    journal,
    secrets,
    toleranceSeconds,
    now,
    onRecord,
  }).catch(async (error: unknown) => {
    await journal.close()
    throw error
  })
  const intake = eventIntake({
    journal,
    secrets,
    targetsOf: (eventType) => targetsOf(routes, eventType),
    forward: (event, urls) => forwarder.forward(event, urls),
    onRecord,
    now,
  })
  const check = selfCheck(journal.probe)
  const rejections = rejectionReporter(onRecord)
  // What `webhooks status` reads of a journal that only this process writes; the members of a shared one are in its locks.
  const isShared = isPostgresAddress(options.journal)
  const startedAt = new Date(now()).toISOString()
  let rejected = 0
  let noted: number | undefined
  const note = async () => {
    if (isShared || noted === rejected) return
    noted = rejected
    const text: ListenerNote = { since: startedAt, url: url === '' ? null : url, rejected }
    await journal.setCursor(listenerCursor, JSON.stringify(text))
  }
  const noting = setInterval(() => void note().catch(() => {}), notedEveryMs).unref()
  const report = (rejection: RejectionReport) => {
    rejected++
    metrics.rejected(rejection.reason)
    rejections.report(rejection)
  }
  let url = ''
  let closing: Promise<void> | undefined
  const closed = new AbortController()

  const hosts = acceptedHosts(host, options.allowedHosts)
  const isBehind = options.isBehind ?? (() => false)
  const verifying = { limits, secrets, otherSecrets: options.otherSecrets ?? [], toleranceSeconds }
  const address = { host, port: options.port ?? 0 }

  function serve(): Promise<ListenerServer> {
    const handle = receiver({
      ...verifying,
      gate: { path, hosts, bodyBytes: limits.bodyBytes },
      ingest: intake.ingest,
      report,
      selfCheck: check.recognise,
      isBehind,
      closing: closed.signal,
      closesConnections: options.badAnswers?.answers.some(({ answer }) => answer === 'reset') ?? false,
      nextAnswer: options.badAnswers === undefined ? undefined : badAnswers(options.badAnswers),
      onAnswered: onRecord,
      now,
    })
    return listenerServer(address, { tls, limits, handle, report })
  }

  let server: ListenerServer | undefined
  let admin: AdminServer | undefined
  const shutDown = async () => {
    if (server !== undefined && admin !== undefined) await sleep(options.drainWaitMs ?? 0)
    await server?.close(limits.drainMs)
    rejections.flush()
    clearInterval(noting)
    if (journal.failure() === undefined) await note().catch(() => {})
    await forwarder.stop(limits.drainMs)
    await journal.close()
    await admin?.close()
  }
  const close = () => {
    closed.abort()
    closing ??= shutDown()
    return closing
  }

  const startAdmin = (adminHost: string, port: number) =>
    startAdminServer({
      host: adminHost,
      port,
      deadBecause: () => fatal()?.message,
      notReadyBecause: readiness({
        isClosing: () => closing !== undefined,
        failure: () => journal.failure()?.error.message,
        lastCommitMs: metrics.lastCommitMs,
        probe: journal.probe,
      }),
      metrics: () => metrics.text(journal),
    })
  const fatal = () => {
    const failure = journal.failure()
    return failure?.kind === 'fatal' ? failure.error : undefined
  }

  try {
    if (isReceiving) {
      server = await serve()
      url = `${tls === undefined ? 'http' : 'https'}://${reachableName(host)}:${server.port}${path}`
      await check.run({ url, secret: firstSecret, nowMs: now() })
    } else await journal.probe()
    if (options.adminPort !== undefined) admin = await startAdmin(options.adminHost ?? '127.0.0.1', options.adminPort)
    const adminUrl = admin?.url
    await note()
    release({
      type: 'ready',
      ...(isReceiving ? { url } : {}),
      ...(adminUrl === undefined ? {} : { adminUrl }),
      journal: isShared ? shownAddress(options.journal, env) : options.journal,
    })
    return {
      url,
      port: server?.port ?? 0,
      adminUrl,
      ingest: (arrival) => intake.ingest({ ...arrival, secrets: secrets(), source: 'pull' }),
      has: journal.has,
      get: journal.get,
      forwardsOf: journal.forwardsOf,
      async resend(eventId) {
        const event = await journal.get(eventId)
        const urls = event === undefined ? [] : targetsOf(routes, event.eventType)
        if (event !== undefined) await forwarder.resend(event, urls)
        return urls.length
      },
      cursor: journal.cursor,
      setCursor: journal.setCursor,
      countBySecret: intake.countBySecret,
      backlog: journal.backlog,
      forwarded: () => forwarder.settled(),
      failure: fatal,
      lead: journal.lead,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Interval at which the number of rejected requests is recorded. */
const notedEveryMs = 2_000

/** The first secret; all of them are tried, so that a bad one is refused before anything is opened. */
function checkSecrets(secrets: readonly NamedSecret[] = []): string {
  for (const { secret } of secrets) parseSecret(secret)
  const [first] = secrets
  if (first !== undefined) return first.secret
  throw new UsageError('a listener needs a secret to verify with', {
    hint: 'Give --secret-file, DLV_WEBHOOK_SECRET, or a profile that has one.',
  })
}
