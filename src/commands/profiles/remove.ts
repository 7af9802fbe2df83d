import { Args, Flags } from '@oclif/core'
import { ProfileCommand } from '../../cli/profiles/profile-command.js'
import { notFound } from '../../cli/profiles/stored-secrets.js'
import { changeProfiles, profileNamed, systemKeychain } from '../../profiles/index.js'

export default class RemoveProfile extends ProfileCommand {
  static override summary = 'Remove a profile with its key and secrets.'
  static override description =
    'After the current profile was removed, commands need -P, DLV_PROFILE or DLV_BASE_URL until another is chosen with profiles use.'
  static override examples = ['<%= config.bin %> profiles remove acme', '<%= config.bin %> profiles remove acme --yes']
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation prompt' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RemoveProfile)
    const { name } = args
    const file = this.profiles()
    const removed = profileNamed(file, name)
    if (removed === undefined) throw notFound(name, Object.keys(file.profiles))
    const text = `Remove profile ${name} with its key and secrets?`
    if (!flags.yes && !(await this.confirmed(text, { undone: 'Nothing was removed.' }))) return
    if (removed.keyIn === 'keychain') await systemKeychain(process.platform, this.context.env).remove(name)
    const { current } = await changeProfiles(this.config.configDir, (before) => {
      const { [name]: _, ...profiles } = before.profiles
      return { ...before, profiles, ...(before.current === name ? { current: null } : {}) }
    })
    this.notices.notice(`Profile ${name} removed.`)
    this.notices.notice(
      current === null
        ? 'There is no current profile now; choose one with dlv profiles use NAME.'
        : `The current profile is ${current ?? 'local (the embedded sandbox)'}.`,
    )
  }
}
