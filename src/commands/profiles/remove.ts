import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { confirm } from '../../cli/input/prompt.js'
import { canAsk } from '../../cli/process/terminal.js'
import { notFound, profilesOf } from '../../cli/profiles/stored-secrets.js'
import {
  type AccountRecord,
  accountKeptWith,
  changeProfiles,
  profileNamed,
  readProfiles,
  systemKeychain,
} from '../../profiles/index.js'

export default class RemoveProfile extends BaseCommand {
  static override summary = 'Remove a profile with its key and secrets.'
  static override description =
    'Says what stays of its account on this machine: orders, archive and journal, which a profile with a key of the same account finds again. --data removes them, too. After the current profile was removed, commands need -P, DLV_PROFILE or DLV_BASE_URL until another is chosen with profiles use.'
  static override examples = ['<%= config.bin %> profiles remove acme', '<%= config.bin %> profiles remove acme --yes']
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation prompt' }),
    data: Flags.boolean({ summary: 'Remove what is kept of its account, too' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RemoveProfile)
    const { name } = args
    const file = profilesOf(this.session)
    const removed = profileNamed(file, name)
    if (removed === undefined) throw notFound(name, Object.keys(file.profiles))
    const text = `Remove profile ${name} with its key and secrets?`
    if (!flags.yes && !(await this.session.confirmed(text, { undone: 'Nothing was removed.' }))) return
    // The embedded sandbox has one account, whatever a profile for it is called.
    const account = removed.baseUrl === undefined ? undefined : accountKeptWith(this.config.dataDir, removed)
    if (removed.keyIn === 'keychain') await systemKeychain(process.platform, this.session.context.env).remove(name)
    const { current } = await changeProfiles(this.config.configDir, (before) => {
      const { [name]: _, ...profiles } = before.profiles
      return { ...before, profiles, ...(before.current === name ? { current: null } : {}) }
    })
    this.session.notices.notice(`Profile ${name} removed.`)
    if (account !== undefined) await this.sayKept(account, flags)
    this.session.notices.notice(
      current === null
        ? 'There is no current profile now; choose one with dlv profiles use NAME.'
        : `The current profile is ${current ?? 'local (the embedded sandbox)'}.`,
    )
  }
  /** Says what stays of the account, and removes it if that is asked for. Another profile's account stays as it is. */
  private async sayKept(account: AccountRecord, flags: { data: boolean; yes: boolean; 'no-input': boolean }) {
    const { dataDir, configDir } = this.config
    const { keptOf, removeKept } = await import('../../cli/accounts/kept-data.js')
    const kept = await keptOf(account, dataDir)
    if (kept.length === 0) return
    const others = Object.entries(readProfiles(configDir).profiles).filter(
      ([, other]) => other.account === account.mark,
    )
    if (others.length > 0) {
      const names = others.map(([name]) => name).join(', ')
      this.session.notices.notice(`Its account stays: ${names} uses it, too.`)
      return
    }
    const list = kept.map(({ text }) => `  ${text}`).join('\n')
    const isOffered = !flags.data && !flags.yes && canAsk(this.session.context, flags['no-input'])
    const text = `Its account keeps on this machine:\n${list}\nRemove these, too?`
    if (flags.data || (isOffered && (await confirm(this.session.context, { text, flag: '--data', noInput: false })))) {
      await removeKept(account, dataDir)
      this.session.notices.notice(`Removed:\n${list}`)
      return
    }
    this.session.notices.notice(
      `Stays on this machine, for a profile with a key of the same account:\n${list}\nTo remove it: add the profile again, and dlv profiles remove NAME --data.`,
    )
  }
}
