import { ApiCommand } from '../../cli/command/api-command.js'
import { profileRows } from '../../cli/profiles/profile-rows.js'
import { readProfiles } from '../../profiles/index.js'
import { type ProfileRow, profileList } from '../../render/profile-view.js'

export default class ListProfiles extends ApiCommand {
  static override summary = 'List the accounts; * marks the current one.'
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list -q']

  async run(): Promise<ProfileRow[]> {
    await this.parse(ListProfiles)
    const rows = profileRows(readProfiles(this.config.configDir))
    await this.show(profileList, rows)
    return rows
  }
}
