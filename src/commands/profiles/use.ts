import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { notFound, profileRows, profilesOf } from '../../cli/profiles/stored-secrets.js'
import { changeProfiles, overrideOf } from '../../profiles/index.js'
import { type ProfileRow, profileView } from '../../render/profile-view.js'

export default class UseProfile extends BaseCommand {
  static override summary = 'Make a profile the current one.'
  static override examples = ['<%= config.bin %> profiles use acme', '<%= config.bin %> profiles use local']
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }

  async run(): Promise<ProfileRow> {
    const { args } = await this.parse(UseProfile)
    const { name } = args
    const rows = profileRows({ ...profilesOf(this.session), current: name })
    const row = rows.find((candidate) => candidate.name === name)
    if (row === undefined)
      throw notFound(
        name,
        rows.map((candidate) => candidate.name),
      )
    await changeProfiles(this.config.configDir, (before) => ({ ...before, current: name }))
    const { env, cwd } = this.session.context
    const override = overrideOf(name, { env, cwd, configDir: this.config.configDir })
    if (override !== undefined) this.session.notices.warn(override)
    await this.session.show(profileView, row)
    return row
  }
}
