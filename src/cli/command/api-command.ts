import { Command, type Config, type Interfaces } from '@oclif/core'
import type { Client, ClientOptions } from '../../client/index.js'
import { DlvError, type InputOf, isLoopback, type OperationName } from '../../contract/index.js'
import { resolveSettings, type Settings } from '../../profiles/index.js'
import { prepareDrawing } from '../../render/drawing.js'
import type { View } from '../../render/view.js'
import type { Sandbox } from '../../sandbox/index.js'
import { usageErrorOf } from '../errors/parser-errors.js'
import { isRelativeTime, parseDurationMs } from '../input/durations.js'
import { confirm } from '../input/prompt.js'
import type { NamedDelivery } from '../naming/resolve.js'
import { Notices } from '../output/notices.js'
import { Output } from '../output/output.js'
import { pagerFor } from '../output/pager-choice.js'
import { traceLines } from '../output/trace.js'
import type { ProcessContext } from '../process/context.js'
import type { ExitCode } from '../process/exit-codes.js'
import { takeSignals } from '../process/signals.js'
import { canAsk, isSet, styleFor } from '../process/terminal.js'
import { isNoticeDue } from './daily-notice.js'
import type { RequestEffect } from './dry-run.js'
import { embeddedBaseUrl, embeddedFile, inProcess, openEmbedded } from './embedded-sandbox.js'
import { type GlobalFlags, globalFlags } from './global-flags.js'
import { choicesOf, formatOf, jqOf } from './output-choices.js'
import { serviceNowMs } from './service-time.js'

/** What a command is created with: the part of oclif's configuration that it reads, and the context of the run. */
export interface CommandConfig extends Config {
  readonly context: ProcessContext
}

/** What commands that use the service need: global flags, the client, output. Errors are thrown, never printed here. */
export abstract class ApiCommand extends Command {
  static override baseFlags = globalFlags

  declare config: CommandConfig

  protected output!: Output
  protected notices!: Notices
  protected globalFlags!: GlobalFlags
  private knownSettings: Promise<Settings> | undefined
  private embedded: Promise<Sandbox> | undefined
  private readonly closers: ((error?: Error) => Promise<void> | void)[] = []

  /** Our own code prints results and errors, because oclif's would put flags and values into them. */
  override jsonEnabled(): boolean {
    return false
  }

  protected override async catch(error: Error): Promise<never> {
    throw usageErrorOf(error, this.id)
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    for (const close of this.closers.reverse()) await close(error)
    if (error === undefined) this.notices?.release()
  }

  protected override async parse<
    F extends Record<string, unknown>,
    B extends Record<string, unknown>,
    A extends Record<string, unknown>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv)
    const flags = parsed.flags as unknown as GlobalFlags
    this.globalFlags = flags
    const format = formatOf(flags, this.context)
    const { stdout, stderr, env } = this.context
    this.context.outputFormat = format
    const { ref, file, installation } = parsed.flags as Record<string, unknown>
    this.isAbout({ code: installation, ...parsed.args, clientOrderReference: ref, file })
    const nowMs = this.nowMs()
    const style = styleFor(stdout, env, flags.color, nowMs)
    const stderrStyle = styleFor(stderr, env, flags.color, nowMs)
    await prepareDrawing({
      colour: style.colour || stderrStyle.colour,
      terminal: style.terminal && format === 'table',
    })
    this.notices = new Notices(stderr, stderrStyle, format === 'json')
    const choices = choicesOf(flags, format)
    choices.jq = await jqOf(flags, this.context, style.terminal, () => this.timeLimits(), this.notices)
    this.onClose((error) => choices.jq?.finish(error === undefined))
    this.output = new Output(this.context, style, choices, (text) => this.notices.notice(text))
    this.allowPager(flags)
    return parsed
  }

  /** Results that are longer than the screen are read in a pager, which is loaded only then. */
  private allowPager(flags: GlobalFlags): void {
    const { context } = this
    const pager = pagerFor(this.id, flags['no-pager'], flags['no-input'], context)
    if (pager === undefined) return
    this.output.pageWith(async () => {
      const { Pager } = await import('../output/pager.js')
      return new Pager(context, pager.command, pager.screen, (isPaging) =>
        isPaging ? this.notices.hold() : this.notices.resume(),
      )
    })
  }

  /** The streams, variables, clock and signals of this run. */
  protected get context(): ProcessContext {
    return this.config.context
  }

  protected nowMs(): number {
    return this.context.nowMs()
  }

  /** Takes over SIGINT and SIGTERM: the first one aborts the returned signal, the second ends the program. */
  protected takeSignals(): AbortSignal {
    return takeSignals(this.context)
  }

  /**
   * Sets the subject of the command, by the names of placeholders in explanations; values that are not text are
   * ignored.
   */
  protected isAbout(subject: Readonly<Record<string, unknown>>): void {
    const known = Object.entries(subject).flatMap(([name, given]) => {
      const value = Array.isArray(given) && given.length === 1 ? given[0] : given
      return typeof value === 'string' && value !== '-' ? [[name, value] as const] : []
    })
    this.context.subject = { ...this.context.subject, ...Object.fromEntries(known) }
  }

  /** The account that this command uses. */
  protected settings(options: { needsKey?: boolean } = {}): Promise<Settings> {
    this.knownSettings ??= resolveSettings({
      flags: { profile: this.globalFlags.profile, baseUrl: this.globalFlags['base-url'], output: undefined },
      env: this.context.env,
      cwd: this.context.cwd,
      configDir: this.config.configDir,
      ...options,
    }).then((settings) => {
      for (const warning of settings.warnings) this.notices.warn(warning)
      for (const notice of settings.notices) this.notices.notice(notice)
      return settings
    })
    return this.knownSettings
  }

  /** A client for the account's service: over the network, or the sandbox in this process. */
  protected async api(options: Partial<ClientOptions> & { needsKey?: boolean } = {}): Promise<Client> {
    const { needsKey, ...clientOptions } = options
    const settings = await this.settings(needsKey === undefined ? {} : { needsKey })
    const [{ createClient, systemClock }, { commandTransport }] = await Promise.all([
      import('../../client/index.js'),
      import('../../client/internal.js'),
    ])
    const isEmbedded = settings.baseUrl === undefined && clientOptions.transport === undefined
    const sandbox = isEmbedded ? await this.sandbox() : undefined
    const environment = this.context.env
    const transport = sandbox === undefined ? commandTransport({ environment }) : await inProcess(sandbox)
    const { verbose } = this.globalFlags
    const client = createClient({
      baseUrl: settings.baseUrl ?? embeddedBaseUrl,
      apiKey: settings.apiKey ?? sandbox?.apiKey,
      userAgent: this.config.userAgent,
      environment,
      clock: { ...systemClock, nowMs: this.context.nowMs },
      transport,
      ...(this.isLocal(settings) ? { headers: this.context.sandboxHeaders } : {}),
      ...(verbose ? { onTrace: (trace) => this.trace(traceLines(trace, this.output.style)) } : {}),
      ...clientOptions,
      ...this.timeLimits(),
    })
    this.onClose(() => client.close())
    this.output.followClock(() => this.displayNowMs(client))
    // Nothing is sent for a result that cannot be shown.
    await this.output.choices.jq?.compiled
    return client
  }

  /**
   * The delivery that a user named by its id, which takes no request, or by the order's reference, which is looked up.
   *
   * @throws DeliveryReferenceError if the reference leads to no single delivery
   */
  protected async named(name: string, client?: Client): Promise<NamedDelivery> {
    const { namedDelivery } = await import('../naming/resolve.js')
    const named = await namedDelivery(async () => client ?? this.api(), name)
    this.isAbout({ id: named.deliveryId, clientOrderReference: named.found?.clientOrderReference })
    return named
  }

  /** Whether the service is a sandbox in this process or on this machine. */
  private isLocal({ baseUrl }: Settings): boolean {
    return baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
  }

  /**
   * The time that the given texts are relative to, in milliseconds since the epoch: the service's time if one of them
   * is relative, which takes a request.
   */
  protected async nowMsFor(client: Client, ...times: readonly (string | undefined)[]): Promise<number> {
    const needsClock = times.some((time) => time !== undefined && isRelativeTime(time))
    return needsClock ? serviceNowMs(client, () => this.nowMs()) : this.nowMs()
  }

  /** Like `nowMsFor`, without a client of one's own; a dry run does without the service if it is unavailable. */
  protected async nowMsForOrder(times: readonly string[], isDryRun: boolean): Promise<number> {
    if (!times.some(isRelativeTime)) return this.nowMs()
    const client = await this.api()
    return isDryRun ? this.displayNowMs(client) : this.nowMsFor(client, ...times)
  }

  /** The service's time for relative times on a screen; if it is unavailable, no result is lost. */
  private async displayNowMs(client: Client): Promise<number> {
    try {
      return await serviceNowMs(client, () => this.nowMs(), { timeoutMs: 3_000, retries: { maxRetries: 0 } })
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

  /** The time limits of the command and of one request, from the flags or `DLV_TIMEOUT`. */
  protected timeLimits(): { timeoutMs?: number; attemptTimeoutMs?: number } {
    const { timeout, 'attempt-timeout': attemptTimeout } = this.globalFlags
    const variable = this.context.env.DLV_TIMEOUT
    const limits: { timeoutMs?: number; attemptTimeoutMs?: number } = {}
    if (timeout !== undefined) limits.timeoutMs = parseDurationMs(timeout, '--timeout')
    else if (variable !== undefined && variable !== '') limits.timeoutMs = parseDurationMs(variable, 'DLV_TIMEOUT')
    if (attemptTimeout !== undefined) limits.attemptTimeoutMs = parseDurationMs(attemptTimeout, '--attempt-timeout')
    return limits
  }

  /**
   * A client for a command that waits for something to happen. In the `local` profile, what is due happens in this
   * process. There is no limit for the whole command; each request has the usual one.
   */
  protected async watchingApi(signal: AbortSignal): Promise<Client> {
    const { baseUrl } = await this.settings()
    if (baseUrl === undefined) (await this.sandbox()).startOutbox()
    return this.api({ signal })
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

  /** Prints a result by its view. */
  protected show<Shown>(view: View<Shown>, shown: Shown): Promise<void> {
    return this.output.show(view, shown)
  }

  /** Sets an exit code other than 0 without an error: the outcome is not the one asked for. */
  protected endWith(code: ExitCode): void {
    if (code !== 0) this.context.exitCode ??= code
  }

  /** Runs when the command ends, successfully or not; the last one first. */
  protected onClose(close: (error?: Error) => Promise<void> | void): void {
    this.closers.push(close)
  }

  /**
   * Asks on a production profile before something that costs money or cannot be undone; `--yes` confirms it.
   *
   * @param details what the question adds in parentheses; called only if it is asked
   */
  protected async confirmOnProduction(what: string, yes: boolean, details?: () => Promise<string>): Promise<boolean> {
    const { environment, profile } = await this.settings()
    if (environment !== 'production' || yes) return true
    const noInput = this.globalFlags['no-input']
    const more = details !== undefined && canAsk(this.context, noInput) ? ` (${await details()})` : ''
    const text = `${what}${more} on production (profile ${profile})?`
    const isConfirmed = await confirm(this.context, { text, flag: '--yes', noInput })
    if (!isConfirmed) this.notices.notice('Nothing was sent.')
    return isConfirmed
  }

  private trace(lines: readonly string[]): void {
    for (const line of lines) this.notices.print(line)
  }
}
