import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { profilesWithKey } from '../../../cli/sandbox/account-profile.js'
import { accountsIn, controlOf } from '../../../cli/sandbox/control.js'
import { answerView } from '../../../render/cards.js'

export default class RemoveAccount extends BaseCommand {
  static override summary = 'Remove an added account with its deliveries, quotes, events and endpoints.'
  static override description = 'Asks first on a terminal; elsewhere it needs --yes.'
  static override examples = ['<%= config.bin %> sandbox accounts remove acme --yes']
  static override args = {
    name: Args.string({ description: 'Name of the account', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', summary: 'Do not ask' }) }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(RemoveAccount)
    const control = await controlOf(this.session)
    const account = (await accountsIn(control)).find(({ name }) => name === args.name)
    const text = `Remove the account ${args.name} with all of its deliveries and events?`
    const asks = account?.added === true && !flags.yes
    if (asks && !(await this.session.confirmed(text, { undone: 'Nothing was removed.' }))) return undefined
    const answer = await control('DELETE', `/accounts/${encodeURIComponent(args.name)}`)
    for (const profile of account === undefined ? [] : profilesWithKey(this.session, account.apiKey))
      this.session.notices.notice(
        `Profile ${profile} has its key, which opens nothing any more: dlv profiles remove ${profile}`,
      )
    await this.session.show(answerView, answer)
    return answer
  }
}
