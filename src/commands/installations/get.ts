import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { byName } from '../../cli/installations/by-name.js'
import type { Installation } from '../../contract/index.js'
import { installationView } from '../../render/installation-view.js'

export default class GetInstallation extends BaseCommand {
  static override summary = "Show an installation's gates, hours and access rules."
  static override examples = [
    '<%= config.bin %> installations get FTBRAGG',
    '<%= config.bin %> installations get "Fort Bragg"',
    "<%= config.bin %> installations get FTBRAGG --jq '.gates[].name'",
  ]
  static override args = {
    code: Args.string({ description: 'Installation code, name or ZIP code', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Installation> {
    const { args } = await this.parse(GetInstallation)
    const client = await this.session.client()
    const installation = await byName(this.session, args.code, (installationCode) =>
      client.getInstallation({ installationCode }),
    )
    await this.session.show(installationView, installation)
    return installation
  }
}
