import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { readAliases, writeAliases } from '../../cli/user-commands/aliases.js'
import { UsageError } from '../../contract/index.js'

export default class RemoveAlias extends BaseCommand {
  static override summary = 'Remove an alias.'
  static override aliases = ['alias:delete']
  static override examples = ['<%= config.bin %> alias remove late']
  static override args = {
    name: Args.string({ description: 'Name of the alias', required: true, ignoreStdin: true }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(RemoveAlias)
    const aliases = readAliases(this.config.configDir)
    if (!aliases.delete(args.name))
      throw new UsageError(`There is no alias "${args.name.slice(0, 80)}".`, { hint: 'dlv alias list shows all.' })
    writeAliases(this.config.configDir, aliases)
    this.session.notices.notice(`Removed the alias ${args.name}.`)
  }
}
