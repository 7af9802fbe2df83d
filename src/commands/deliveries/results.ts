import { Flags } from '@oclif/core'
import type { RowResult } from '../../bulk/index.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { areShared, withoutPassword } from '../../cli/deliveries/results-place.js'
import { pathOf, unreadable } from '../../cli/input/named-file.js'
import { runView } from '../../render/run-view.js'

export default class RunResults extends BaseCommand {
  static override summary = 'Show the results of a bulk run, by row.'
  static override description =
    'Reads the results file of a run, or the database that several machines share. Each row is printed once, with its latest outcome; rows without an outcome are left out. A database can hold the runs of several inputs: name one with --file.'
  static override examples = [
    '<%= config.bin %> deliveries results --results orders.ndjson.results.ndjson',
    '<%= config.bin %> deliveries results --results postgres://dlv@db/orders -o ndjson',
    '<%= config.bin %> deliveries results --results results.ndjson --jq \'.[] | select(.outcome == "failed").row\'',
  ]
  static override flags = {
    results: Flags.string({ summary: 'Results of the run', helpValue: 'FILE|postgres://…', required: true }),
    file: Flags.string({ summary: 'Input of the run, if there are several', helpValue: 'FILE' }),
  }

  async run(): Promise<RowResult[] | undefined> {
    const { flags } = await this.parse(RunResults)
    this.output.checkColumns(runView)
    const { readFileResults, readSharedResults } = await import('../../bulk/internal.js')
    const place = withoutPassword(flags.results)
    if (areShared(place)) {
      const input = flags.file?.split(/[\\/]/).at(-1)
      await this.output.pages(runView, readSharedResults(place, input, this.context.env))
      return undefined
    }
    const path = pathOf(this.context, place)
    const results = await readFileResults(path).catch((cause: unknown) => {
      throw unreadable(this.context, flags.results, '--results', cause)
    })
    await this.output.show(runView, results)
    return undefined
  }
}
