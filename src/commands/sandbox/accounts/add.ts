import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { type AddedSandboxAccount, keepAccountProfile, profileToKeep } from '../../../cli/sandbox/account-profile.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { addedAccountView } from '../../../render/sandbox-lists.js'

export default class AddAccount extends BaseCommand {
  static override summary = 'Add an account to the sandbox, with a key and a secret of its own.'
  static override description =
    'An account sees nothing of the others: neither deliveries nor quotes nor events. --profile saves its key in a new profile; one of the embedded sandbox works like local, also while nothing is served.'
  static override examples = [
    '<%= config.bin %> sandbox accounts add acme --profile acme',
    '<%= config.bin %> sandbox accounts add fleet --type owned_fleet --rps 5',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the account', required: true, ignoreStdin: true }),
  }
  static override flags = {
    type: Flags.string({
      summary: 'Type of the account',
      options: ['marketplace', 'owned_fleet'],
      default: 'marketplace',
    }),
    rps: Flags.integer({ summary: 'Requests per second (default 20)', min: 1, max: 1_000_000, helpValue: 'N' }),
  }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(AddAccount)
    const profile = await profileToKeep(this.session)
    const control = await controlOf(this.session)
    const { type, rps: requestsPerSecond } = flags
    const added = (await control('POST', '/accounts', {
      name: args.name,
      type,
      requestsPerSecond,
    })) as AddedSandboxAccount
    if (profile !== undefined) await keepAccountProfile(this.session, profile, added, control)
    const shown = { ...added, profile: profile ?? null }
    await this.session.show(addedAccountView, shown)
    return shown
  }
}
