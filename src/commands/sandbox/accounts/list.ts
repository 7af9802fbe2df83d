import { BaseCommand } from '../../../cli/command/base-command.js'
import { accountsIn, controlOf } from '../../../cli/sandbox/control.js'
import { accountList } from '../../../render/sandbox-lists.js'

export default class ListAccounts extends BaseCommand {
  static override summary = 'List the accounts of the sandbox and their keys.'
  static override examples = [
    '<%= config.bin %> sandbox accounts list',
    "<%= config.bin %> sandbox accounts list --jq '.[] | select(.added).name'",
  ]

  async run(): Promise<unknown> {
    await this.parse(ListAccounts)
    const accounts = await accountsIn(await controlOf(this.session))
    await this.session.show(accountList, accounts)
    return accounts
  }
}
