import { Flags } from '@oclif/core'
import { type RowAction, type Rows, runExitCode } from '../../bulk/index.js'
import { defaultConcurrency } from '../../bulk/internal.js'
import { type Client, createPacer } from '../../client/index.js'
import { UsageError } from '../../contract/index.js'
import { runView } from '../../render/run-view.js'
import { ApiCommand } from '../command/api-command.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import { bulkRun, defaultResultsFile } from './bulk-run.js'
import { type RowCheck, showRowChecks } from './dry-run-rows.js'
import type { RowEffects } from './effects/row-effects.js'
import { withoutPassword } from './results-place.js'

const helpGroup = 'run'

/** The number of rows that are looked at for the question on production; --dry-run looks at all of them. */
const rowsInQuestion = 200

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
}

export interface BulkFlags {
  concurrency?: number | undefined
  results?: string | undefined
  'dry-run': boolean
  yes: boolean
}

/** Rows, and what to do with each. */
export interface Bulk<Input> {
  /** Opens the rows; the client is for what the service has to be asked about them. */
  rows(client: Client): Rows
  /** The source of the rows: a file's name, or `-`. */
  source: string
  /** The question on production, such as `Cancel every delivery of the input`. */
  question: string
  action(client: Client, profile: string): RowAction<Input>
  /** What is wrong with a row, as far as it can be known without the service. */
  check: RowCheck<Input>
  /** What the rows would bring about, for the question on production and the dry run. */
  effects?: (client: Client) => RowEffects<Input>
}

/** A command for one delivery or many. */
export abstract class BulkCommand extends ApiCommand {
  /** Executes a bulk run, or with `--dry-run` checks all rows without sending anything. */
  protected async carryOutAll<Input>(bulk: Bulk<Input>, flags: BulkFlags): Promise<undefined> {
    this.output.checkColumns(runView)
    const { profile } = await this.settings()
    if (flags['dry-run']) {
      const client = await this.api({ pacer: createPacer() })
      const action = bulk.action(client, profile)
      const effects = bulk.effects?.(client)
      const isReady = await showRowChecks(
        bulk.rows(client),
        { action, check: bulk.check, effects },
        this.output,
        this.notices,
      )
      this.endWith(isReady ? exitCodes.done : exitCodes.otherOutcome)
      return undefined
    }
    const details = bulk.effects === undefined ? undefined : () => this.effectsOf(bulk, profile)
    if (!(await this.confirmOnProduction(bulk.question, flags.yes, details))) return undefined
    const pacer = createPacer()
    const signal = this.takeSignals()
    const { concurrency = defaultConcurrency } = flags
    // Each pauses for a moment after an answer: without a limit, twice as many would be opened.
    const client = await this.api({ pacer, connections: concurrency, limitEach: true })
    const summary = await bulkRun(
      {
        context: this.context,
        rows: bulk.rows(client),
        pacer,
        profile,
        signal,
        action: bulk.action(client, profile),
        resultsFile: flags.results ?? defaultResultsFile(bulk.source, this.config.dataDir, this.nowMs()),
        input: bulk.source,
        isResumable: bulk.source !== '-' || flags.results !== undefined,
        concurrency,
        ...this.timeLimits(),
      },
      this.output,
      this.notices,
    )
    this.endWith(runExitCode(summary) as ExitCode)
    return undefined
  }

  /** What the first rows would bring about, for a question. */
  private async effectsOf<Input>({ rows, action, effects }: Bulk<Input>, profile: string): Promise<string> {
    const client = await this.api({ pacer: createPacer() })
    const { prepare } = action(client, profile)
    const sum = effects?.(client)
    let count = 0
    let unsendable = 0
    for await (const batch of rows(client)) {
      const inputs = batch.flatMap((row) => ('value' in row ? [inputOf(prepare, row.value)] : []))
      const known = inputs.filter((input) => input !== undefined).slice(0, rowsInQuestion - count)
      unsendable += batch.length - inputs.filter((input) => input !== undefined).length
      await sum?.read(known)
      count += known.length
      if (count === rowsInQuestion) break
    }
    const which = count < rowsInQuestion ? `${count} rows` : `the first ${count} rows`
    const others = unsendable === 0 ? '' : ` and ${unsendable} that cannot be sent`
    return [`${which}${others}`, sum?.text].filter(Boolean).join(': ')
  }
}

/** What a row asks for; `undefined` for a row that cannot be sent. */
function inputOf<Input>(prepare: RowAction<Input>['prepare'], value: unknown): Input | undefined {
  try {
    return prepare(value).input
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}
