import { BaseCommand } from '../cli/command/base-command.js'
import type { TourWebhook } from '../cli/tour/tour.js'
import { deliveryView } from '../render/delivery-view.js'
import { tourClosing, tourStep } from '../render/progress-lines.js'
import { idOf, type View } from '../render/view.js'

interface Tour {
  deliveryId: string
  status: string
  webhooks: TourWebhook[]
}

const tourView: View<Tour> = { id: idOf('deliveryId'), columns: [{ name: 'deliveryId' }, { name: 'status' }] }

export default class TourCommand extends BaseCommand {
  static override summary =
    'Follow one delivery from order to door, with its webhooks. Works offline and keeps nothing.'
  static override examples = ['<%= config.bin %> tour']

  async run(): Promise<Tour> {
    await this.parse(TourCommand)
    const { runTour } = await import('../cli/tour/tour.js')
    const isForPeople =
      !this.session.output.isJson && !this.session.output.choices.quiet && this.session.output.choices.jq === undefined
    const style = { ...this.session.output.style }
    let printed = Promise.resolve()
    const say = (text: string) => {
      if (isForPeople) printed = printed.then(() => this.session.output.text(text))
    }
    const { delivery, webhooks } = await runTour({
      opened: (url) => say(tourStep(1, `Started a sandbox, and a listener at ${url}`, '', style)),
      created: ({ deliveryId, status }) => {
        say(tourStep(2, `Created delivery ${deliveryId}: ${status}`, 'dlv deliveries create --file order.json', style))
        say(
          tourStep(
            3,
            'Advanced it to delivered. Each step arrives as a signed webhook:',
            `dlv simulate ${deliveryId} --to delivered`,
            style,
          ),
        )
      },
      received: ({ eventType, eventId }) => say(`   → ${eventType.padEnd(34)} verified  ${eventId}`),
    })
    const tour = { deliveryId: delivery.deliveryId, status: delivery.status, webhooks }
    say(
      tourStep(
        4,
        `${webhooks.length} status webhooks received, all verified. The delivery now:`,
        `dlv deliveries get ${delivery.deliveryId}`,
        style,
      ),
    )
    say(deliveryView.card?.(delivery, this.session.output.styleNow()) ?? '')
    say(tourClosing(style))
    await printed
    if (!isForPeople) await this.session.show(tourView, tour)
    return tour
  }
}
