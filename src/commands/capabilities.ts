import { BaseCommand } from '../cli/command/base-command.js'
import type { Capabilities } from '../contract/index.js'
import { capabilitiesView } from '../render/service-views.js'

export default class CapabilitiesCommand extends BaseCommand {
  static override summary = 'Show the capabilities of the account.'
  static override examples = [
    '<%= config.bin %> capabilities',
    "<%= config.bin %> capabilities --jq '.capabilities.quotes'",
  ]

  async run(): Promise<Capabilities> {
    await this.parse(CapabilitiesCommand)
    const client = await this.session.client()
    const capabilities = await client.getCapabilities()
    await this.session.show(capabilitiesView, capabilities)
    return capabilities
  }
}
