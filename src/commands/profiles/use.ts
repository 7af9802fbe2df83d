import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { suggestions } from '../../cli/process/suggestions.js'
import { profileRows } from '../../cli/profiles/profile-rows.js'
import { UsageError } from '../../contract/index.js'
import { readProfiles, writeProfiles } from '../../profiles/index.js'
import { type ProfileRow, profileView } from '../../render/profile-view.js'

export default class UseProfile extends ApiCommand {
  static override summary = 'Make a profile the current one.'
  static override examples = ['<%= config.bin %> profiles use acme', '<%= config.bin %> profiles use local']
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }

  async run(): Promise<ProfileRow> {
    const { args } = await this.parse(UseProfile)
    const file = readProfiles(this.config.configDir)
    const rows = profileRows({ ...file, current: args.name })
    const row = rows.find(({ name }) => name === args.name)
    if (row === undefined) {
      const near = suggestions(
        args.name,
        rows.map(({ name }) => name),
      )
      throw new UsageError(`There is no profile "${args.name.slice(0, 80)}".`, {
        hint:
          near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Known: ${rows.map(({ name }) => name).join(', ')}.`,
      })
    }
    await writeProfiles(this.config.configDir, { ...file, current: args.name })
    await this.show(profileView, row)
    return row
  }
}
