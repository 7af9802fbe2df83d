import { Args } from '@oclif/core'
import { rowsView, SandboxCommand } from '../../cli/sandbox/sandbox-command.js'

const attemptList = rowsView(
  'eventId',
  ['eventId', 'attempt', 'statusCode', 'durationMs', 'outcome', 'error'],
  'No receiver is registered: dlv sandbox endpoints add URL',
)

export default class ResendEvent extends SandboxCommand {
  static override summary = "Send an event's webhook again, with a new signature."
  static override examples = ['<%= config.bin %> sandbox resend evt_01ABC']
  static override args = { event: Args.string({ description: 'Event id', required: true, ignoreStdin: true }) }

  async run(): Promise<unknown> {
    const { args } = await this.parse(ResendEvent)
    const steer = await this.steer()
    const { attempts } = (await steer('POST', `/events/${encodeURIComponent(args.event)}/resend`)) as {
      attempts: unknown[]
    }
    await this.show(attemptList, attempts)
    return attempts
  }
}
