import { BaseCommand } from '../../cli/command/base-command.js'
import type { Team } from '../../contract/index.js'
import { teamList } from '../../render/service-views.js'

export default class ListTeams extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List the dispatch teams of your own fleet.'
  static override examples = ['<%= config.bin %> teams list', '<%= config.bin %> teams list -q']

  async run(): Promise<Team[]> {
    await this.parse(ListTeams)
    const client = await this.session.client()
    const teams = await client.listTeams()
    await this.session.show(teamList, teams)
    return teams
  }
}
