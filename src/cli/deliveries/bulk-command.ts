import { Flags } from '@oclif/core'
import { type RowAction, type Rows, runExitCode } from '../../bulk/index.js'
import { type Client, createPacer } from '../../client/index.js'
import { runView } from '../../render/run-view.js'
import { ApiCommand } from '../command/api-command.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import { bulkRun, defaultResultsFile } from './bulk-run.js'
import { type RowCheck, showRowChecks } from './dry-run-rows.js'

const helpGroup = 'run'

/** Flags of a bulk run. */
export const bulkFlags = {
  concurrency: Flags.integer({
    summary: 'Maximum concurrent requests (default 64)',
    min: 1,
    max: 1_024,
    helpGroup,
    helpValue: 'N',
  }),
  results: Flags.string({ summary: 'Results file, from which a run resumes', helpGroup, helpValue: 'FILE' }),
}

export interface BulkFlags {
  concurrency?: number | undefined
  results?: string | undefined
  'dry-run': boolean
  yes: boolean
}

/** Rows, and what to do with each. */
export interface Bulk<Input> {
  rows: Rows
  /** The source of the rows: a file's name, or `-`. */
  source: string
  /** The question on production, such as `Cancel every delivery of the input`. */
  question: string
  action(client: Client, profile: string): RowAction<Input>
  /** What is wrong with a row, as far as it can be known without the service. */
  check: RowCheck<Input>
}

/** A command for one delivery or many. */
export abstract class BulkCommand extends ApiCommand {
  /** Executes a bulk run, or with `--dry-run` checks all rows without sending anything. */
  protected async carryOutAll<Input>(bulk: Bulk<Input>, flags: BulkFlags): Promise<undefined> {
    this.output.checkColumns(runView)
    const { profile } = await this.settings()
    if (flags['dry-run']) {
      const action = bulk.action(await this.api(), profile)
      const isReady = await showRowChecks(bulk.rows, action, bulk.check, this.output, this.notices)
      this.endWith(isReady ? exitCodes.done : exitCodes.otherOutcome)
      return undefined
    }
    if (!(await this.confirmOnProduction(bulk.question, flags.yes))) return undefined
    const pacer = createPacer()
    const signal = this.takeSignals()
    const client = await this.api({ pacer })
    const summary = await bulkRun(
      {
        context: this.context,
        rows: bulk.rows,
        pacer,
        profile,
        signal,
        action: bulk.action(client, profile),
        resultsFile: flags.results ?? defaultResultsFile(bulk.source, this.config.dataDir, this.nowMs()),
        isResumable: bulk.source !== '-' || flags.results !== undefined,
        concurrency: flags.concurrency,
        ...this.timeLimits(),
      },
      this.output,
      this.notices,
    )
    this.endWith(runExitCode(summary) as ExitCode)
    return undefined
  }
}
