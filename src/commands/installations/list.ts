import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { listed, listFlags } from '../../cli/output/paged-list.js'
import { branches } from '../../contract/index.js'
import { installationList } from '../../render/installation-view.js'

export default class ListInstallations extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List military installations.'
  static override examples = [
    '<%= config.bin %> installations list --state NC',
    '<%= config.bin %> installations list --branch navy --accepting --all',
  ]
  static override flags = {
    state: Flags.string({ summary: 'Two-letter state or territory', helpValue: 'ST' }),
    branch: Flags.option({ options: branches, helpValue: 'BRANCH' })({
      summary: 'Only this branch, such as army',
      description: `One of ${branches.join(', ')}.`,
    }),
    accepting: Flags.boolean({ summary: 'Only those accepting deliveries, or --no-accepting', allowNo: true }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ListInstallations)
    const query = {
      state: flags.state?.toUpperCase(),
      branch: flags.branch,
      acceptingDeliveries: flags.accepting,
    }
    const client = await this.session.client({ limit: 'listing' })
    await listed(this.session.output, this.session.notices, {
      view: installationList,
      flags,
      typed: this.session.words,
      open: (page) => client.pages('listInstallations', { ...query, ...page }),
      rowsOf: ({ installations }) => installations,
    })
  }
}
