import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { suggestingCode } from '../../cli/installations/nearest-code.js'
import type { Installation } from '../../contract/index.js'
import { installationView } from '../../render/installation-view.js'

export default class GetInstallation extends BaseCommand {
  static override summary = "Show an installation's gates, hours and access rules."
  static override examples = [
    '<%= config.bin %> installations get FTBRAGG',
    "<%= config.bin %> installations get FTBRAGG --jq '.gates[].name'",
  ]
  static override args = { code: Args.string({ description: 'Installation code', required: true, ignoreStdin: true }) }

  async run(): Promise<Installation> {
    const { args } = await this.parse(GetInstallation)
    const client = await this.session.client()
    const installation = await suggestingCode(
      async () => client,
      args.code,
      () => client.getInstallation({ installationCode: args.code }),
    )
    await this.session.show(installationView, installation)
    return installation
  }
}
