import { BaseCommand } from '../../cli/command/base-command.js'
import { type AliasRow, aliasList, readAliases } from '../../cli/user-commands/aliases.js'

export default class ListAliases extends BaseCommand {
  static override summary = 'List aliases.'
  static override examples = ['<%= config.bin %> alias list']

  async run(): Promise<AliasRow[]> {
    await this.parse(ListAliases)
    const rows = Array.from(readAliases(this.config.configDir), ([name, expansion]) => ({ name, expansion }))
    await this.session.show(aliasList, rows)
    return rows
  }
}
