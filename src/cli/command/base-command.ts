import { Command, type Config, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { readProject } from '../../profiles/index.js'
import { prepareDrawing } from '../../render/drawing.js'
import { type View, valueAt } from '../../render/view.js'
import { accountFlagsOf } from '../../shared/account-commands.js'
import { trimmed } from '../../shared/white-space.js'
import { parseDurationMs } from '../input/durations.js'
import { confirm } from '../input/prompt.js'
import { parseColumns } from '../output/columns.js'
import { type OutputFormat, parseOutputFormat } from '../output/format.js'
import type { Jq } from '../output/jq/jq.js'
import { Notices } from '../output/notices.js'
import { Output, type OutputChoices } from '../output/output.js'
import { pagerFor } from '../output/pager-choice.js'
import type { ProcessContext } from '../process/context.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import { endWithNpx } from '../process/npx.js'
import { takeSignals } from '../process/signals.js'
import { writeOut } from '../process/streams.js'
import { styleFor } from '../process/terminal.js'
import { type GlobalFlags, globalFlags } from './global-flags.js'

/** The configuration of a command: the part of oclif's configuration that it reads, and the context of the run. */
export interface CommandConfig extends Config {
  readonly context: ProcessContext
}

/** The base of every command: global flags, output, an orderly end. Errors are thrown, never printed here. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags

  declare config: CommandConfig

  protected output!: Output
  protected notices!: Notices
  protected globalFlags!: GlobalFlags
  private readonly closers: ((error?: Error) => Promise<void> | void)[] = []

  /** Our own code prints results and errors, because oclif's would put flags and values into them. */
  override jsonEnabled(): boolean {
    return false
  }

  protected override async catch(error: Error): Promise<never> {
    const { usageErrorOf } = await import('../errors/parser-errors.js')
    throw usageErrorOf(error, this.id, () => this.config.commands)
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
    const parsed = withoutBlanks(await super.parse(options, argv), { ...this.ctor.baseFlags, ...this.ctor.flags })
    const flags = parsed.flags as unknown as GlobalFlags
    this.globalFlags = flags
    const format = formatOf(flags, this.context, this.config.configDir)
    const { stdout, stderr, env } = this.context
    this.context.outputFormat = format
    const { ref, file, installation, journal } = parsed.flags as Record<string, unknown>
    this.isAbout({ code: installation, ...parsed.args, clientOrderReference: ref, file, journal })
    const nowMs = this.nowMs()
    const style = { ...styleFor(stdout, env, flags.color, nowMs), accountFlags: accountFlagsOf(flags) }
    const stderrStyle = styleFor(stderr, env, flags.color, nowMs)
    await prepareDrawing({
      colour: style.colour || stderrStyle.colour,
      terminal: style.terminal && format === 'table',
    })
    this.context.accountFlags ??= accountFlagsOf(flags)
    this.notices = new Notices(stderr, stderrStyle, format === 'json', this.context.accountFlags)
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

  /** The words of this command line, without the program's name. */
  protected get typed(): readonly string[] {
    return [...String(this.id).split(':'), ...this.argv]
  }

  protected nowMs(): number {
    return this.context.nowMs()
  }

  /** Takes over SIGINT and SIGTERM: the first one aborts the returned signal, the second ends the program. */
  protected takeSignals(): AbortSignal {
    endWithNpx(this.context)
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

  /** Prints a result by its view. */
  protected show<Shown>(view: View<Shown>, shown: Shown): Promise<void> {
    return this.output.show(view, shown)
  }

  /** Sets an exit code other than 0 without an error: the outcome is not the one asked for. */
  protected endWith(code: ExitCode): void {
    if (code !== 0) this.context.exitCode ??= code
  }

  /**
   * Asks, unless the flag has confirmed it. After a no nothing is done, which is said, and the exit code is 9: what
   * follows in a script must not take it for done.
   *
   * @param undone what a no leaves undone, such as `Nothing was sent.`
   * @throws UsageError that names the flag if it cannot prompt
   */
  protected async confirmed(
    text: string,
    { flag = '--yes', undone }: { flag?: string; undone: string },
  ): Promise<boolean> {
    const isConfirmed = await confirm(this.context, { text, flag, noInput: this.globalFlags['no-input'] })
    if (isConfirmed) return true
    this.notices.notice(undone)
    this.endWith(exitCodes.otherOutcome)
    return false
  }

  /** Runs when the command ends, successfully or not; the last one first. */
  protected onClose(close: (error?: Error) => Promise<void> | void): void {
    this.closers.push(close)
  }
}

/** Flags whose values are taken as they are: names of files, which may end with a space, and texts for others to read. */
const exactValues = /FILE|DIR|BODY|HEADER|CMD|=VALUE/

/** The words of a command line without the white space around each: it is no part of a value. */
function withoutBlanks<Parsed extends { flags: object; args: object }>(
  parsed: Parsed,
  defined: Readonly<Record<string, object>>,
): Parsed {
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return trimmed(value)
    return Array.isArray(value) ? value.map(plain) : value
  }
  const isExact = (name: string) => exactValues.test(String(valueAt(defined[name], 'helpValue') ?? ''))
  const flags = Object.entries(parsed.flags).map(([name, value]) => [name, isExact(name) ? value : plain(value)])
  const args = Object.entries(parsed.args).map(([name, value]) => [name, plain(value)])
  return { ...parsed, flags: Object.fromEntries(flags), args: Object.fromEntries(args) }
}

/** The output format: from the flag, `DLV_OUTPUT` or the project file. Throws `UsageError` for an unknown one. */
function formatOf(flags: GlobalFlags, { env, cwd }: ProcessContext, configDir: string): OutputFormat {
  if (flags.json) return 'json'
  if (flags.output !== undefined) return parseOutputFormat(flags.output, '--output')
  if (env.DLV_OUTPUT !== undefined && env.DLV_OUTPUT !== '') return parseOutputFormat(env.DLV_OUTPUT, 'DLV_OUTPUT')
  const project = readProject({ cwd, configDir })
  return project?.output === undefined ? 'table' : parseOutputFormat(project.output, `"output" of ${project.file}`)
}

/** The output options of the flags. */
function choicesOf(flags: GlobalFlags, format: OutputFormat): OutputChoices {
  const isJson = flags.jq !== undefined || format === 'json' || format === 'ndjson'
  if (flags.columns !== undefined && isJson)
    throw new UsageError('--columns is for tables and CSV, not for JSON.', { hint: 'Select fields with --jq.' })
  if (flags.jq !== undefined && (flags.output === 'csv' || flags.output === 'tsv'))
    throw new UsageError(`--jq prints JSON or text, not -o ${flags.output}.`, {
      hint: `End the expression with @${flags.output}, such as --jq '.[] | [.status] | @${flags.output}'.`,
    })
  return {
    format,
    header: !flags['no-header'],
    quiet: flags.quiet,
    raw: flags.raw,
    columns: flags.columns === undefined ? undefined : parseColumns(flags.columns),
  }
}

/** Starts jq for `--jq`. Loads nothing without that flag, or with `-q`, which prints ids. */
async function jqOf(
  flags: GlobalFlags,
  context: ProcessContext,
  terminal: boolean,
  limits: () => { timeoutMs?: number },
  notices: Notices,
): Promise<Jq | undefined> {
  if (flags.jq === undefined || flags.quiet) return undefined
  const { Jq } = await import('../output/jq/jq.js')
  return new Jq(flags.jq, {
    // As for requests, 0 is no limit.
    timeoutMs: limits().timeoutMs || Number.POSITIVE_INFINITY,
    terminal,
    print: (text) => writeOut(context.stdout, text),
    remark: (text) => notices.notice(text),
    interruption: () => context.interruption,
  })
}
