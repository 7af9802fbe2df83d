import { basename } from 'node:path'
import { Flags } from '@oclif/core'
import { type InputRow, type RowAction, type Rows, type RunSummary, runExitCode } from '../../bulk/index.js'
import {
  checkRunRecord,
  checkSharedRecord,
  defaultConcurrency,
  settledOf,
  severalAccounts,
} from '../../bulk/internal.js'
import { type Client, createPacer } from '../../client/index.js'
import { runView } from '../../render/run-view.js'
import { pathOf } from '../input/read.js'
import type { Notices } from '../output/notices.js'
import { exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import { bulkRun, defaultResultsFile } from './bulk-run.js'
import { Doubts } from './doubts.js'
import { type RowCheck, RowJudge, refusalOf, repeatedText, showRowChecks } from './dry-run-rows.js'
import { sayGone } from './gone-orders.js'
import { assertRejectable, commandAgain, type RejectsPlace, rejectsFlag, writeRejects } from './rejects.js'
import { areShared, type RunOperation, resultsBeside, withoutPassword } from './results-place.js'
import type { RowEffects } from './row-effects.js'
import { type RowWarning, RowWarnings } from './row-warnings.js'
import { OwnColumns } from './table-reading.js'

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
  'dry-run': boolean
  yes: boolean
}

/** How the file of a run is read, as far as the run has to know. */
interface TableReading {
  columns?: ReadonlyMap<string, string> | undefined
  encoding?: string | undefined
  sheet?: string | undefined
  hiddenRows?: 'read' | 'skip' | undefined
  /** Takes what a dry run doubts. */
  doubts?: Doubts | undefined
}

/** What a second reading of the file has to know. */
export function writtenAs({ encoding, sheet, hiddenRows: hidden }: TableReading = {}) {
  return { encoding, sheet, hidden }
}

/** Rows, what becomes of each, and what all of them bring about. */
export interface Bulk<Input> {
  operation: RunOperation
  rows: {
    /** The source of the rows: a file's name, or `-` for what can be read only once. */
    source: string
    /** Opens the rows; the client is for what the service has to be asked about them. */
    open(client: Client): Rows
    /** Opens the rows to look at them before the run, if `open` can be used only once; `never` if they cannot be opened again. */
    again?: (() => Promise<Rows>) | 'never'
    /** How a sheet is read: errors name its columns, and a dry run says what it doubts. */
    reading?: TableReading | undefined
    /** Counts the values that rows keep against flags, for a notice. */
    kept?: { readonly text: string; fillingFlag(field: string): string | undefined } | undefined
  }
  judge: {
    action(client: Client): RowAction<Input>
    /** Finds the faults of a row that can be found without the service. */
    check: RowCheck<Input>
    /** Warnings for a row as it is read; it is sent all the same. */
    warn: RowWarning
    /** Whether windows are compared with the service's time before the run; in the run, the service decides which are over. */
    judgesWindows?: boolean
  }
  effects: {
    /** The question on production, such as `Cancel every delivery of the input`. */
    question: string
    /** The effects of the rows, for the question on production and the dry run. */
    of?: (client: Client, isDryRun: boolean) => RowEffects<Input>
    /** Reads all rows for the question; also without a question if the effects have a limit. */
    readsAll?: 'for the question' | 'always'
    /** Whether looking at the rows sends nothing: the question is then complete without a terminal too. */
    readsLocally?: boolean
    /** The cost of the rows of this run so far, such as ` for $2,104.50 without tips, tips $310.00`. */
    spent?: () => string
  }
}

/** What the parts of one run share. */
interface Run {
  session: Session
  flags: BulkFlags
  warnings: RowWarnings
  /** Results and record of the run: a file, or a database. */
  results: string
  belonging: Belonging
}

/** Whose the results are: what authenticates them here, and what tells the account and the input in a database. */
type Belonging = Awaited<ReturnType<typeof belongingOf>>

/** Executes a bulk run, or with `--dry-run` checks all rows without sending anything. */
export async function carryOutAll<Input>(session: Session, given: Bulk<Input>, flags: BulkFlags): Promise<undefined> {
  const bulk = withOwnColumns(given)
  const { source } = bulk.rows
  session.output.checkColumns(runView)
  const beside = defaultResultsFile(source, session.config.dataDir, session.nowMs())
  const results = flags.results ?? (source === '-' ? beside : resultsBeside(session.context, beside, bulk.operation))
  const rejects = rejectsPlace(source, results, flags)
  if (rejects !== undefined) assertRejectable(session.context, rejects)
  const belonging = await belongingOf(session, source, flags.results)
  const doubts = flags['dry-run'] ? (bulk.rows.reading?.doubts ?? new Doubts()) : undefined
  const warnings = new RowWarnings(bulk.judge.warn, session.notices, doubts)
  const run: Run = { session, flags, warnings, results, belonging }
  if (doubts !== undefined) return dryRunAll(bulk, run, doubts)
  if (!(await isConfirmed(bulk, run))) return undefined
  const summary = await sendAll(bulk, run)
  sayKept(bulk, session.notices)
  if (bulk.operation === 'createDelivery' && summary.stopped === undefined) await sayGone(session, results)
  if (rejects !== undefined)
    await writeRejects(session, {
      ...rejects,
      ...writtenAs(bulk.rows.reading),
      again: commandAgain(session.words, rejects.rejects),
      owner: belonging.account && { account: belonging.account, content: belonging.content },
    })
  session.endWith(runExitCode(summary))
  return undefined
}

function rejectsPlace(source: string, results: string, flags: BulkFlags): RejectsPlace | undefined {
  const { rejects, overwrite, 'map-file': mapFile } = flags
  return rejects === undefined ? undefined : { source, results, rejects, overwrite, others: [mapFile] }
}

async function belongingOf(session: Session, source: string, results: string | undefined) {
  const [identity, { resultsSeal, databaseOwner }] = await Promise.all([
    session.account.identity(),
    import('../accounts/database-account.js'),
  ])
  const { apiKey } = await session.account.settings()
  const input = source === '-' ? undefined : pathOf(session.context, source)
  const shared = results !== undefined && areShared(results) ? await databaseOwner(identity, apiKey, input) : undefined
  const seal = await resultsSeal(session.config.dataDir)
  return { owner: identity.mark, seal, account: shared?.account, content: shared?.content }
}

/** Checks all rows of a run, and what they would bring about. */
async function dryRunAll<Input>(
  { rows, judge, effects }: Bulk<Input>,
  { session, warnings, results, belonging }: Run,
  doubts: Doubts,
): Promise<undefined> {
  const client = await session.client({ pacer: createPacer() })
  const action = judge.action(client)
  const header = { operation: action.operation, ...belonging }
  const { accountRows, env } = session.context
  const check = async () => {
    if (areShared(results)) return checkSharedRecord(results, { ...header, input: basename(rows.source) }, env)
    const path = pathOf(session.context, results)
    if (accountRows === undefined) return checkRunRecord(path, header)
    const account = { profile: accountRows.profile, mark: belonging.owner }
    return settledOf(account, await checkRunRecord(path, { ...header, owner: severalAccounts }))
  }
  const isSettled = await check().catch((error) => foreign(error, results))
  const sum = effects.of?.(client, true)
  const windows = new WindowClock(session, judge.judgesWindows)
  const isReady = await showRowChecks(
    windows.rows(rows.open(client)),
    { action, check: (input) => judge.check(input, windows.nowMs), warnings, doubts, effects: sum, isSettled },
    session.output,
    session.notices,
  )
  sayKept({ rows }, session.notices)
  doubts.say(session.notices)
  throwIf(sum?.refusal?.())
  session.endWith(isReady ? exitCodes.done : exitCodes.otherOutcome)
  return undefined
}

/** The time that the windows of rows are compared with: it is asked before the first row that has one. */
class WindowClock {
  nowMs: number | undefined

  constructor(
    private readonly session: Session,
    private readonly isWanted = false,
  ) {}

  rows(rows: Rows): Rows {
    return this.isWanted ? { reading: rows.reading, [Symbol.asyncIterator]: () => this.timed(rows) } : rows
  }

  private async *timed(rows: Rows): AsyncGenerator<readonly InputRow[]> {
    for await (const batch of rows) {
      for (const row of batch)
        if (this.nowMs === undefined && 'value' in row) this.nowMs = await this.session.windowsNowMs(row.value)
      yield batch
    }
  }
}

/** Looks at the rows as far as a limit or the question on production needs it, and asks. */
async function isConfirmed<Input>(bulk: Bulk<Input>, { session, flags, warnings }: Run): Promise<boolean> {
  const { rows, effects } = bulk
  let looked: ReturnType<typeof effectsOf> | undefined
  const look = () => {
    looked ??= effectsOf(session, bulk, warnings)
    return looked
  }
  if (effects.readsAll === 'always') throwIf((await look()).sum?.refusal?.())
  const details =
    effects.of === undefined || rows.again === 'never'
      ? undefined
      : async (mayAsk: boolean) => (mayAsk || effects.readsLocally ? (await look()).text : '')
  return session.account.confirmOnProduction(effects.question, flags.yes, details)
}

/** The effects of the rows before any is sent; of the first rows only, unless all are read. */
async function effectsOf<Input>(
  session: Session,
  { rows, judge: judging, effects }: Bulk<Input>,
  warnings: RowWarnings,
): Promise<{ sum: RowEffects<Input> | undefined; text: string }> {
  const client = await session.client({ pacer: createPacer() })
  const windows = new WindowClock(session, judging.judgesWindows)
  const judge = new RowJudge(judging.action(client), (input) => judging.check(input, windows.nowMs))
  const sum = effects.of?.(client, false)
  const most = effects.readsAll === undefined ? rowsInQuestion : Number.POSITIVE_INFINITY
  let count = 0
  let repeated = 0
  let unsendable = 0
  const { again, open, kept } = rows
  const all = windows.rows(typeof again === 'function' ? await again() : open(client))
  for await (const batch of warnings.watch(all)) {
    const sendable: Input[] = []
    for (const row of batch) {
      const judged = judge.judge(row)
      if (judged.failure !== undefined) unsendable++
      else if (judged.repeats !== undefined) repeated++
      else sendable.push(judged.prepared.input)
    }
    const read = sendable.slice(0, most - count)
    await sum?.read(read)
    count += read.length
    if (count === most) break
  }
  const rowsText =
    count < most
      ? `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}`
      : `the first ${count.toLocaleString('en-US')} rows`
  const others = [
    repeated === 0 ? '' : repeatedText(repeated),
    unsendable === 0 ? '' : `${unsendable.toLocaleString('en-US')} cannot be sent`,
  ]
  const which = [rowsText, ...others].filter(Boolean).join(', ')
  return { sum, text: [[which, sum?.text].filter(Boolean).join(': '), kept?.text].filter(Boolean).join('; ') }
}

/** Sends the rows, and resumes what an earlier run has left. */
async function sendAll<Input>(
  { rows, judge, effects }: Bulk<Input>,
  { session, flags, warnings, results, belonging }: Run,
): Promise<RunSummary> {
  const pacer = createPacer()
  const signal = session.takeSignals()
  const { concurrency = defaultConcurrency } = flags
  // Each pauses for a moment after an answer: without a limit, twice as many would be opened.
  const client = await session.client({ pacer, connections: concurrency, limit: 'each' })
  const path = areShared(results) ? undefined : pathOf(session.context, results)
  if (flags['accept-results'] && path !== undefined) {
    const { acceptResults } = await import('./accept-results.js')
    await acceptResults(path, { operation: judge.action(client).operation, ...belonging }, client, session.notices)
  }
  return bulkRun(
    {
      context: session.context,
      rows: rows.open(client),
      warnings,
      pacer,
      ...belonging,
      signal,
      action: refusing(judge.action(client), judge.check),
      resultsFile: results,
      rejects: flags.rejects,
      encoding: rows.reading?.encoding,
      input: rows.source,
      isResumable: rows.source !== '-' || flags.results !== undefined,
      concurrency,
      spent: effects.spent,
      ...session.timeLimits(),
    },
    session.output,
    session.notices,
  ).catch((error) => foreign(error, results))
}

function sayKept({ rows: { kept } }: Pick<Bulk<never>, 'rows'>, notices: Notices): void {
  if (kept !== undefined && kept.text !== '') notices.notice(`${kept.text}.`)
}

/** The same with the names of a sheet's columns in each error. */
function withOwnColumns<Input>(bulk: Bulk<Input>): Bulk<Input> {
  const { rows, judge } = bulk
  const columns = rows.reading?.columns
  if (columns === undefined) return bulk
  const own = new OwnColumns(columns, (field) => rows.kept?.fillingFlag(field))
  const { again } = rows
  return {
    ...bulk,
    rows: {
      ...rows,
      open: (client) => own.rows(rows.open(client)),
      ...(typeof again === 'function' && { again: async () => own.rows(await again()) }),
    },
    judge: {
      ...judge,
      action: (client) => own.action(judge.action(client)),
      check: (input, nowMs) => own.refusals(judge.check(input, nowMs)),
      warn: (value) => own.refusals(judge.warn(value)),
    },
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
