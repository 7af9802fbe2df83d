import { ProfileCommand } from '../../cli/profiles/profile-command.js'
import { profileRows } from '../../cli/profiles/profile-rows.js'
import { type ProfileRow, profileList } from '../../render/profile-view.js'

export default class ListProfiles extends ProfileCommand {
  static override summary = 'List profiles; * marks the current one.'
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list -q']

  async run(): Promise<ProfileRow[]> {
    await this.parse(ListProfiles)
    const rows = profileRows(this.profiles())
    await this.session.show(profileList, rows)
    return rows
  }
}
