import type { ChildProcess } from 'node:child_process'
import { limits as contractLimits, type DlvError, UsageError } from '../contract/index.js'
import { isPostgresAddress, shownAddress } from '../postgres/index.js'
import { sleep } from '../shared/sleep.js'
import { type Acceptance, type NamedSecret, parseSecret } from '../webhooks/index.js'
import { type AdminServer, readiness, startAdminServer } from './admin/admin-server.js'
import { listenerMetrics } from './admin/metrics.js'
import { type ForwardOptions, startForwarder } from './forward/forwarder.js'
import { checkRoutes, targetsOf } from './forward/routes.js'
import { type BadAnswers, badAnswers } from './http/bad-answers.js'
import { receiver } from './http/receiver.js'
import { type RejectionReport, rejectionReporter } from './http/rejections.js'
import { type CertificatePair, selfSignedCertificate } from './http/self-signed-certificate.js'
import { type ListenerServer, listenerServer } from './http/server.js'
import { eventIntake } from './intake.js'
import type { Appended, JournalReader } from './journal/journal.js'
import { openJournal } from './journal/open.js'
import { defaultListenerLimits, type ListenerLimits, shareOf } from './limits.js'
import { acceptedHosts, certificateHosts, reachableName } from './own-names.js'
import type { ListenerRecord } from './records.js'
import { selfCheck } from './self-check.js'

/** What a listener needs; only the secrets and the journal must be given. */
export interface ListenerOptions {
  /** 127.0.0.1 unless given. */
  host?: string
  /** 0, the default, takes any free port. */
  port?: number
  /** The one path that takes webhooks; `/` unless given. */
  path?: string
  /** At least one; each by the name that records show. */
  secrets: readonly NamedSecret[]
  /** Secrets of other profiles, to name a mix-up by; never accepted. */
  otherSecrets?: readonly NamedSecret[]
  /**
   * A file, which one listener writes, or a `postgres://` address with one or more hosts, which any number share. What
   * the address leaves out, such as the password, comes from PGPASSWORD and the other variables of PostgreSQL.
   */
  journal: string
  /** Where these variables are; the process's own unless given. */
  env?: NodeJS.ProcessEnv
  /** `false` opens no port for webhooks: it forwards what other listeners of a shared journal have taken. */
  receive?: boolean
  /** A second port with `/livez`, `/readyz` and `/metrics`, for whoever runs the listener. */
  adminPort?: number
  /** How long it still takes webhooks after `/readyz` has said that it is stopping; 0 unless given. */
  drainWaitMs?: number
  /** How far `webhook-timestamp` may be from this clock, either way; 300 unless given. */
  toleranceSeconds?: number
  /** Those left out are as in `defaultListenerLimits`. */
  limits?: Partial<ListenerLimits>
  /** A certificate and key as PEM, or `self-signed` for one made on the spot. Plain HTTP unless given. */
  tls?: CertificatePair | 'self-signed'
  /** Host names besides this machine's own that requests may be addressed to, such as a tunnel's. */
  allowedHosts?: readonly string[]
  /** Passes events on once they are kept; without it they are only kept. */
  forward?: ForwardOptions
  /** Answers a part of the webhooks badly, as a receiver that fails. Not with `workers`. */
  badAnswers?: BadAnswers | undefined
  /**
   * Lets other processes read and verify the requests, for more webhooks a second on more cores. This process still
   * writes the journal.
   */
  workers?: WorkerOptions | undefined
  /** Told of each thing that happens, from `ready` on. */
  onRecord?: (record: ListenerRecord) => void
  /** Asked for each request: whether whoever reads the records lags behind. Senders are then told to come again. */
  isBehind?: () => boolean
  /**
   * Called once when it cannot go on: the journal can no longer be written, and every webhook is answered 503 from then
   * on, or workers end again and again.
   */
  onFailure?: (failure: DlvError) => void
  /** Told what went wrong and was mended, such as a worker that was replaced. */
  onWarning?: (text: string) => void
  /** Milliseconds since the epoch; the system's clock unless given. */
  now?: () => number
}

/** The processes that read and verify requests. */
export interface WorkerOptions {
  /** How many to start. */
  count: number
  /**
   * Starts a process that calls `serveListenerWorker`, with a channel of `serialization: 'advanced'`: for example
   * `fork('worker.js', { serialization: 'advanced' })`.
   */
  launch(): ChildProcess
}

/** A listener that is running. */
export interface Listener extends Pick<JournalReader, 'has' | 'get' | 'forwardsOf' | 'cursor'> {
  /** Empty if it only forwards. */
  url: string
  /** The port that takes webhooks; 0 if it only forwards. */
  port: number
  /** Where `/livez`, `/readyz` and `/metrics` are; `undefined` unless asked for. */
  adminUrl: string | undefined
  /** The certificate to trust, if it signed itself. */
  ca: string | undefined
  /** Keeps an event that came another way; it must have been verified, or signed here. */
  ingest(arrival: {
    /** What verifying it found. */
    acceptance: Acceptance
    /** Names and values in turn. */
    rawHeaders: readonly string[]
    /** The raw bytes that were verified. */
    body: Uint8Array
  }): Promise<Appended>
  /** Sends a kept event to its targets once more; how many there are. Resolves once each has answered or failed. */
  resend(eventId: string): Promise<number>
  /** Remembers a value under a name in the journal; resolves once that is on disk. */
  setCursor(name: string, value: string): Promise<void>
  /** How many events each secret verified, so that a retired one can be let go. */
  countBySecret(): {
    /** As given with the secret. */
    name: string
    /** Since the listener started. */
    verified: number
  }[]
  /** Resolves once every event was forwarded or given up. */
  forwarded(): Promise<void>
  /** Why nothing is kept any more; `undefined` while there is hope. */
  failure(): DlvError | undefined
  /**
   * Resolves once only this process does the work of that name among all that share the journal; the signal aborts when
   * it no longer does.
   */
  lead(name: string, signal: AbortSignal): Promise<AbortSignal>
  /** Stops taking, drains, and leaves the journal whole. */
  close(): Promise<void>
}

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
  const firstSecret = checkSecrets(options.secrets)
  const routes = checkRoutes(options.forward?.routes ?? [])
  if (!path.startsWith('/')) throw new UsageError(`the path ${path} does not start with a slash`)
  const tls = options.tls === 'self-signed' ? selfSignedCertificate(certificateHosts(host)) : options.tls
  const journal = await openJournal(
    options.journal,
    {
      now,
      onCommitted: metrics.committed,
      ...(limits.journalBytes === undefined ? {} : { maxBytes: limits.journalBytes }),
      ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
    },
    env,
  )
  const forwarder = await startForwarder(options.forward ?? { routes }, {
    journal,
    secrets: options.secrets,
    toleranceSeconds,
    now,
    onRecord,
  }).catch(async (error: unknown) => {
    await journal.close()
    throw error
  })
  const intake = eventIntake({
    journal,
    secretNames: options.secrets.map(({ name }) => name),
    targetsOf: (eventType) => targetsOf(routes, eventType),
    forward: forwarder.forward,
    onRecord,
    now,
  })
  const check = selfCheck(journal.probe)
  const rejections = rejectionReporter(onRecord)
  const report = (rejection: RejectionReport, count = 1) => {
    metrics.rejected(rejection.reason, count)
    rejections.report(rejection, count)
  }
  let closing: Promise<void> | undefined
  const closed = new AbortController()

  const hosts = acceptedHosts(host, options.allowedHosts)
  const isBehind = options.isBehind ?? (() => false)
  const verifying = { limits, secrets: options.secrets, otherSecrets: options.otherSecrets ?? [], toleranceSeconds }
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

  async function serveWith(workers: WorkerOptions): Promise<ListenerServer> {
    const { workerServer } = await import('./workers/worker-server.js')
    return workerServer({
      ...address,
      ...workers,
      setup: {
        ...verifying,
        path,
        hosts: hosts === undefined ? undefined : [...hosts],
        limits: shareOf(limits, workers.count),
        tls,
        selfCheckMark: check.mark,
      },
      ingest: intake.ingest,
      probe: journal.probe,
      report,
      isBehind,
      onWarning: options.onWarning ?? (() => {}),
      onFailure(failure) {
        workersFailure = failure
        options.onFailure?.(failure)
      },
    })
  }

  let workersFailure: DlvError | undefined
  let server: ListenerServer | undefined
  let admin: AdminServer | undefined
  const shutDown = async () => {
    if (server !== undefined && admin !== undefined) await sleep(options.drainWaitMs ?? 0)
    await server?.close(limits.drainMs)
    rejections.flush()
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
        failure: () => (journal.failure()?.error ?? workersFailure)?.message,
        lastCommitMs: metrics.lastCommitMs,
        probe: journal.probe,
      }),
      metrics: () => metrics.text(journal),
    })
  const fatal = () => {
    const failure = journal.failure()
    return failure?.kind === 'fatal' ? failure.error : workersFailure
  }

  try {
    let url = ''
    if (isReceiving) {
      server = options.workers === undefined ? await serve() : await serveWith(options.workers)
      url = `${tls === undefined ? 'http' : 'https'}://${reachableName(host)}:${server.port}${path}`
      await check.run({ url, secret: firstSecret, nowMs: now() })
    } else await journal.probe()
    const ca = options.tls === 'self-signed' ? tls?.cert : undefined
    if (options.adminPort !== undefined) admin = await startAdmin(host, options.adminPort)
    const adminUrl = admin?.url
    release({
      type: 'ready',
      ...(isReceiving ? { url } : {}),
      ...(adminUrl === undefined ? {} : { adminUrl }),
      ...(options.workers === undefined ? {} : { workers: options.workers.count }),
      journal: isPostgresAddress(options.journal) ? shownAddress(options.journal, env) : options.journal,
    })
    return {
      url,
      port: server?.port ?? 0,
      adminUrl,
      ca,
      ingest: (arrival) => intake.ingest({ ...arrival, source: 'pull' }),
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
      forwarded: forwarder.idle,
      failure: fatal,
      lead: journal.lead,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first secret; all of them are tried, so that a bad one is refused before anything is opened. */
function checkSecrets(secrets: readonly NamedSecret[]): string {
  for (const { secret } of secrets) parseSecret(secret)
  const [first] = secrets
  if (first !== undefined) return first.secret
  throw new UsageError('a listener needs a secret to verify with', {
    hint: 'Give --secret-file, DLV_WEBHOOK_SECRET, or a profile that has one.',
  })
}

/** Holds records back until the listener is ready: what happens before that is told after it. */
function heldUntilReady(report: (record: ListenerRecord) => void) {
  let held: ListenerRecord[] | undefined = []
  return {
    onRecord(record: ListenerRecord) {
      if (held === undefined) report(record)
      else held.push(record)
    },
    release(ready: ListenerRecord) {
      for (const record of [ready, ...(held ?? [])]) report(record)
      held = undefined
    },
  }
}
