import { Command, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { readProject } from '../../profiles/index.js'
import { prepareDrawing } from '../../render/style.js'
import { valueAt } from '../../render/view.js'
import { accountFlagsOf } from '../../shared/command-words.js'
import { trimmed } from '../../shared/texts.js'
import type { Described } from '../input/asked-times.js'
import { type OutputFormat, parseColumns, parseOutputFormat } from '../output/format.js'
import type { Jq } from '../output/jq/jq.js'
import { Notices } from '../output/notices.js'
import { Output, type OutputChoices } from '../output/output.js'
import { pagerFor } from '../output/pager-choice.js'
import type { ProcessContext } from '../process/context.js'
import { writeOut } from '../process/streams.js'
import { styleFor } from '../process/terminal.js'
import type { AccountSession } from '../session/account-session.js'
import { type GlobalFlags, globalFlags, timeLimitsOf } from '../session/global-flags.js'
import { type CommandConfig, Session, setSubject } from '../session/session.js'

/** The base of every command: global flags, output, an orderly end. Errors are thrown, never printed here. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags

  declare config: CommandConfig

  /** Whether it only reads and shows, so that it can be asked for several accounts at once. */
  static readsSeveral = false

  /**
   * How it shows deliveries that are named: of several accounts, it is asked of the one that has them. `alone`: as if only that
   * one had been named, for what is drawn or opened; `profile`: as one of several, with its profile.
   */
  static looksUp: 'alone' | 'profile' | undefined

  /** The deliveries that the words of a command line name; default: the argument `id`, or `--ref`. */
  static namesIn?: (args: Readonly<Record<string, unknown>>, flags: Readonly<Record<string, unknown>>) => string[]

  /** Flags for one account only, because they name one file or change what is kept. */
  static flagsOfOne: readonly string[] = []

  /** The accounts of a command that works on several together; absent for one. */
  protected profiles: readonly string[] | undefined

  /** Doubts about the accounts of a command that was asked for several. */
  private doubt: string | undefined

  /** The words that oclif reads, which may be spelt otherwise than they were typed. */
  static wordsOf(argv: readonly string[]): string[] {
    return [...argv]
  }

  /** The tools of this run, once its flags are read. */
  protected session!: Session

  /** Runs the command, once for each account if it is asked for several. */
  protected override async _run<Result>(): Promise<Result> {
    const own = this.run
    this.run = async () => ((await this.hasRunForSeveral()) ? undefined : own.call(this))
    return super._run()
  }

  /** Whether several accounts were asked for; each of them has answered then. */
  private async hasRunForSeveral(): Promise<boolean> {
    const { context, configDir } = this.config
    const isAsked = this.argv.some((word) => /^(?:-P|--profile|--all-profiles)/.test(word)) || context.env.DLV_PROFILE
    if (!isAsked || context.gathering !== undefined) return false
    const { profilesOf, runForSeveral } = await import('./run-several.js')
    const several = profilesOf(this.argv, context.env, configDir, this.id)
    if (several === undefined) return false
    this.doubt = several.doubt
    if (this.worksOnSeveral()) {
      this.profiles = several.profiles
      return false
    }
    const ctor = this.constructor as typeof BaseCommand
    const parsed = async () => ({ ...(await this.parse(ctor, ctor.wordsOf(this.argv))), session: this.session })
    const alone = await runForSeveral(several, ctor, String(this.id), parsed)
    // The words were read for several; from here on one is meant.
    if (alone !== undefined) this.argv = [...alone]
    return alone === undefined
  }

  /** Whether it works on several accounts itself, instead of being run for each. */
  protected worksOnSeveral(): boolean {
    return false
  }

  /** Does something for the account, or for each of several side by side: see `forEachAccount`. */
  protected async eachAccount(work: (account: AccountSession) => Promise<void>): Promise<void> {
    if (this.profiles === undefined) return work({ profile: undefined, session: this.session })
    const { forEachAccount } = await import('../session/account-session.js')
    await forEachAccount(this.session, this.profiles, work)
  }

  /** Opens something for the account, or for each of several, until the command ends. */
  protected async openAccounts<Opened>(open: (account: AccountSession) => Promise<Opened>): Promise<Opened[]> {
    if (this.profiles === undefined) return [await open({ profile: undefined, session: this.session })]
    const { openAccounts } = await import('../session/account-session.js')
    return openAccounts(this.session, this.profiles, open)
  }

  /** Our own code prints results and errors, because oclif's would put flags and values into them. */
  override jsonEnabled(): boolean {
    return false
  }

  protected override async catch(error: Error): Promise<never> {
    const { usageErrorOf } = await import('../errors/parser-errors.js')
    throw usageErrorOf(error, this.id, () => this.config.commands)
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    await this.session?.close(error)
  }

  protected override async parse<
    F extends Record<string, unknown>,
    B extends Record<string, unknown>,
    A extends Record<string, unknown>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const read = await super.parse(options, argv)
    const empty = read.raw.find(({ type, input }) => type === 'flag' && input !== null && trimmed(input) === '')
    if (empty?.type === 'flag') throw (await import('../errors/parser-errors.js')).emptyFlag(empty.flag)
    const parsed = withoutBlanks(read, { ...this.ctor.baseFlags, ...this.ctor.flags })
    const flags = parsed.flags as unknown as GlobalFlags
    // None of several is the command's own: what is asked of it would be asked of a profile of this name.
    if (this.profiles !== undefined) flags.profile = this.profiles.join(',')
    const { context } = this.config
    const format = formatOf(flags, context, this.config.configDir)
    const { stdout, stderr, env } = context
    context.outputFormat = format
    refuseOnTerminal(format, stdout.isTTY === true && !flags.quiet)
    const { ref, file, installation, journal } = parsed.flags as Record<string, unknown>
    setSubject(context, { code: installation, ...parsed.args, clientOrderReference: ref, file, journal })
    const nowMs = context.nowMs()
    const style = { ...styleFor(stdout, env, flags.color, nowMs), accountFlags: accountFlagsOf(flags) }
    const stderrStyle = styleFor(stderr, env, flags.color, nowMs)
    await prepareDrawing({
      colour: style.colour || stderrStyle.colour,
      terminal: style.terminal && format === 'table',
    })
    context.accountFlags ??= accountFlagsOf(flags)
    const notices = new Notices(stderr, stderrStyle, { holds: format === 'json' }, context.accountFlags)
    if (this.doubt !== undefined) notices.warn(this.doubt)
    const choices = choicesOf(flags, format)
    const jq = await jqOf(flags, context, style.terminal, () => timeLimitsOf(flags, env), notices)
    choices.jq = jq
    const output = new Output(context, style, choices, (text) => notices.notice(text))
    const names = String(this.id).split(':')
    const [command, words] = [names.join(' '), context.typed ?? [...names, ...this.argv]]
    this.session = new Session({ context, config: this.config, flags, command, words, output, notices })
    this.session.onClose((error) => jq?.finish(error === undefined))
    allowPager(this.session, this.id)
    const described = (this.ctor.flags ?? {}) as Described
    if (Object.values(described).some(({ helpValue }) => helpValue === 'TIME'))
      (await import('../input/asked-times.js')).refuseTimes(described, parsed.flags, nowMs)
    return parsed
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

/** Throws `UsageError` for a workbook that nobody could read. */
function refuseOnTerminal(format: OutputFormat, isTerminal: boolean): void {
  if (format !== 'xlsx' || !isTerminal) return
  throw new UsageError('-o xlsx writes a workbook, which a terminal cannot show.', {
    hint: 'Write it to a file: add > deliveries.xlsx to the command.',
  })
}

/** The output options of the flags. */
function choicesOf(flags: GlobalFlags, format: OutputFormat): OutputChoices {
  const isJson = flags.jq !== undefined || format === 'json' || format === 'ndjson'
  if (flags.columns !== undefined && isJson)
    throw new UsageError('--columns is for tables and CSV, not for JSON.', { hint: 'Select fields with --jq.' })
  if (flags.jq !== undefined && (flags.output === 'csv' || flags.output === 'tsv' || flags.output === 'xlsx'))
    throw new UsageError(`--jq prints JSON or text, not -o ${flags.output}.`, {
      hint:
        flags.output === 'xlsx'
          ? 'Choose columns with --columns.'
          : `End the expression with @${flags.output}, such as --jq '.[] | [.status] | @${flags.output}'.`,
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

/** Results that are longer than the screen are read in a pager, which is loaded only then. */
function allowPager({ context, flags, output, notices }: Session, id: string | undefined): void {
  const pager = pagerFor(id, flags['no-pager'], flags['no-input'], context)
  if (pager === undefined) return
  output.pageWith(async () => {
    const { Pager } = await import('../output/pager.js')
    return new Pager(context, pager.command, pager.screen, (isPaging) => (isPaging ? notices.hold() : notices.resume()))
  })
}
