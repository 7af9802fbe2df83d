import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { resentList } from '../../render/sandbox-lists.js'

export default class ResendEvent extends BaseCommand {
  static override summary = "Send an event's webhook again, with a new signature."
  static override examples = ['<%= config.bin %> sandbox resend evt_01ABC']
  static override args = { event: Args.string({ description: 'Event id', required: true, ignoreStdin: true }) }

  async run(): Promise<unknown> {
    const { args } = await this.parse(ResendEvent)
    const control = await controlOf(this.session)
    const { attempts } = (await control('POST', `/events/${encodeURIComponent(args.event)}/resend`)) as {
      attempts: unknown[]
    }
    await this.session.show(resentList, attempts)
    return attempts
  }
}
