import { BaseCommand } from '../cli/command/base-command.js'
import { UsageError } from '../contract/index.js'

export default class WebhookWorker extends BaseCommand {
  static override summary = 'Verify webhooks for the listener that has started this process.'
  static override hidden = true

  async run(): Promise<void> {
    await this.parse(WebhookWorker)
    if (process.send === undefined)
      throw new UsageError('A listener starts its workers itself.', { hint: 'dlv webhooks listen --workers 4' })
    // Ctrl-C reaches the whole group: the listener ends its workers once they have answered.
    this.context.onInterruption = () => {}
    const { serveListenerWorker } = await import('../listener/index.js')
    await serveListenerWorker()
  }
}
