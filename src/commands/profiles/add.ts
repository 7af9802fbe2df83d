import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { addFlags, addProfile } from '../../cli/profiles/add-profile.js'
import type { ProfileRow } from '../../render/profile-view.js'

export default class AddProfile extends BaseCommand {
  static override summary = 'Add a profile, or change an existing one.'
  static override description =
    'The key is prompted for, or read by --api-key-stdin or --api-key-file. It is saved in the keychain of the system, or in a file that only you can read (0600). A new key is tested with two requests that change nothing; the profile is saved either way. A key that replaces another is asked for deliveries of the account that was used before: one that knows them is a new key of it, and what is kept stays; any other is another account, which begins empty. --same-account and --new-account decide it by hand. A key that the service treats as live, or that begins with dlvk_live_, makes the profile production.'
  static override examples = [
    '<%= config.bin %> profiles add acme --environment sandbox --base-url https://sandbox.example.com/delivery/v1',
    'pass show acme/key | <%= config.bin %> profiles add acme --environment production --base-url https://api.example.com/delivery/v1 --api-key-stdin',
    '<%= config.bin %> profiles add acme --webhook-secret-file secret.txt',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = addFlags

  async run(): Promise<ProfileRow> {
    const { args, flags } = await this.parse(AddProfile)
    return addProfile(this.session, args.name, flags)
  }
}
