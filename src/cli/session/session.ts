import { existsSync } from 'node:fs'
import type { CallOptions, Client, ClientOptions, HttpTrace } from '../../client/index.js'
import { DlvError, type InputOf, type OperationName, withHint } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import type { View } from '../../render/view.js'
import { deliveryWord } from '../../shared/command-words.js'
import { longestDelayMs } from '../../shared/durations.js'
import { isRecord } from '../../shared/json.js'
import { confirm } from '../input/prompt.js'
import { isRelativeTime } from '../input/times.js'
import type { NamedDelivery, Naming } from '../lookup/find-delivery.js'
import { type Notices, progressLine, traceLines } from '../output/notices.js'
import type { Output } from '../output/output.js'
import { WaitingLine, type WaitingPlace } from '../output/waiting-line.js'
import type { ProcessContext } from '../process/context.js'
import { type ExitCode, exitCodeOf, exitCodes } from '../process/exit-codes.js'
import { endWithNpx, takeSignals } from '../process/signals.js'
import { Account } from './account.js'
import type { RequestEffect } from './dry-run.js'
import { embeddedBaseUrl, embeddedFile, inProcess } from './embedded-sandbox.js'
import { commandTimedOut, type GlobalFlags, startTimeLimit, type TimeLimits, timeLimitsOf } from './global-flags.js'
import type { CommandConfig, SessionTools } from './tools.js'
import { notingWrites, toNetwork } from './transports.js'

export type { CommandConfig } from './tools.js'

/**
 * What `--timeout` limits: all calls of the command together; those of a command that reads as much as there is, with the
 * one under way; or each call. A command that watches waits for something to happen, and each of its requests is limited.
 */
type TimeLimit = 'command' | 'listing' | 'each' | 'watching'

interface ApiOptions extends Partial<ClientOptions> {
  needsKey?: boolean
  /** For many requests at once: the maximum number of connections. */
  connections?: number
  /** Default `command`. */
  limit?: TimeLimit
  /** Shows what takes longer than two seconds, on a terminal or in a place of one's own. Default: unless each call is limited. */
  saysWaiting?: boolean | WaitingPlace
}

/** What a session is made of. */
type SessionParts = Pick<Session, 'context' | 'config' | 'flags' | 'command' | 'words' | 'output' | 'notices'>

/** Sets the subject of a run, by the names of placeholders in explanations; values that are not text are ignored. */
export function setSubject(context: ProcessContext, subject: Readonly<Record<string, unknown>>): void {
  const known = Object.entries(subject).flatMap(([name, given]) => {
    const value = Array.isArray(given) && given.length === 1 ? given[0] : given
    return typeof value === 'string' && value !== '-' ? [[name, value] as const] : []
  })
  context.subject = { ...context.subject, ...Object.fromEntries(known) }
}

/**
 * The tools of one run of a command: its streams and flags, its output, the account it works on, the client of the
 * account's service. Made once the flags are read; what costs time or a file is opened when it is first asked for.
 */
export class Session implements SessionTools {
  /** The streams, variables, clock and signals of this run. */
  readonly context: ProcessContext
  readonly config: CommandConfig
  flags: GlobalFlags
  /** The command as it is typed, such as `webhooks log`. */
  readonly command: string
  /** The words of this command line, without the program's name. */
  readonly words: readonly string[]
  readonly output: Output
  readonly notices: Notices
  readonly account: Account
  private readonly closers: ((error?: Error) => Promise<void> | void)[] = []
  /** Deliveries that a lookup has shown. */
  private readonly seen = new Set<string>()
  /** The time that `--timeout` leaves for the next call of the command. */
  private remainingMs: (() => number) | undefined

  constructor({ context, config, flags, command, words, output, notices }: SessionParts) {
    this.context = context
    this.config = config
    this.flags = flags
    this.command = command
    this.words = words
    this.output = output
    this.notices = notices
    this.account = new Account(this)
  }

  nowMs(): number {
    return this.context.nowMs()
  }

  /** Takes over SIGINT, SIGTERM and SIGHUP: the first one aborts the returned signal, the second ends the program. */
  takeSignals(): AbortSignal {
    endWithNpx(this.context)
    return takeSignals(this.context)
  }

  /**
   * Sets the subject of the command, by the names of placeholders in explanations; values that are not text are
   * ignored.
   */
  isAbout(subject: Readonly<Record<string, unknown>>): void {
    setSubject(this.context, subject)
  }

  /** The time limits of the command and of one request, from the flags or `DLV_TIMEOUT`. */
  timeLimits(): TimeLimits {
    return timeLimitsOf(this.flags, this.context.env)
  }

  /** Prints a result by its view. */
  show<Shown>(view: View<Shown>, shown: Shown): Promise<void> {
    return this.output.show(view, shown)
  }

  /** Sets an exit code other than 0 without an error: the outcome is not the one asked for. */
  endWith(code: ExitCode): void {
    if (code !== 0) this.context.exitCode ??= code
  }

  /**
   * Asks, unless the flag has confirmed it. After a no nothing is done, which is said, and the exit code is 9: what
   * follows in a script must not take it for done.
   *
   * @param undone what a no leaves undone, such as `Nothing was sent.`
   * @throws UsageError that names the flag if it cannot prompt
   */
  async confirmed(text: string, { flag = '--yes', undone }: { flag?: string; undone: string }): Promise<boolean> {
    const isConfirmed = await confirm(this.context, { text, flag, noInput: this.flags['no-input'] })
    if (isConfirmed) return true
    this.notices.notice(undone)
    this.endWith(exitCodes.otherOutcome)
    return false
  }

  /** Runs when the command ends, successfully or not; the last one first. */
  onClose(close: (error?: Error) => Promise<void> | void): void {
    this.closers.push(close)
  }

  /** Runs what `onClose` was given, the last first. */
  async close(error?: Error): Promise<void> {
    for (const close of this.closers.reverse()) await close(error)
    if (error === undefined) this.notices.release()
  }

  /** A client for the account's service: over the network, or the sandbox in this process. */
  async client(options: ApiOptions = {}): Promise<Client> {
    const { needsKey, connections, limit = 'command', ...rest } = options
    const { saysWaiting = limit !== 'each' && connections === undefined, ...clientOptions } = rest
    const settings = await this.account.settings({ needsKey })
    const { createClient, systemClock } = await import('../../client/index.js')
    const isEmbedded = settings.baseUrl === undefined && clientOptions.transport === undefined
    const sandbox = isEmbedded ? await this.account.sandbox() : undefined
    // What is due in the `local` profile happens in this process.
    if (limit === 'watching') sandbox?.startOutbox()
    const service =
      sandbox === undefined ? await toNetwork(settings, this, this.seen, connections) : await inProcess(sandbox)
    const transport = notingWrites(service, () => {
      // Read by the error for results that cannot be written.
      this.context.hasWritten = true
    })
    const clock = { ...systemClock, nowMs: this.context.nowMs }
    const place = typeof saysWaiting === 'object' ? saysWaiting : saysWaiting ? this.waitingPlace() : undefined
    const waiting = place === undefined ? undefined : new WaitingLine(place, clock)
    const client = createClient({
      baseUrl: settings.baseUrl ?? embeddedBaseUrl,
      apiKey: settings.apiKey ?? sandbox?.apiKey,
      userAgent: this.config.userAgent,
      environment: this.context.env,
      numbers: 'as-written',
      clock: waiting?.waits ?? clock,
      transport: waiting?.transport(transport) ?? transport,
      // A rehearsal is for the sandbox in this process only: what is behind a socket could execute it.
      headers: isEmbedded ? this.context.sandboxHeaders : undefined,
      onTrace: this.flags.verbose ? (trace) => this.printTrace(trace) : undefined,
      ...clientOptions,
      ...(limit === 'command' ? this.callLimits() : this.timeLimits()),
      signal: limit === 'listing' ? this.untilTimeout(clientOptions.signal) : clientOptions.signal,
    })
    this.onClose(() => client.close())
    this.output.followClock(() => this.displayNowMs(client))
    // Nothing is sent for a result that cannot be shown.
    await this.output.choices.jq?.compiled
    return client
  }

  private printTrace(trace: HttpTrace): void {
    for (const line of traceLines(trace, this.output.style)) this.notices.print(line)
  }

  /** A line of the terminal, which is gone afterwards. */
  waitingPlace(): WaitingPlace {
    const line = progressLine(this.context)
    return { show: (text) => line.show(`${text} Ctrl-C stops.`), clear: () => line.clear() }
  }

  /** The limits of the next call: what is left of `--timeout`. */
  callLimits(): Pick<ClientOptions, 'timeoutMs' | 'attemptTimeoutMs'> {
    const { timeoutMs, ...limits } = this.timeLimits()
    if (!timeoutMs) return this.timeLimits()
    this.remainingMs ??= startTimeLimit(timeoutMs, this.context)
    return { ...limits, timeoutMs: this.remainingMs }
  }

  /** A signal that aborts with the given one, and when `--timeout` is over. */
  private untilTimeout(signal: AbortSignal | undefined): AbortSignal | undefined {
    const { timeoutMs } = this.timeLimits()
    if (!timeoutMs) return signal
    const over = new AbortController()
    const end = () => over.abort(commandTimedOut(timeoutMs))
    const timer = setTimeout(end, Math.min(timeoutMs, longestDelayMs)).unref()
    this.onClose(() => clearTimeout(timer))
    return signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  }

  /**
   * The delivery that a user named by its id, which takes no request, or by the order's reference, which is looked up.
   *
   * @throws DeliveryReferenceError if the reference leads to no single delivery
   */
  async named(
    name: string,
    client?: Client,
    { forWrite = false, isSaid = false }: { forWrite?: boolean; isSaid?: boolean } = {},
  ): Promise<NamedDelivery> {
    const { namedDelivery } = await import('../lookup/find-delivery.js')
    const named = await namedDelivery(async () => client ?? this.client(), name, this.naming(forWrite))
    const { deliveryId, found } = named
    if (isSaid && found !== undefined) this.notices.notice(`${name} is the reference of ${deliveryId}.`)
    this.isAbout({ id: deliveryWord(deliveryId), clientOrderReference: found?.clientOrderReference })
    return named
  }

  /** How this command interprets the names of deliveries. */
  naming(forWrite: boolean): Naming {
    return {
      forWrite,
      seen: this.seen,
      sentAs: async (reference) => (await this.account.ledgerIfAny())?.deliveryOf(reference),
    }
  }

  /**
   * The account of a command that stays and writes, asked once whether its key is a live one, whatever the profile says.
   * An account that cannot be asked is what its profile says.
   */
  async provenSettings(): Promise<Settings> {
    const settings = await this.account.settings()
    const { environment, apiKey } = settings
    if (environment === 'production' || apiKey === undefined || (await this.account.isOwnSandbox(settings)))
      return settings
    const { accountKind } = await import('./account-kind.js')
    const { kind } = await accountKind(await this.client({ limit: 'each' })).catch((error: unknown) => {
      if (error instanceof DlvError) return { kind: 'unknown' }
      throw error
    })
    if (kind !== 'live') return settings
    // The key is recorded as a production key now.
    this.account.choice.recheck()
    return { ...(await this.account.settings()), environment: 'production' }
  }

  /**
   * The time that the given texts are relative to, in milliseconds since the epoch: the service's time if one of them
   * is relative, which takes a request.
   */
  async nowMsFor(client: Client, ...times: readonly (string | undefined)[]): Promise<number> {
    const needsClock = times.some((time) => time !== undefined && isRelativeTime(time))
    return needsClock ? this.displayNowMs(client) : this.nowMs()
  }

  /** Like `nowMsFor`, without a client of one's own; a dry run does without the service if it is unavailable. */
  async nowMsForOrder(times: readonly string[], isDryRun: boolean): Promise<number> {
    if (!times.some(isRelativeTime)) return this.nowMs()
    const client = await this.client()
    return isDryRun ? this.displayNowMs(client) : this.clocks(client).serviceNowMs()
  }

  /**
   * The time that a rehearsal compares the windows of an order with: the service's, as what is sent; this machine's if it is
   * unavailable. `undefined` for an order without windows, which takes no request.
   */
  async windowsNowMs(order: unknown): Promise<number | undefined> {
    const windows = isRecord(order) ? order.timeWindows : undefined
    if (!isRecord(windows) || !(isRecord(windows.pickup) || isRecord(windows.dropoff))) return undefined
    const { baseUrl } = await this.account.settings({ needsKey: false })
    // A sandbox that is not there yet would begin with this machine's time.
    if (baseUrl === undefined && !existsSync(embeddedFile(this.config.dataDir))) return this.nowMs()
    try {
      return await this.displayNowMs(await this.client())
    } catch (error) {
      if (error instanceof DlvError) return this.nowMs()
      throw error
    }
  }

  /** The clocks of this machine and of a client's service, which is asked once, and for 3 s, unless `asking` says otherwise. */
  clocks(client: Client, asking: CallOptions = {}) {
    return {
      localNowMs: () => this.nowMs(),
      serviceNowMs: async (options: CallOptions = {}) => {
        const { baseUrl } = await this.account.settings({ needsKey: false })
        const { serviceNowMs } = await import('../../client/internal.js')
        return serviceNowMs(client, () => this.nowMs(), { ...asking, ...options, baseUrl })
      },
    }
  }

  /** Where the account's archive is, and what brings it up to date. */
  async archiveParts(client: Client) {
    const { context, notices } = this
    const account = await this.account.dataName()
    return { client, clocks: this.clocks(client), dataDir: this.config.dataDir, account, context, notices }
  }

  /** The service's time for relative times; if it is unavailable, no result is lost. */
  private async displayNowMs(client: Client): Promise<number> {
    try {
      return await this.clocks(client).serviceNowMs()
    } catch (error) {
      // A DOMException is a time limit that ends while a line is drawn.
      if (error instanceof DlvError || error instanceof DOMException) return this.nowMs()
      throw error
    }
  }

  /** Why what is new could not be fetched, for a command that answered from the archive alone. */
  stale: unknown
  readonly onStale = (error: unknown): void => {
    this.stale = error
  }

  /**
   * Ends a command that answered from the archive alone, if a flag is only worth something with what is new. An outcome that
   * is known all the same comes first.
   */
  endIfStale(flag: string | undefined): void {
    const { stale } = this
    if (stale === undefined || flag === undefined || this.context.exitCode !== undefined) return
    // Another process that writes the archive is an error of usage elsewhere.
    const isRequest = stale instanceof DlvError && stale.kind !== 'usage'
    const code = isRequest ? exitCodeOf(stale) : exitCodes.noAnswer
    this.notices.warn(`What is new could not be fetched, and ${flag} needs it: exit code ${code}.`)
    this.endWith(code)
  }

  /** Prints the request of an operation without sending it; `effect` is what is known of its effect. */
  async dryRun<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    effect: RequestEffect = {},
  ): Promise<undefined> {
    const { dryRunOptions, requestView, shownRequest } = await import('./dry-run.js')
    const client = await this.client(dryRunOptions(await this.account.settings()))
    const added = Object.keys(effect).map((name) => ({ name }))
    const view = { ...requestView, columns: [...requestView.columns, ...added] }
    await this.show(view, { ...shownRequest(client.prepare(name, input)), ...effect })
    return undefined
  }

  /**
   * Sends a write. If its answer is lost, the error also says what the command may be repeated with, and which command
   * looks.
   *
   * @param look the command that shows what happened
   */
  async sendWrite<Answer>(
    send: () => Promise<Answer>,
    { look, again = 'Running the same command again is safe.' }: { look: string; again?: string },
  ): Promise<Answer> {
    try {
      return await send()
    } catch (error) {
      const { isLostAnswer } = await import('../../client/internal.js')
      throw isLostAnswer(error) ? withHint(error, `${again} Next: ${look}`) : error
    }
  }
}
