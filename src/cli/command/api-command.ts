import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FileLedger } from '../../bulk/index.js'
import type { CallOptions, Client, ClientOptions, Transport } from '../../client/index.js'
import { DlvError, type InputOf, isLoopback, longestDelayMs, type OperationName } from '../../contract/index.js'
import { accountName, dataNameOf, ResolvedAccount, type Settings, type SettingsInput } from '../../profiles/index.js'
import type { Sandbox } from '../../sandbox/index.js'
import { deliveryWord } from '../../shared/delivery-word.js'
import { isRelativeTime } from '../input/durations.js'
import type { NamedDelivery, Naming } from '../naming/resolve.js'
import { progressLine } from '../output/progress-line.js'
import { traceLines } from '../output/trace.js'
import { WaitingLine, type WaitingPlace } from '../output/waiting-line.js'
import { canAsk, isSet } from '../process/terminal.js'
import { BaseCommand } from './base-command.js'
import { isNoticeDue } from './daily-notice.js'
import type { RequestEffect } from './dry-run.js'
import { embeddedBaseUrl, embeddedFile, inProcess, openEmbedded } from './embedded-sandbox.js'
import type { ProofPlace } from './own-sandbox.js'
import { watchForProduction } from './production-signs.js'
import { serviceNowMs } from './service-time.js'
import { commandTimedOut, startTimeLimit } from './time-limit.js'

/** How long ago an order was sent whose delivery may not be found yet. */
const justCreatedMs = 120_000

interface ApiOptions extends Partial<ClientOptions> {
  needsKey?: boolean
  /** For many requests at once: the connections that they share at most. */
  connections?: number
  /** For a command that runs until it is stopped, or ends itself in time: `--timeout` limits each of its calls. */
  limitEach?: boolean
  /** Says on a terminal, or in a place of one's own, what takes longer than two seconds. Default: unless `limitEach`. */
  saysWaiting?: boolean | WaitingPlace
}

/** What commands that use the service need: the account, the client, the embedded sandbox. */
export abstract class ApiCommand extends BaseCommand {
  private resolved: ResolvedAccount | undefined
  private readonly said = new Set<string>()
  private embedded: Promise<Sandbox> | undefined
  private ownSandbox: Promise<boolean> | undefined
  private openedLedger: FileLedger | undefined
  /** Deliveries that a lookup has shown. */
  private readonly seen = new Set<string>()
  /** The time that `--timeout` leaves for the next call of the command. */
  private remainingMs: (() => number) | undefined

  /** The account that this command uses; its key is looked up only if it is needed. */
  protected async settings({ needsKey = true }: { needsKey?: boolean | undefined } = {}): Promise<Settings> {
    const settings = needsKey ? await this.account.withKey() : this.account.settings
    const say = (texts: readonly string[], print: (text: string) => void) => {
      for (const text of texts) if (!this.said.has(text)) print(text)
      for (const text of texts) this.said.add(text)
    }
    say(settings.warnings, (text) => this.notices.warn(text))
    say(settings.notices, (text) => this.notices.notice(text))
    return settings
  }

  /** The account, which is resolved once; inside another command it is that one's. */
  protected get account(): ResolvedAccount {
    this.resolved ??= this.context.account?.() ?? new ResolvedAccount(this.accountInput())
    return this.resolved
  }

  /** The flags, variables and directories that decide the account. */
  protected accountInput(): SettingsInput {
    return {
      flags: { profile: this.globalFlags.profile, baseUrl: this.globalFlags['base-url'], output: undefined },
      env: this.context.env,
      cwd: this.context.cwd,
      configDir: this.config.configDir,
    }
  }

  /**
   * A client for the account's service: over the network, or the sandbox in this process. All calls of the command
   * together keep to `--timeout`.
   */
  protected async api(options: ApiOptions = {}): Promise<Client> {
    const { needsKey, connections, limitEach = false, ...rest } = options
    const { saysWaiting = !limitEach && connections === undefined, ...clientOptions } = rest
    const settings = await this.settings({ needsKey })
    const [{ createClient, networkTransport, systemClock }, { commandTransport }] = await Promise.all([
      import('../../client/index.js'),
      import('../../client/internal.js'),
    ])
    const isEmbedded = settings.baseUrl === undefined && clientOptions.transport === undefined
    const sandbox = isEmbedded ? await this.sandbox() : undefined
    const environment = this.context.env
    const network = connections === undefined ? commandTransport : networkTransport
    const transport = this.notingWrites(
      sandbox === undefined
        ? this.watched(this.patient(network({ environment, connections })), settings)
        : await inProcess(sandbox),
    )
    const clock = { ...systemClock, nowMs: this.context.nowMs }
    const place = typeof saysWaiting === 'object' ? saysWaiting : saysWaiting ? this.waitingPlace() : undefined
    const waiting = place === undefined ? undefined : new WaitingLine(place, clock)
    const { verbose } = this.globalFlags
    const client = createClient({
      baseUrl: settings.baseUrl ?? embeddedBaseUrl,
      apiKey: settings.apiKey ?? sandbox?.apiKey,
      userAgent: this.config.userAgent,
      environment,
      clock: waiting?.waits ?? clock,
      transport: waiting?.transport(transport) ?? transport,
      // A rehearsal is for the sandbox in this process only: what is behind a socket could execute it.
      ...(isEmbedded ? { headers: this.context.sandboxHeaders } : {}),
      ...(verbose ? { onTrace: (trace) => this.trace(traceLines(trace, this.output.style)) } : {}),
      ...clientOptions,
      ...this.callLimits(limitEach),
    })
    this.onClose(() => client.close())
    this.output.followClock(() => this.displayNowMs(client))
    // Nothing is sent for a result that cannot be shown.
    await this.output.choices.jq?.compiled
    return client
  }

  /** A line of the terminal, which is gone afterwards. */
  protected waitingPlace(): WaitingPlace {
    const line = progressLine(this.context)
    return { show: (text) => line.show(`${text} Ctrl-C stops.`), clear: () => line.clear() }
  }

  /** Notes that a write was sent, for the error of results that cannot be written. */
  private notingWrites(transport: Transport): Transport {
    return {
      ...transport,
      send: (request) => {
        if (request.method !== 'GET') this.context.hasWritten = true
        return transport.send(request)
      },
    }
  }

  /** A transport that gives a delivery that was just sent or listed a moment to be found. */
  private patient(transport: Transport): Transport {
    const isKnown = async (id: string) =>
      this.seen.has(id) || ((await this.ledgerIfAny())?.hasNew(id, justCreatedMs) ?? false)
    return {
      ...transport,
      async send(request) {
        const reply = await transport.send(request)
        if (reply.status !== 404) return reply
        const { sentAgain } = await import('./just-created.js')
        return sentAgain(transport, request, reply, isKnown)
      },
    }
  }

  /** Records the key if an answer shows that it is a production key, which nothing said before. */
  private watched(transport: Transport, { environment, apiKey }: Settings): Transport {
    if (environment === 'production' || apiKey === undefined) return transport
    return watchForProduction(transport, async (sign) => {
      const { rememberProductionKey } = await import('../../profiles/internal.js')
      rememberProductionKey(this.config.configDir, apiKey, sign)
      this.account.recheck()
      const answer = sign === 'livemode' ? 'livemode: true' : sign
      this.notices.warn(
        `The service answered ${answer}: this key is a production key and is treated as one from now on.`,
      )
    })
  }

  /** The limits of the next call: what is left of `--timeout`, unless it limits each call. */
  protected callLimits(limitEach = false): Pick<ClientOptions, 'timeoutMs' | 'attemptTimeoutMs'> {
    const { timeoutMs, ...limits } = this.timeLimits()
    if (!timeoutMs || limitEach) return this.timeLimits()
    this.remainingMs ??= startTimeLimit(timeoutMs, this.context)
    return { ...limits, timeoutMs: this.remainingMs }
  }

  /** A client for a command that reads as much as there is: `--timeout` also ends the call under way. */
  protected async listingApi(options: Partial<ClientOptions> = {}): Promise<Client> {
    const { timeoutMs } = this.timeLimits()
    if (!timeoutMs) return this.api(options)
    const over = new AbortController()
    const end = () => over.abort(commandTimedOut(timeoutMs))
    const timer = setTimeout(end, Math.min(timeoutMs, longestDelayMs)).unref()
    this.onClose(() => clearTimeout(timer))
    const { signal } = options
    return this.api({
      ...options,
      limitEach: true,
      saysWaiting: true,
      signal: signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]),
    })
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

  /** How this command understands the names of deliveries. */
  protected naming(forWrite: boolean): Naming {
    return { forWrite, seen: this.seen, sentAs: async (reference) => (await this.ledgerIfAny())?.deliveryOf(reference) }
  }

  /** The account's orders that were sent from this machine. */
  protected async ledger(): Promise<FileLedger> {
    const settings = await this.settings()
    const { orderLedger } = await import('./order-ledger.js')
    if (this.openedLedger !== undefined) return this.openedLedger
    const account = `${dataNameOf(settings)} ${settings.baseUrl ?? 'embedded'}`
    const ledger = orderLedger(this.config.dataDir, account, this.notices, this.context.nowMs)
    this.openedLedger = ledger
    this.onClose(() => ledger.close())
    return ledger
  }

  private async ledgerIfAny(): Promise<FileLedger | undefined> {
    return existsSync(join(this.config.dataDir, 'orders.db')) ? this.ledger() : undefined
  }

  /** Whether the service is a sandbox of this user: the embedded one, or a served one that has proved it. */
  protected isOwnSandbox(settings: Settings): Promise<boolean> {
    this.ownSandbox ??= import('./own-sandbox.js').then(({ isOwnSandbox }) => isOwnSandbox(settings, this.proofPlace))
    return this.ownSandbox
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
    const { kind } = await accountKind(await this.api({ limitEach: true })).catch((error: unknown) => {
      if (error instanceof DlvError) return { kind: 'unknown' }
      throw error
    })
    if (kind !== 'live') return settings
    // The key is recorded as a production key now.
    this.account.recheck()
    return { ...(await this.settings()), environment: 'production' }
  }

  /** Where the secret is by which a served sandbox proves that it belongs to this user. */
  protected get proofPlace(): ProofPlace {
    return { env: this.context.env, dataDir: this.config.dataDir }
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

  /** The service's time for relative times; if it is unavailable, no result is lost. */
  private async displayNowMs(client: Client): Promise<number> {
    try {
      return await this.clocks(client).serviceNowMs()
    } catch (error) {
      if (error instanceof DlvError) return this.nowMs()
      throw error
    }
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
   * A client for a command that waits for something to happen. In the `local` profile, what is due happens in this
   * process. There is no limit for the whole command; each request has the usual one.
   */
  protected async watchingApi(signal: AbortSignal): Promise<Client> {
    const { baseUrl } = await this.settings()
    if (baseUrl === undefined) (await this.sandbox()).startOutbox()
    return this.api({ signal, limitEach: true, saysWaiting: true })
  }

  /** The sandbox of the `local` profile, in this process; a notice says that it is not the real service. */
  protected sandbox(options: { replaceDamaged?: boolean } = {}): Promise<Sandbox> {
    this.embedded ??= openEmbedded(this.config.dataDir, options).then((sandbox) => {
      this.onClose(() => sandbox.close())
      if (sandbox.damagedFile !== undefined)
        this.notices.warn(`The sandbox file was damaged; it was kept as ${sandbox.damagedFile}.`)
      this.noticeEmbedded()
      if (!sandbox.isServed) this.output.markPagesUnserved()
      return sandbox
    })
    return this.embedded
  }

  /** Prints once a day that this is not the real service. */
  protected noticeEmbedded(): void {
    if (isSet(this.context.env.DLV_NO_NOTICE)) return
    const file = embeddedFile(this.config.dataDir)
    if (!isNoticeDue(`${file}.notice`, this.nowMs())) return
    this.notices.notice(`Using the embedded sandbox, without network (${file}). Shown once a day.`)
  }

  /**
   * Asks on a production profile before something that costs money or cannot be undone; `--yes` confirms it.
   *
   * @param details what the question adds in parentheses; without a terminal, where the error shows the question, it must
   * send nothing
   * @param isAsked whether to ask on a sandbox too
   */
  protected async confirmOnProduction(
    what: string,
    yes: boolean,
    details?: (isAsked: boolean) => Promise<string>,
    isAsked = false,
  ): Promise<boolean> {
    const settings = await this.settings()
    const isProduction = settings.environment === 'production'
    if (yes || !(isProduction || isAsked)) return true
    const noInput = this.globalFlags['no-input']
    const more = await details?.(canAsk(this.context, noInput))
    const text = `${what}${more ? ` (${more})` : ''}${isProduction ? ` on production (${accountName(settings)})` : ''}?`
    return this.confirmed(text, { undone: 'Nothing was sent.' })
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

  private trace(lines: readonly string[]): void {
    for (const line of lines) this.notices.print(line)
  }
}
