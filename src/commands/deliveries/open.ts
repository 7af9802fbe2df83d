import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { openUrl } from '../../cli/process/open-url.js'
import { embeddedFile } from '../../cli/session/embedded-sandbox.js'
import { trackingView } from '../../render/delivery-view.js'

export default class OpenDelivery extends BaseCommand {
  static override looksUp = 'alone' as const
  static override summary = "Open a delivery's tracking page. Without a terminal, print its URL."
  static override description =
    'In the local profile it serves the page itself until Ctrl-C, unless dlv sandbox start does.'
  static override examples = [
    '<%= config.bin %> deliveries open del_01ABC',
    '<%= config.bin %> deliveries open del_01ABC | pbcopy',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }

  async run(): Promise<{ trackingUrl: string | null }> {
    const { args } = await this.parse(OpenDelivery)
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(args.id, client)
    const { trackingUrl } = await client.getDelivery({ deliveryId })
    const address = trackingUrl != null && URL.canParse(trackingUrl) ? new URL(trackingUrl) : undefined
    if (address === undefined || !/^https?:$/.test(address.protocol)) return this.endWithout(args.id)
    const { env } = this.session.context
    const opens = this.session.output.forPeople && env.DLV_NO_INPUT === undefined && env.CI === undefined
    const isEmbedded = (await this.session.account.settings()).baseUrl === undefined
    if (isEmbedded && !(await this.session.account.sandbox()).isServed) {
      if (opens) return this.serve(address)
      this.session.notices.notice('Nobody serves this page. Run dlv sandbox start, or this command on a terminal.')
    }
    if (opens) this.open(address)
    await this.session.show(trackingView, { trackingUrl: address.href })
    return { trackingUrl: address.href }
  }

  private async endWithout(name: string): Promise<{ trackingUrl: null }> {
    this.session.notices.warn(`${name} has no tracking page.`)
    this.session.endWith(exitCodes.notFound)
    return { trackingUrl: null }
  }

  /** Serves the page of the embedded sandbox on loopback until Ctrl-C. */
  private async serve({ pathname }: URL): Promise<{ trackingUrl: string }> {
    const signal = this.session.takeSignals()
    const { startSandbox } = await import('../../sandbox/index.js')
    const server = await startSandbox({ keepAlive: true, data: embeddedFile(this.config.dataDir) })
    this.session.onClose(() => server.close())
    const address = new URL(pathname, server.baseUrl)
    this.open(address)
    await this.session.show(trackingView, { trackingUrl: address.href })
    this.session.notices.notice('Serving the page until Ctrl-C.')
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return { trackingUrl: address.href }
  }

  private open(address: URL): void {
    openUrl(this.session.context, address, (opener) =>
      this.session.notices.notice(`${opener} not found; open the URL yourself.`),
    )
  }
}
