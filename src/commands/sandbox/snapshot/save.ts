import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { canAsk } from '../../../cli/process/terminal.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { ApiError } from '../../../contract/index.js'
import { answerView } from '../../../render/cards.js'

export default class SaveSnapshot extends BaseCommand {
  static override summary = 'Save a named copy of the state.'
  static override examples = [
    '<%= config.bin %> sandbox snapshot save before-test',
    '<%= config.bin %> sandbox snapshot save before-test --force',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the snapshot', required: true, ignoreStdin: true }),
  }
  static override flags = { force: Flags.boolean({ summary: 'Overwrite a snapshot of the same name' }) }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(SaveSnapshot)
    const control = await controlOf(this.session)
    const save = (force: boolean) => control('POST', `/snapshots/${encodeURIComponent(args.name)}`, { force })
    let answer: unknown
    try {
      answer = await save(flags.force)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'SNAPSHOT_EXISTS') throw error
      if (!(await this.mayOverwrite(error))) return undefined
      answer = await save(true)
    }
    await this.session.show(answerView, answer)
    return answer
  }

  /** Asks a person; otherwise throws the error with the flag that overwrites. */
  private async mayOverwrite(error: ApiError): Promise<boolean> {
    const noInput = this.session.flags['no-input']
    if (!canAsk(this.session.context, noInput))
      throw new ApiError(error.message, { ...error, hint: 'Overwrite it with --force.' })
    return this.session.confirmed(`${error.message} Overwrite it?`, { flag: '--force', undone: 'Nothing was saved.' })
  }
}
