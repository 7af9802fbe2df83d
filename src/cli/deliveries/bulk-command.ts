import { basename } from 'node:path'
import { Flags } from '@oclif/core'
import { type RowAction, type Rows, runExitCode } from '../../bulk/index.js'
import { checkRunRecord, checkSharedRecord, defaultConcurrency } from '../../bulk/internal.js'
import { type Client, createPacer } from '../../client/index.js'
import { runView } from '../../render/run-view.js'
import { BaseCommand } from '../command/base-command.js'
import { pathOf } from '../input/named-file.js'
import { exitCodes } from '../process/exit-codes.js'
import { bulkRun, defaultResultsFile } from './bulk-run.js'
import { type RowCheck, RowJudge, refusalOf, repeatedText, showRowChecks } from './dry-run-rows.js'
import type { RowEffects } from './effects/row-effects.js'
import { areShared, withoutPassword } from './results-place.js'
import { OwnColumns } from './rows/own-columns.js'
import { assertRejectable, commandAgain, rejectsFlag, writeRejects } from './rows/rejects.js'
import { type RowWarning, RowWarnings } from './rows/row-warnings.js'

const helpGroup = 'run'

/** The number of rows that the service is asked about for the question on production; --dry-run asks about all. */
export const rowsInQuestion = 200

/** Flags of a bulk run. */
export const bulkFlags = {
  concurrency: Flags.integer({
    summary: `Maximum concurrent requests (default ${defaultConcurrency})`,
    min: 1,
    max: 1_024,
    helpGroup,
    helpValue: 'N',
  }),
  results: Flags.string({
    summary: 'Results, from which a run resumes',
    helpGroup,
    helpValue: 'FILE|postgres://…',
    parse: (results) => Promise.resolve(withoutPassword(results)),
  }),
  rejects: { ...rejectsFlag.rejects, helpGroup },
  overwrite: { ...rejectsFlag.overwrite, helpGroup },
  'accept-results': Flags.boolean({ summary: 'Resume results that you moved here', helpGroup }),
}

export interface BulkFlags {
  concurrency?: number | undefined
  results?: string | undefined
  rejects?: string | undefined
  overwrite?: boolean | undefined
  'map-file'?: string | undefined
  'accept-results'?: boolean
  encoding?: string | undefined
  'dry-run': boolean
  yes: boolean
}

/** Rows, and what to do with each. */
export interface Bulk<Input> {
  /** Opens the rows; the client is for what the service has to be asked about them. */
  rows(client: Client): Rows
  /** The source of the rows: a file's name, or `-` for what can be read only once. */
  source: string
  /** The question on production, such as `Cancel every delivery of the input`. */
  question: string
  action(client: Client): RowAction<Input>
  /** Finds the faults of a row that can be found without the service. */
  check: RowCheck<Input>
  /** Warnings for a row as it is read; it is sent all the same. */
  warn: RowWarning
  /** The time that windows are compared with before the run; in the run, the service decides which are over. */
  nowMs?: number | undefined
  /** The columns of a sheet that are mapped to fields; errors name them. */
  columns?: ReadonlyMap<string, string> | undefined
  /** Counts the values that rows keep against flags, for a notice. */
  kept?: { readonly text: string } | undefined
  /** The effects of the rows, for the question on production and the dry run. */
  effects?: (client: Client, isDryRun: boolean) => RowEffects<Input>
  /** Opens the rows to look at them before the run, if `rows` can be read only once; `never` if they cannot be opened again. */
  look?: (() => Promise<Rows>) | 'never'
  /** Reads all rows for the question; also without a question if the effects have a limit. */
  looksAtAll?: 'for the question' | 'always'
  /** Whether looking at the rows sends nothing: the question is then complete without a terminal too. */
  looksLocally?: boolean
  /** The cost of the rows of this run so far, such as ` for $2,104.50 without tips, tips $310.00`. */
  spent?: () => string
}

/** A command for one delivery or many. */
export abstract class BulkCommand extends BaseCommand {
  /** Executes a bulk run, or with `--dry-run` checks all rows without sending anything. */
  protected async carryOutAll<Input>(given: Bulk<Input>, flags: BulkFlags): Promise<undefined> {
    const bulk = given.columns === undefined ? given : withOwnColumns(given, new OwnColumns(given.columns))
    this.session.output.checkColumns(runView)
    const resultsFile = this.resultsFile(bulk, flags)
    const place =
      flags.rejects === undefined
        ? undefined
        : {
            source: bulk.source,
            results: resultsFile,
            rejects: flags.rejects,
            overwrite: flags.overwrite,
            others: [flags['map-file']],
          }
    if (place !== undefined) assertRejectable(this.session.context, place)
    const owner = await this.ownerOf(bulk, flags)
    const warnings = new RowWarnings(bulk.warn, this.session.notices)
    if (flags['dry-run']) return this.dryRunAll(bulk, warnings, owner, flags)
    let looked: ReturnType<typeof this.effectsOf> | undefined
    const look = () => {
      looked ??= this.effectsOf(bulk, warnings)
      return looked
    }
    if (bulk.looksAtAll === 'always') throwIf((await look()).effects?.refusal?.())
    const details =
      bulk.effects === undefined || bulk.look === 'never'
        ? undefined
        : async (mayAsk: boolean) => (mayAsk || bulk.looksLocally ? (await look()).text : '')
    if (!(await this.session.account.confirmOnProduction(bulk.question, flags.yes, details))) return undefined
    const pacer = createPacer()
    const signal = this.session.takeSignals()
    const { concurrency = defaultConcurrency } = flags
    // Each pauses for a moment after an answer: without a limit, twice as many would be opened.
    const client = await this.session.client({ pacer, connections: concurrency, limit: 'each' })
    const path = areShared(resultsFile) ? undefined : pathOf(this.session.context, resultsFile)
    if (flags['accept-results'] && path !== undefined) {
      const { acceptResults } = await import('./accept-results.js')
      await acceptResults(path, { operation: bulk.action(client).operation, ...owner }, client, this.session.notices)
    }
    const summary = await bulkRun(
      {
        context: this.session.context,
        rows: bulk.rows(client),
        warnings,
        pacer,
        ...owner,
        signal,
        action: refusing(bulk.action(client), bulk.check),
        resultsFile,
        rejects: flags.rejects,
        encoding: flags.encoding,
        input: bulk.source,
        isResumable: bulk.source !== '-' || flags.results !== undefined,
        concurrency,
        spent: bulk.spent,
        ...this.session.timeLimits(),
      },
      this.session.output,
      this.session.notices,
    ).catch((error) => foreign(error, resultsFile))
    this.sayKept(bulk)
    if (place !== undefined)
      await writeRejects(
        { context: this.session.context, notices: this.session.notices },
        {
          ...place,
          encoding: flags.encoding,
          again: commandAgain(this.id ?? '', this.argv, place.rejects),
          owner: owner.account === undefined ? undefined : { account: owner.account, content: owner.content },
        },
      )
    this.session.endWith(runExitCode(summary))
    return undefined
  }

  /** Whose the results are: what authenticates them here, and what tells the account and the input in a database. */
  private async ownerOf({ source }: Pick<Bulk<never>, 'source'>, { results }: BulkFlags) {
    const [identity, { resultsSeal, databaseOwner }] = await Promise.all([
      this.session.account.identity(),
      import('../accounts/shared.js'),
    ])
    const { apiKey } = await this.session.account.settings()
    const input = source === '-' ? undefined : pathOf(this.session.context, source)
    const shared =
      results !== undefined && areShared(results) ? await databaseOwner(identity, apiKey, input) : undefined
    const seal = await resultsSeal(this.config.dataDir)
    return { profile: identity.mark, seal, account: shared?.account, content: shared?.content }
  }

  private resultsFile({ source }: Pick<Bulk<never>, 'source'>, { results }: BulkFlags): string {
    return results ?? defaultResultsFile(source, this.config.dataDir, this.session.nowMs())
  }

  /** Checks all rows of a run, and what they would bring about. */
  private async dryRunAll<Input>(
    bulk: Bulk<Input>,
    warnings: RowWarnings,
    owner: Awaited<ReturnType<BulkCommand['ownerOf']>>,
    flags: BulkFlags,
  ): Promise<undefined> {
    const client = await this.session.client({ pacer: createPacer() })
    const action = bulk.action(client)
    const results = this.resultsFile(bulk, flags)
    const header = { operation: action.operation, ...owner }
    const isSettled = await (areShared(results)
      ? checkSharedRecord(results, { ...header, input: basename(bulk.source) }, this.session.context.env)
      : checkRunRecord(pathOf(this.session.context, results), header)
    ).catch((error) => foreign(error, results))
    const effects = bulk.effects?.(client, true)
    const isReady = await showRowChecks(
      bulk.rows(client),
      { action, check: (input) => bulk.check(input, bulk.nowMs), warnings, effects, isSettled },
      this.session.output,
      this.session.notices,
    )
    this.sayKept(bulk)
    throwIf(effects?.refusal?.())
    this.session.endWith(isReady ? exitCodes.done : exitCodes.otherOutcome)
    return undefined
  }

  /** Says in which zones the times of a single order were read. */
  protected sayClocks(forms: { clocks?: { text: string } | undefined } | undefined): void {
    const text = forms?.clocks?.text ?? ''
    if (text !== '') this.session.notices.notice(`${text}.`)
  }

  private sayKept({ kept }: Pick<Bulk<never>, 'kept'>): void {
    if (kept !== undefined && kept.text !== '') this.session.notices.notice(`${kept.text}.`)
  }

  /** The effects of the rows before any is sent; of the first rows only, unless all are read. */
  private async effectsOf<Input>(
    { rows, look, looksAtAll, action, check, nowMs, effects, kept }: Bulk<Input>,
    warnings: RowWarnings,
  ): Promise<{ effects: RowEffects<Input> | undefined; text: string }> {
    const client = await this.session.client({ pacer: createPacer() })
    const judge = new RowJudge(action(client), (input) => check(input, nowMs))
    const sum = effects?.(client, false)
    const most = looksAtAll === undefined ? rowsInQuestion : Number.POSITIVE_INFINITY
    let count = 0
    let repeated = 0
    let unsendable = 0
    for await (const batch of warnings.watch(typeof look === 'function' ? await look() : rows(client))) {
      const sendable: Input[] = []
      for (const row of batch) {
        const judged = judge.judge(row)
        if (judged.failure !== undefined) unsendable++
        else if (judged.isRepeated) repeated++
        else sendable.push(judged.prepared.input)
      }
      const read = sendable.slice(0, most - count)
      await sum?.read(read)
      count += read.length
      if (count === most) break
    }
    const rowsText =
      count < most ? `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}` : `the first ${count} rows`
    const others = [
      repeated === 0 ? '' : repeatedText(repeated),
      unsendable === 0 ? '' : `${unsendable.toLocaleString('en-US')} cannot be sent`,
    ]
    const which = [rowsText, ...others].filter(Boolean).join(', ')
    return {
      effects: sum,
      text: [[which, sum?.text].filter(Boolean).join(': '), kept?.text].filter(Boolean).join('; '),
    }
  }
}

/** The same with the names of a sheet's columns in each error. */
function withOwnColumns<Input>(bulk: Bulk<Input>, own: OwnColumns): Bulk<Input> {
  const { look } = bulk
  return {
    ...bulk,
    rows: (client) => own.rows(bulk.rows(client)),
    action: (client) => own.action(bulk.action(client)),
    check: (input, nowMs) => own.refusals(bulk.check(input, nowMs)),
    warn: (value) => own.refusals(bulk.warn(value)),
    ...(typeof look === 'function' && { look: async () => own.rows(await look()) }),
  }
}

/** An action that sends no row which is refused without the service. */
function refusing<Input>(action: RowAction<Input>, check: RowCheck<Input>): RowAction<Input> {
  return {
    ...action,
    prepare(value) {
      const prepared = action.prepare(value)
      const refusal = refusalOf(check(prepared.input))
      if (refusal !== undefined) throw refusal
      return prepared
    },
  }
}

/** Names the ways out of results that are not this account's and this machine's. */
async function foreign(error: unknown, results: string): Promise<never> {
  const { withWaysOut } = await import('./accept-results.js')
  throw withWaysOut(error, results)
}

function throwIf(refusal: Error | undefined): void {
  if (refusal !== undefined) throw refusal
}
