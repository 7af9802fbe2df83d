import { BaseCommand } from '../../cli/command/base-command.js'
import { profileRows, profilesOf } from '../../cli/profiles/stored-secrets.js'
import { type ProfileRow, profileList } from '../../render/profile-view.js'

export default class ListProfiles extends BaseCommand {
  static override summary = 'List profiles; * marks the current one.'
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list -q']

  async run(): Promise<ProfileRow[]> {
    await this.parse(ListProfiles)
    const rows = profileRows(profilesOf(this.session))
    await this.session.show(profileList, rows)
    return rows
  }
}
