import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { confirm } from '../../cli/input/prompt.js'
import { UsageError } from '../../contract/index.js'
import { profileNamed, readProfiles, systemKeychain, writeProfiles } from '../../profiles/index.js'

export default class RemoveProfile extends ApiCommand {
  static override summary = 'Forget a profile with its key and secrets.'
  static override examples = ['<%= config.bin %> profiles remove acme', '<%= config.bin %> profiles remove acme --yes']
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', summary: 'Do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RemoveProfile)
    const { name } = args
    const file = readProfiles(this.config.configDir)
    const removed = profileNamed(file, name)
    if (removed === undefined) throw new UsageError(`There is no profile "${name.slice(0, 80)}" to remove.`)
    const text = `Forget profile ${name} and its key?`
    if (!flags.yes && !(await confirm(this.context, { text, flag: '--yes', noInput: flags['no-input'] }))) return
    if (removed.keyIn === 'keychain') await systemKeychain(process.platform, this.context.env).remove(name)
    const { current, profiles } = file
    const { [name]: _, ...kept } = profiles
    await writeProfiles(this.config.configDir, {
      ...(current === undefined || current === name ? {} : { current }),
      profiles: kept,
    })
    this.notices.notice(`Profile ${name} is forgotten.`)
  }
}
