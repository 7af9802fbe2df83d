import { Args, Flags } from '@oclif/core'
import { parseTime } from '../../cli/input/durations.js'
import { SandboxCommand } from '../../cli/sandbox/sandbox-command.js'
import { UsageError } from '../../contract/index.js'
import { answerView } from '../../render/answer-view.js'

export default class SandboxClock extends SandboxCommand {
  static override summary = "Show or move the sandbox's clock. Everything due in between happens, in order."
  static override examples = [
    '<%= config.bin %> sandbox clock',
    '<%= config.bin %> sandbox clock advance 25h',
    '<%= config.bin %> sandbox clock set 2026-03-02T09:00:00Z',
    '<%= config.bin %> sandbox clock --scale 60',
  ]
  static override args = {
    verb: Args.string({ description: 'advance or set', options: ['advance', 'set'], ignoreStdin: true }),
    value: Args.string({ description: 'Duration such as 25h, or a time', ignoreStdin: true }),
  }
  static override flags = { scale: Flags.integer({ summary: 'Sandbox seconds per real second', min: 0 }) }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(SandboxClock)
    if (args.verb !== undefined && args.value === undefined)
      throw new UsageError(`clock ${args.verb} requires a value.`)
    const change = {
      ...(args.verb === 'advance' ? { advance: args.value } : {}),
      ...(args.verb === 'set' ? { set: parseTime(args.value ?? '', 'clock set', this.nowMs()) } : {}),
      ...(flags.scale === undefined ? {} : { scale: flags.scale }),
    }
    const steer = await this.steer()
    const clock = await (Object.keys(change).length === 0 ? steer('GET', '/clock') : steer('POST', '/clock', change))
    await this.show(answerView, clock)
    return clock
  }
}
