import { spawn } from 'node:child_process'
import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { ContractError } from '../../contract/index.js'
import { trackingView } from '../../render/delivery-view.js'

export default class OpenDelivery extends ApiCommand {
  static override summary = "Open a delivery's tracking page in the browser."
  static override examples = [
    '<%= config.bin %> deliveries open del_01ABC',
    '<%= config.bin %> deliveries open del_01ABC | pbcopy',
  ]
  static override args = { id: Args.string({ description: 'Delivery id', required: true, ignoreStdin: true }) }

  async run(): Promise<{ trackingUrl: string }> {
    const { args } = await this.parse(OpenDelivery)
    const client = await this.api()
    const { trackingUrl } = await client.getDelivery({ deliveryId: args.id })
    const address = trackingUrl != null && URL.canParse(trackingUrl) ? new URL(trackingUrl) : undefined
    if (address === undefined || !/^https?:$/.test(address.protocol))
      throw new ContractError(`${args.id} has no tracking page.`, {
        operation: 'getDelivery',
        issues: ['trackingUrl: missing'],
      })
    const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
    if (this.output.style.terminal && this.context.env.DLV_NO_INPUT === undefined && this.context.env.CI === undefined)
      spawn(opener, [address.href], { stdio: 'ignore', detached: true, env: this.context.env })
        .on('error', () => this.notices.notice(`${opener} not found; open the URL yourself.`))
        .unref()
    if ((await this.settings()).baseUrl === undefined)
      this.notices.notice('dlv sandbox start serves the pages of the embedded sandbox.')
    await this.show(trackingView, { trackingUrl: address.href })
    return { trackingUrl: address.href }
  }
}
