import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf, stateName } from '../../cli/sandbox/control.js'
import { answerView } from '../../render/cards.js'

export default class ResetSandbox extends BaseCommand {
  static override summary = 'Delete everything in the sandbox and start again with its fixtures.'
  static override description = 'Asks first on a terminal; elsewhere it needs --yes. Snapshots stay.'
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --yes --keep-endpoints',
  ]
  static override flags = {
    'keep-endpoints': Flags.boolean({ summary: 'Keep the webhook endpoints' }),
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask' }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(ResetSandbox)
    const text = `Delete everything in the sandbox ${await stateName(this.session)}?`
    if (!flags.yes && !(await this.session.confirmed(text, { undone: 'Nothing was deleted.' }))) return undefined
    const control = await controlOf(this.session, { replaceDamaged: true })
    const answer = await control('POST', '/reset', { keepEndpoints: flags['keep-endpoints'] })
    await this.session.show(answerView, answer)
    return answer
  }
}
