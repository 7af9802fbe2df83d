import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { attemptList } from '../../render/sandbox-lists.js'

export default class SandboxAttempts extends BaseCommand {
  static override summary = 'List webhook attempts with their responses.'
  static override examples = ['<%= config.bin %> sandbox attempts', '<%= config.bin %> sandbox attempts evt_01ABC']
  static override args = { event: Args.string({ description: 'Only this event', ignoreStdin: true }) }

  async run(): Promise<unknown> {
    const { args } = await this.parse(SandboxAttempts)
    const control = await controlOf(this.session)
    const query = args.event === undefined ? '' : `?eventId=${encodeURIComponent(args.event)}`
    const { attempts } = (await control('GET', `/attempts${query}`)) as { attempts: unknown[] }
    await this.session.show(attemptList, attempts)
    return attempts
  }
}
