import { Flags } from '@oclif/core'
import type { RowResult } from '../../bulk/index.js'
import { databaseOwner } from '../../cli/accounts/database-account.js'
import { defaultResultsFile, needsLook } from '../../cli/bulk/bulk-run.js'
import { assertRejectable, rejectsFlag, resultsOf, writeRejects } from '../../cli/bulk/rejects.js'
import { areShared } from '../../cli/bulk/results-place.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { pathOf } from '../../cli/input/read.js'
import { workbookFlags } from '../../cli/orders/sheets/column-map.js'
import type { Merging } from '../../cli/process/context.js'
import { UsageError } from '../../contract/index.js'
import { runView } from '../../render/run-view.js'
import { type View, withProfileColumn } from '../../render/view.js'

export default class RunResults extends BaseCommand {
  static override readsSeveral = true
  static override flagsOfOne = ['rejects']
  static override summary = 'Show the results of a bulk run, by row.'
  static override description =
    'Reads the results file of a run, or the database that several machines share. Each order is printed once, with its latest outcome, and rows that the newest run no longer had are left out unless their outcome is unknown. A database can hold the runs of several accounts and inputs: those of the account in use are read, or of several (-P a,b); name the input with --file. --rejects writes the rejected rows of --file to a file of their own.'
  static override examples = [
    '<%= config.bin %> deliveries results --file orders.csv --failed',
    '<%= config.bin %> deliveries results --file orders.csv --rejects rejected.csv',
    '<%= config.bin %> deliveries results --results postgres://dlv@db/orders -o ndjson',
    '<%= config.bin %> deliveries results --results results.ndjson --jq \'.[] | select(.outcome == "failed").row\'',
  ]
  static override flags = {
    results: Flags.string({ summary: 'Results (default: those of --file)', helpValue: 'FILE|postgres://…' }),
    file: Flags.string({ char: 'f', summary: 'Input of the run', helpValue: 'FILE' }),
    failed: Flags.boolean({ summary: 'Only rows that failed, conflict or are unknown' }),
    ...rejectsFlag,
    encoding: Flags.string({ summary: 'Encoding of --file (default utf-8)', helpValue: 'NAME' }),
    ...workbookFlags,
  }

  async run(): Promise<RowResult[] | undefined> {
    const { flags } = await this.parse(RunResults)
    this.session.output.checkColumns(runView)
    const { file, rejects, failed, encoding, sheet, hidden } = flags
    const results = flags.results ?? (file === undefined ? undefined : defaultResultsFile(file, '', 0))
    if (results === undefined)
      throw new UsageError('No results given.', { hint: 'Name the input with --file, or the results with --results.' })
    const owner = areShared(results)
      ? await databaseOwner(
          await this.session.account.identity(),
          (await this.session.account.settings({ needsKey: false })).apiKey,
          file === undefined ? undefined : pathOf(this.session.context, file),
        )
      : undefined
    if (rejects !== undefined) {
      if (file === undefined)
        throw new UsageError('--rejects needs the input of the run.', { hint: 'Name it with --file.' })
      const place = { source: file, results, rejects, overwrite: flags.overwrite }
      assertRejectable(this.session.context, place)
      await writeRejects(
        { context: this.session.context, notices: this.session.notices },
        { ...place, encoding, sheet, hidden, owner },
      )
      return undefined
    }
    const pages = resultsOf(this.session.context, results, file, owner)
    const { output, notices, flags: chosenBy } = this.session
    // A file has the rows of all accounts.
    const isOwn = ({ profile }: RowResult) => {
      if (areShared(results)) return true
      if (profile === undefined && output.isGathered)
        throw new UsageError('These results name no accounts: they are of one.', { hint: 'Leave -P out.' })
      return profile === undefined || chosenBy.profile === undefined || profile === chosenBy.profile
    }
    const chosen = async function* () {
      for await (const page of pages) yield page.filter((row) => isOwn(row) && (!failed || needsLook(row)))
    }
    const view = { ...runView, empty: 'No rows to show.' }
    if (output.isGathered) {
      await output.merged(view, chosen(), inRows)
      return undefined
    }
    const shown = await withAccounts(view, chosen())
    await output.pages(shown.view, shown.pages)
    if (shown.account !== undefined && areShared(results))
      notices.notice(`These are the rows of ${shown.account}: -P a,b shows those of several accounts.`)
    return undefined
  }
}

/** Results with the column of accounts, if the run was over several: each row has its account then. */
async function withAccounts(view: View<RowResult[]>, pages: AsyncGenerator<RowResult[]>) {
  const first = await pages.next()
  async function* all(): AsyncGenerator<RowResult[]> {
    if (first.done === true) return
    yield first.value
    yield* pages
  }
  const account = first.done === true ? undefined : first.value.find(({ profile }) => profile !== undefined)?.profile
  return { view: account === undefined ? view : withProfileColumn(view), pages: all(), account }
}

/** The rows of several accounts of a sheet, in the order of the sheet. */
const inRows: Merging<RowResult> = {
  compare: (one, other) => one.row - other.row,
  most: Number.POSITIVE_INFINITY,
  end: 'first',
  isChosen: true,
}
