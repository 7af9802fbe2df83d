import type { CallOptions, Client, ClientOptions, HttpTrace, Transport } from '../../client/index.js'
import { DlvError, type InputOf, isLoopback, longestDelayMs, type OperationName } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { deliveryWord } from '../../shared/delivery-word.js'
import { isRelativeTime } from '../input/durations.js'
import type { NamedDelivery, Naming } from '../naming/resolve.js'
import { progressLine } from '../output/progress-line.js'
import { traceLines } from '../output/trace.js'
import { WaitingLine, type WaitingPlace } from '../output/waiting-line.js'
import { exitCodeOf, exitCodes } from '../process/exit-codes.js'
import { AccountCommand } from './account-command.js'
import { findingNewDeliveries, notingWrites, watchingForProduction } from './client-transports.js'
import type { RequestEffect } from './dry-run.js'
import { embeddedBaseUrl, inProcess } from './embedded-sandbox.js'
import { serviceNowMs } from './service-time.js'
import { commandTimedOut, startTimeLimit } from './time-limit.js'

/** For how long an order that was sent may not be found yet. */
const justCreatedMs = 120_000

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

/** A command that uses the service: clients, deliveries by their names, the service's clock. */
export abstract class ApiCommand extends AccountCommand {
  /** Deliveries that a lookup has shown. */
  private readonly seen = new Set<string>()
  /** The time that `--timeout` leaves for the next call of the command. */
  private remainingMs: (() => number) | undefined

  /** A client for the account's service: over the network, or the sandbox in this process. */
  protected async api(options: ApiOptions = {}): Promise<Client> {
    const { needsKey, connections, limit = 'command', ...rest } = options
    const { saysWaiting = limit !== 'each' && connections === undefined, ...clientOptions } = rest
    const settings = await this.settings({ needsKey })
    const { createClient, systemClock } = await import('../../client/index.js')
    const isEmbedded = settings.baseUrl === undefined && clientOptions.transport === undefined
    const sandbox = isEmbedded ? await this.sandbox() : undefined
    // What is due in the `local` profile happens in this process.
    if (limit === 'watching') sandbox?.startOutbox()
    const service = sandbox === undefined ? await this.network(settings, connections) : await inProcess(sandbox)
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
      onTrace: this.globalFlags.verbose ? (trace) => this.printTrace(trace) : undefined,
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

  /** The transport to a service over the network; for `connections`, one that many requests share. */
  private async network(settings: Settings, connections: number | undefined): Promise<Transport> {
    const [{ networkTransport }, { commandTransport }] = await Promise.all([
      import('../../client/index.js'),
      import('../../client/internal.js'),
    ])
    const open = connections === undefined ? commandTransport : networkTransport
    const transport = findingNewDeliveries(
      open({ environment: this.context.env, connections, baseUrl: settings.baseUrl }),
      async (id) => this.seen.has(id) || ((await this.ledgerIfAny())?.hasNew(id, justCreatedMs) ?? false),
    )
    const { environment, apiKey } = settings
    if (environment === 'production' || apiKey === undefined) return transport
    return watchingForProduction(transport, async (sign) => {
      const { rememberProductionKey } = await import('../../profiles/internal.js')
      rememberProductionKey(this.config.configDir, apiKey, sign)
      this.account.recheck()
      const answer = sign === 'livemode' ? 'livemode: true' : sign
      this.notices.warn(
        `The service answered ${answer}: this key is a production key and is treated as one from now on.`,
      )
    })
  }

  private printTrace(trace: HttpTrace): void {
    for (const line of traceLines(trace, this.output.style)) this.notices.print(line)
  }

  /** A line of the terminal, which is gone afterwards. */
  protected waitingPlace(): WaitingPlace {
    const line = progressLine(this.context)
    return { show: (text) => line.show(`${text} Ctrl-C stops.`), clear: () => line.clear() }
  }

  /** The limits of the next call: what is left of `--timeout`. */
  protected callLimits(): Pick<ClientOptions, 'timeoutMs' | 'attemptTimeoutMs'> {
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
  protected async named(
    name: string,
    client?: Client,
    { forWrite = false, isSaid = false }: { forWrite?: boolean; isSaid?: boolean } = {},
  ): Promise<NamedDelivery> {
    const { namedDelivery } = await import('../naming/resolve.js')
    const named = await namedDelivery(async () => client ?? this.api(), name, this.naming(forWrite))
    const { deliveryId, found } = named
    if (isSaid && found !== undefined) this.notices.notice(`${name} is the reference of ${deliveryId}.`)
    this.isAbout({ id: deliveryWord(deliveryId), clientOrderReference: found?.clientOrderReference })
    return named
  }

  /** How this command interprets the names of deliveries. */
  protected naming(forWrite: boolean): Naming {
    return { forWrite, seen: this.seen, sentAs: async (reference) => (await this.ledgerIfAny())?.deliveryOf(reference) }
  }

  /**
   * The account of a command that stays and writes, asked once whether its key is a live one, whatever the profile says.
   * An account that cannot be asked is what its profile says.
   */
  protected async provenSettings(): Promise<Settings> {
    const settings = await this.settings()
    const { environment, apiKey } = settings
    if (environment === 'production' || apiKey === undefined || (await this.isOwnSandbox(settings))) return settings
    const { accountKind } = await import('./account-kind.js')
    const { kind } = await accountKind(await this.api({ limit: 'each' })).catch((error: unknown) => {
      if (error instanceof DlvError) return { kind: 'unknown' }
      throw error
    })
    if (kind !== 'live') return settings
    // The key is recorded as a production key now.
    this.account.recheck()
    return { ...(await this.settings()), environment: 'production' }
  }

  /**
   * The time that the given texts are relative to, in milliseconds since the epoch: the service's time if one of them
   * is relative, which takes a request.
   */
  protected async nowMsFor(client: Client, ...times: readonly (string | undefined)[]): Promise<number> {
    const needsClock = times.some((time) => time !== undefined && isRelativeTime(time))
    return needsClock ? this.displayNowMs(client) : this.nowMs()
  }

  /** Like `nowMsFor`, without a client of one's own; a dry run does without the service if it is unavailable. */
  protected async nowMsForOrder(times: readonly string[], isDryRun: boolean): Promise<number> {
    if (!times.some(isRelativeTime)) return this.nowMs()
    const client = await this.api()
    return isDryRun ? this.displayNowMs(client) : this.clocks(client).serviceNowMs()
  }

  /** The clocks of this machine and of a client's service. */
  protected clocks(client: Client) {
    return {
      localNowMs: () => this.nowMs(),
      serviceNowMs: async (options: CallOptions = {}) => {
        const { baseUrl } = await this.settings({ needsKey: false })
        const isLocal = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
        return serviceNowMs(client, () => this.nowMs(), { ...options, isLocal })
      },
    }
  }

  /** Where the account's archive is, and what brings it up to date. */
  protected async archiveParts(client: Client) {
    const { context, notices } = this
    const account = await this.dataName()
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
  protected stale: unknown
  protected readonly onStale = (error: unknown): void => {
    this.stale = error
  }

  /**
   * Ends a command that answered from the archive alone, if a flag is only worth something with what is new. An outcome that
   * is known all the same comes first.
   */
  protected endIfStale(flag: string | undefined): void {
    const { stale } = this
    if (stale === undefined || flag === undefined || this.context.exitCode !== undefined) return
    // Another process that writes the archive is an error of usage elsewhere.
    const isRequest = stale instanceof DlvError && stale.kind !== 'usage'
    const code = isRequest ? exitCodeOf(stale) : exitCodes.noAnswer
    this.notices.warn(`What is new could not be fetched, and ${flag} needs it: exit code ${code}.`)
    this.endWith(code)
  }

  /** Prints the request of an operation without sending it; `effect` is what is known of its effect. */
  protected async dryRun<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    effect: RequestEffect = {},
  ): Promise<undefined> {
    const { dryRunOptions, requestView, shownRequest } = await import('./dry-run.js')
    const client = await this.api(dryRunOptions(await this.settings()))
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
  protected async sent<Answer>(
    send: () => Promise<Answer>,
    { look, again = 'Running the same command again is safe.' }: { look: string; again?: string },
  ): Promise<Answer> {
    try {
      return await send()
    } catch (error) {
      const { isLostAnswer, withHint } = await import('../../client/internal.js')
      throw isLostAnswer(error) ? withHint(error, `${again} Next: ${look}`) : error
    }
  }
}
