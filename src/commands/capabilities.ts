import { ApiCommand } from '../cli/command/api-command.js'
import type { Capabilities } from '../contract/index.js'
import { capabilitiesView } from '../render/service-views.js'

export default class CapabilitiesCommand extends ApiCommand {
  static override summary = 'Show the capabilities of the account.'
  static override examples = [
    '<%= config.bin %> capabilities',
    "<%= config.bin %> capabilities --jq '.capabilities.quotes'",
  ]

  async run(): Promise<Capabilities> {
    await this.parse(CapabilitiesCommand)
    const client = await this.api()
    const capabilities = await client.getCapabilities()
    await this.show(capabilitiesView, capabilities)
    return capabilities
  }
}
