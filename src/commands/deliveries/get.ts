import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { idsOf } from '../../cli/input/ids.js'
import { deliveryNameOf } from '../../cli/lookup/delivery-name.js'
import { DeliveryReferenceError } from '../../cli/lookup/errors.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { type Client, findByReference } from '../../client/index.js'
import { ApiError, type Delivery, UsageError } from '../../contract/index.js'
import { deliveriesView, deliveryView, noDelivery } from '../../render/delivery-view.js'

export default class GetDelivery extends BaseCommand {
  static override readsSeveral = true
  static override looksUp = 'profile' as const
  static override summary = 'Show a delivery with its timeline.'
  static override description =
    'An unknown id or reference exits 4; of several, those found are shown, and the exit code is 9. With --ref, an unknown reference prints nothing and exits 0, as in the contract. Of several accounts (-P a,b) it is the one that has it; in two, it is ambiguous and exits 5. Of an order that was sent from this machine, sent holds the window, the package and the checks, which a service may not return.'
  static override examples = [
    '<%= config.bin %> deliveries get del_01ABC',
    '<%= config.bin %> deliveries get ORDER-1001',
    '<%= config.bin %> deliveries get --ref ORDER-1001',
    '<%= config.bin %> deliveries get ORDER-1001 --all-profiles',
    '<%= config.bin %> deliveries list --from 1d -q | <%= config.bin %> deliveries get -',
    "<%= config.bin %> deliveries get del_01ABC --jq '.status'",
  ]
  static override args = {
    id: Args.string({
      description: 'Delivery ids or order references; - reads them from standard input',
      ignoreStdin: true,
      multiple: true,
    }),
  }
  static override flags = {
    ref: Flags.string({ summary: 'Find it by clientOrderReference', helpValue: 'REFERENCE' }),
  }

  async run(): Promise<Delivery | Delivery[] | undefined> {
    const { args, flags } = await this.parse(GetDelivery)
    const ids = await idsOf(this.session.context, this.session.notices, args.id, deliveryNameOf)
    if (ids === undefined) {
      await this.session.output.stream(deliveriesView, noDeliveries())
      return undefined
    }
    if ((ids.length === 0) === (flags.ref === undefined))
      throw new UsageError('Expected delivery ids or order references, or --ref.', {
        hint: 'dlv deliveries list -q lists ids, which - reads: dlv deliveries list -q | dlv deliveries get -',
      })
    const client = await this.session.client()
    if (flags.ref !== undefined) {
      const delivery = await findByReference(client, flags.ref)
      if (delivery === undefined) await this.session.show(noDelivery(flags.ref), null)
      else await this.session.show(deliveryView, await (await this.whole(client))(delivery))
      return delivery
    }
    const [first = ''] = ids
    if (ids.length > 1 || args.id?.includes('-')) {
      await this.showAll(client, ids)
      return undefined
    }
    const { deliveryId } = await this.session.named(first, client)
    const delivery = await client.getDelivery({ deliveryId })
    const shown = await this.whole(client)
    await this.session.show(deliveryView, await shown(delivery))
    return delivery
  }

  /**
   * Adds what was sent from here and the service does not return; and what only people see: the whole history, and what
   * is wrong with a delivery.
   */
  private async whole(client: Client): Promise<(delivery: Delivery) => Promise<Delivery>> {
    // Most machines read, and have sent nothing.
    if (!this.session.output.forPeople && !existsSync(join(this.config.dataDir, 'orders.db')))
      return (one) => Promise.resolve(one)
    const { wholeDeliveries } = await import('../../cli/deliveries/whole-delivery.js')
    return wholeDeliveries(client, this.session.output, this.session.context, await this.session.account.ledgerIfAny())
  }

  /**
   * Shows every delivery that exists and warns about the others; 9 if some are missing. Throws the first error if all
   * are, and at once for an error that concerns all of them, such as a rejected key.
   */
  private async showAll(client: Client, ids: readonly string[]): Promise<void> {
    const failures: (ApiError | DeliveryReferenceError)[] = []
    let found = 0
    const { notices } = this.session
    const shown = await this.whole(client)
    const read = async (name: string) =>
      client.getDelivery({ deliveryId: (await this.session.named(name, client)).deliveryId })
    async function* deliveries(): AsyncGenerator<Delivery> {
      for (const name of ids) {
        try {
          yield await shown(await read(name))
          found++
        } catch (error) {
          if (!isAboutOneName(error)) throw error
          failures.push(error)
          const code = error instanceof ApiError ? ` (${error.code})` : ''
          notices.warn(`${name}: ${error.message}${code}`)
        }
      }
      const [first] = failures
      if (found === 0 && first !== undefined) throw first
    }
    await this.session.output.stream(deliveriesView, deliveries())
    if (failures.length > 0) {
      notices.notice(`${failures.length} of ${ids.length} could not be read.`)
      this.session.endWith(exitCodes.otherOutcome)
    }
  }
}

async function* noDeliveries(): AsyncGenerator<Delivery> {}

/** Whether the next id or reference may succeed. */
function isAboutOneName(error: unknown): error is ApiError | DeliveryReferenceError {
  if (error instanceof DeliveryReferenceError) return true
  return error instanceof ApiError && [400, 404, 409, 422].includes(error.status)
}
