import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { isRelativeTime, parseDurationMs, parseTime } from '../../cli/input/times.js'
import { controlOf, type SandboxControl } from '../../cli/sandbox/control.js'
import { UsageError } from '../../contract/index.js'
import { answerView } from '../../render/cards.js'

export default class SandboxClock extends BaseCommand {
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
      throw new UsageError(`clock ${args.verb} requires a value.`, {
        hint:
          args.verb === 'set'
            ? 'Such as dlv sandbox clock set 2026-03-02T15:00:00Z.'
            : 'Such as dlv sandbox clock advance 25h.',
      })
    const control = await controlOf(this.session)
    const change = {
      ...(args.verb === 'advance'
        ? { advance: `${Math.round(parseDurationMs(args.value ?? '', 'clock advance'))}ms` }
        : {}),
      ...(args.verb === 'set' ? { set: await this.timeToSet(control, args.value ?? '') } : {}),
      ...(flags.scale === undefined ? {} : { scale: flags.scale }),
    }
    const clock = await (Object.keys(change).length === 0
      ? control('GET', '/clock')
      : control('POST', '/clock', change))
    await this.session.show(answerView, clock)
    return clock
  }

  /** A relative time is relative to the sandbox's clock. */
  private async timeToSet(control: SandboxControl, text: string): Promise<string> {
    const nowMs = isRelativeTime(text)
      ? Date.parse(((await control('GET', '/clock')) as { now: string }).now)
      : this.session.nowMs()
    return parseTime(text, 'clock set', nowMs)
  }
}
