import { limits as contractLimits, UsageError } from '../contract/index.js'
import { isPostgresAddress, shownAddress } from '../postgres/index.js'
import { sleep } from '../shared/sleep.js'
import { boundHost } from '../shared/web-address.js'
import { assertKnownOptions } from '../shared/word-match.js'
import { parseSecret } from '../webhooks/index.js'
import { namedKey } from '../webhooks/internal.js'
import { type AdminServer, startAdminServer } from './admin/admin-server.js'
import { listenerMetrics, type Metrics } from './admin/metrics.js'
import { forwardOptionNames } from './forward/forwarder.js'
import { checkRoutes, targetsOf } from './forward/routes.js'
import { receiver } from './http/receiver.js'
import { type RejectionReport, rejectionReporter } from './http/response.js'
import { type ListenerServer, listenerServer } from './http/server.js'
import { eventIntake } from './intake.js'
import { accountsServed, type ListenerSecret } from './journal/event.js'
import { fatalFailure } from './journal/journal.js'
import { defaultListenerLimits } from './limits.js'
import { type Listener, type ListenerOptions, listenerOptionNames } from './options.js'
import { Parts } from './parts.js'
import { heldUntilReady } from './records.js'
import { acceptedHosts, reachableName, selfCheck } from './self-check.js'

/**
 * Starts to receive webhooks: each is verified over its raw bytes and on disk before it is acknowledged. Resolves once
 * the listener has reached itself.
 *
 * @throws UsageError for an option that does not exist, or if a secret, the address, the certificate or the journal cannot be used.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const settings = settingsOf(options)
  const { now, env, limits, onFailure, onOutage } = settings
  const metrics = listenerMetrics()
  const records = heldUntilReady((record) => {
    metrics.record(record)
    options.onRecord?.(record)
  })
  const { accounts, forward } = settings
  const parts = await Parts.open({
    journal: settings.journal,
    accounts,
    journalOptions: { now, onCommitted: metrics.committed, maxBytes: limits.journalBytes, onFailure, onOutage },
    forward,
    around: { ...settings, onRecord: records.onRecord },
    env,
  })
  const running = new RunningListener(settings, parts, records, metrics)
  try {
    await running.start()
    return running.listener()
  } catch (error) {
    await running.close()
    throw error
  }
}

/** The options and their defaults; what cannot be used is refused before anything is opened. */
function settingsOf(options: ListenerOptions) {
  assertKnownOptions('startListener', options, listenerOptionNames)
  assertKnownOptions('limits', options.limits, defaultListenerLimits)
  assertKnownOptions('forward', options.forward, forwardOptionNames)
  const { secrets: given, forward = { routes: [] }, path = '/' } = options
  const secrets = typeof given === 'function' ? given : () => given
  const firstSecret = checkSecrets(secrets())
  const accounts = accountsServed(secrets(), options.account)
  checkRoutes(forward.routes)
  if (!path.startsWith('/')) throw new UsageError(`the path ${path} does not start with a slash`)
  checkJournals(options.journal, accounts)
  return {
    ...options,
    secrets,
    firstSecret,
    /** What is kept of others is left alone; a listener that names none shows and forwards all. */
    accounts: accounts.some((one) => one !== '') ? accounts : undefined,
    forward,
    path,
    host: boundHost(options.host ?? '127.0.0.1'),
    limits: { ...defaultListenerLimits, ...options.limits },
    toleranceSeconds: options.toleranceSeconds ?? contractLimits.webhookToleranceSeconds,
    env: options.env ?? process.env,
    now: options.now ?? Date.now,
  }
}

class RunningListener {
  readonly #check: ReturnType<typeof selfCheck>
  readonly #intake: ReturnType<typeof eventIntake>
  readonly #rejections: ReturnType<typeof rejectionReporter>
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined
  #server: ListenerServer | undefined
  #admin: AdminServer | undefined
  #url = ''

  constructor(
    readonly settings: ReturnType<typeof settingsOf>,
    readonly parts: Parts,
    readonly records: ReturnType<typeof heldUntilReady>,
    readonly metrics: Metrics,
  ) {
    this.#check = selfCheck(parts.probe)
    this.#rejections = rejectionReporter(records.onRecord)
    const { routes } = settings.forward
    this.#intake = eventIntake({
      ...settings,
      partOf: (account) => parts.of(account),
      routes,
      onRecord: records.onRecord,
    })
  }

  async start(): Promise<void> {
    const { receive, adminHost, adminPort: port, journal, env } = this.settings
    const isReceiving = receive !== false
    await (isReceiving ? this.#receive() : this.parts.probe())
    const around = { journal: this.parts, metrics: this.metrics, isClosing: () => this.#closing.signal.aborted }
    if (port !== undefined)
      this.#admin = await startAdminServer({ host: boundHost(adminHost ?? '127.0.0.1'), port, ...around })
    await this.parts.note({ url: this.#url })
    this.records.release({
      type: 'ready',
      ...(isReceiving ? { url: this.#url } : {}),
      ...(this.#admin === undefined ? {} : { adminUrl: this.#admin.url }),
      journal: shownJournal(journal, env),
    })
  }

  /** What users get. */
  listener(): Listener {
    const { parts } = this
    return {
      url: this.#url,
      port: this.#server?.port ?? 0,
      adminUrl: this.#admin?.url,
      ingest: ({ secret, ...arrival }) => {
        const secrets = secret === undefined ? this.settings.secrets() : [secret]
        return this.#intake.ingest({ ...arrival, secrets, source: 'pull' })
      },
      has: parts.has,
      get: parts.get,
      forwardsOf: parts.forwardsOf,
      resend: (eventId, account) => this.#resend(eventId, account),
      cursor: parts.cursor,
      others: parts.others,
      setCursor: parts.setCursor,
      countBySecret: this.#intake.countBySecret,
      backlog: parts.backlog,
      forwarded: () => parts.settled(),
      failure: () => fatalFailure(parts),
      lead: parts.lead,
      close: () => this.close(),
    }
  }

  close(): Promise<void> {
    this.#closing.abort()
    this.#closed ??= this.#shutDown()
    return this.#closed
  }

  /** Opens the port, and goes the whole way of a webhook. */
  async #receive() {
    const { host, port = 0, path, allowedHosts, tls, limits, firstSecret, now } = this.settings
    const report = (rejection: RejectionReport) => {
      void this.parts.note({ rejected: 1 })
      this.metrics.rejected(rejection.reason)
      this.#rejections.report(rejection)
    }
    const handle = receiver({
      ...this.settings,
      gate: { path, hosts: acceptedHosts(host, allowedHosts), bodyBytes: limits.bodyBytes },
      ingest: this.#intake.ingest,
      report,
      selfCheck: this.#check.recognise,
      closing: this.#closing.signal,
      onAnswered: this.records.onRecord,
    })
    this.#server = await listenerServer({ host, port }, { tls, limits, handle, report })
    this.#url = `${tls === undefined ? 'http' : 'https'}://${reachableName(host)}:${this.#server.port}${path}`
    await this.#check.run({ url: this.#url, secret: namedKey(firstSecret), nowMs: now() })
  }

  async #resend(eventId: string, account: string | undefined): Promise<number> {
    const event = await this.parts.get(eventId, account)
    if (event === undefined) return 0
    const urls = targetsOf(this.settings.forward.routes, event.eventType, event.account)
    await this.parts.of(event.account).forwarder.resend(event, urls)
    return urls.length
  }

  async #shutDown() {
    const { limits, drainWaitMs = 0 } = this.settings
    if (this.#server !== undefined && this.#admin !== undefined) await sleep(drainWaitMs)
    await this.#server?.close(limits.drainMs)
    this.#rejections.flush()
    await this.parts.close(limits.drainMs)
    await this.#admin?.close()
  }
}

/** @throws UsageError if an account that is served has no journal */
function checkJournals(journal: ListenerOptions['journal'], accounts: readonly string[]): void {
  if (!journal || (typeof journal === 'object' && Object.keys(journal).length === 0))
    throw new UsageError('a listener needs a journal', { hint: 'Name a file, or a postgres:// address.' })
  if (typeof journal === 'string') return
  const shared = Object.values(journal).find((place, at, all) => isPostgresAddress(place) || all.indexOf(place) !== at)
  if (shared !== undefined)
    throw new UsageError('each account needs a file of its own, or all of them one journal', {
      hint: 'Give the journal as one file or postgres:// address for all.',
    })
  const missing = accounts.find((account) => !Object.hasOwn(journal, account))
  if (missing !== undefined)
    throw new UsageError(`the account "${missing}" has no journal`, { hint: 'Name a file for it.' })
}

function shownJournal(journal: ListenerOptions['journal'], env: NodeJS.ProcessEnv): string {
  if (typeof journal !== 'string') return Object.values(journal).join(', ')
  return isPostgresAddress(journal) ? shownAddress(journal, env) : journal
}

/** The first secret; all of them are tried, so that a bad one is refused before anything is opened. */
function checkSecrets(secrets: readonly ListenerSecret[] = []): ListenerSecret {
  for (const named of secrets) parseSecret(named.secret, named)
  const [first] = secrets
  if (first !== undefined) return first
  throw new UsageError('a listener needs a secret to verify with', {
    hint: 'Give the signing secret of the endpoint in { secrets }.',
  })
}
