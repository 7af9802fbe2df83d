import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { parseSwitches } from '../../cli/sandbox/switches.js'
import { type SwitchRow, switchesView } from '../../render/sandbox-view.js'

interface Switches {
  switches: Record<string, string | number>
  defaults: Record<string, string | number>
  choices: Record<string, readonly string[]>
  summaries: Record<string, string>
}

export default class SandboxSwitches extends BaseCommand {
  static override summary = 'Show or set how the sandbox reads ambiguous parts of the contract.'
  static override examples = [
    '<%= config.bin %> sandbox switches',
    '<%= config.bin %> sandbox switches duplicates=active lookupShape=array',
  ]
  static override strict = false
  static override args = {
    setting: Args.string({ description: 'name=value; several are possible', ignoreStdin: true }),
  }

  async run(): Promise<SwitchRow[]> {
    const { argv } = await this.parse(SandboxSwitches)
    const changes = parseSwitches(argv.map(String))
    const control = await controlOf(this.session)
    const answer = (await (Object.keys(changes).length === 0
      ? control('GET', '/switches')
      : control('POST', '/switches', changes))) as Switches
    const rows = Object.entries(answer.switches).map(([name, value]) => ({
      name,
      value,
      default: answer.defaults[name] ?? '',
      choices: answer.choices[name] ?? null,
      summary: answer.summaries[name] ?? '',
    }))
    await this.session.show(switchesView, rows)
    return rows
  }
}
