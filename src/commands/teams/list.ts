import { ApiCommand } from '../../cli/command/api-command.js'
import type { Team } from '../../contract/index.js'
import { teamList } from '../../render/service-views.js'

export default class ListTeams extends ApiCommand {
  static override summary = 'List the dispatch teams of your own fleet.'
  static override examples = ['<%= config.bin %> teams list', '<%= config.bin %> teams list -q']

  async run(): Promise<Team[]> {
    await this.parse(ListTeams)
    const client = await this.api()
    const teams = await client.listTeams()
    await this.show(teamList, teams)
    return teams
  }
}
