import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { withAssignments } from '../../cli/input/assignments.js'
import { byName } from '../../cli/installations/by-name.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { answerView } from '../../render/cards.js'

export default class InstallationPolicy extends BaseCommand {
  static override summary = 'Change the access policy of an installation; affects active deliveries.'
  static override examples = [
    '<%= config.bin %> sandbox policy FTBRAGG --set fpconLevel=charlie',
    '<%= config.bin %> sandbox policy FTBRAGG --set acceptingDeliveries=false',
    '<%= config.bin %> sandbox policy FTBRAGG --set gates.1.hours="Mon-Fri 08:00-16:00"',
  ]
  static override args = { code: Args.string({ description: 'Installation code', required: true, ignoreStdin: true }) }
  static override flags = {
    set: Flags.string({
      summary: 'path=value; repeatable',
      helpValue: 'PATH=VALUE',
      required: true,
      ...repeatable,
    }),
  }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(InstallationPolicy)
    const change = withAssignments({}, flags.set)
    const control = await controlOf(this.session)
    const answer = await byName(
      this.session,
      args.code,
      (code) => control('PUT', `/installations/${encodeURIComponent(code)}`, change),
      { mayCall: false },
    )
    await this.session.show(answerView, answer)
    return answer
  }
}
