import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { withAssignments } from '../../cli/input/assignments.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { UsageError } from '../../contract/index.js'
import { answerView } from '../../render/cards.js'

export default class SandboxDriver extends BaseCommand {
  static override summary = 'Add, update or remove a driver of the fleet, and send its events.'
  static override examples = [
    '<%= config.bin %> sandbox driver drv_01 --set onDuty=false',
    '<%= config.bin %> sandbox driver drv_new --set name="Nia W." --set teams=\'["team_north"]\'',
    '<%= config.bin %> sandbox driver drv_new --remove',
  ]
  static override args = { id: Args.string({ description: 'Driver id', required: true, ignoreStdin: true }) }
  static override flags = {
    set: Flags.string({
      summary: 'path=value; repeatable',
      helpValue: 'PATH=VALUE',
      ...repeatable,
      exclusive: ['remove'],
    }),
    remove: Flags.boolean({ summary: 'Remove the driver' }),
  }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(SandboxDriver)
    if (flags.set === undefined && !flags.remove)
      throw new UsageError('Expected --set PATH=VALUE or --remove.', { hint: 'Such as --set onDuty=false.' })
    const change = withAssignments({}, flags.set ?? [])
    const control = await controlOf(this.session)
    const path = `/drivers/${encodeURIComponent(args.id)}`
    const driver = await (flags.remove ? control('DELETE', path) : control('PUT', path, change))
    await this.session.show(answerView, driver)
    return driver
  }
}
