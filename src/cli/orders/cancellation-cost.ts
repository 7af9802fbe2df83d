import type { RowError } from '../../bulk/index.js'
import type { CallOptions, Client } from '../../client/index.js'
import { ApiError, type Delivery, DlvError, terminalStatuses } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { moneyText } from '../../render/words.js'
import { isActive } from '../../trade/statuses.js'
import { MoneySum, type RowEffects, readsAtOnce, stagePreviews, throwRefusal } from '../bulk/row-effects.js'

/** The present cost of cancelling a delivery, as far as the service says. */
interface CancellationCost {
  status: string
  clientOrderReference: string | undefined
  /** `undefined` if the service does not say, or the delivery has ended. */
  feeCents: number | undefined
  currency: string | undefined
}

/** The present cost of cancelling a delivery; `undefined` if it cannot be read. */
export async function cancellationCost(
  client: Pick<Client, 'getDelivery'>,
  deliveryId: string,
  options?: CallOptions,
): Promise<CancellationCost | undefined> {
  try {
    return costOf(await client.getDelivery({ deliveryId }, options))
  } catch (error) {
    if (error instanceof DlvError) return undefined
    throw error
  }
}

/** The service's refusal of a cancellation; a delivery that is already cancelled is not a failure. */
function cancelRefusal({ status }: Delivery): RowError | undefined {
  if (isActive(status) || status === 'cancelled') return undefined
  return { code: 'INVALID_STATE_TRANSITION', message: `A delivery that is ${status} cannot be cancelled.` }
}

/**
 * The cost for a dry run of one cancellation, which fails as the real run would.
 *
 * @throws ApiError if there is no such delivery, or its status rules a cancellation out
 */
export async function dryRunCost(
  client: Pick<Client, 'getDelivery'>,
  deliveryId: string,
  options?: CallOptions,
): Promise<CancellationCost | undefined> {
  const delivery = await client.getDelivery({ deliveryId }, options).catch((error: unknown) => {
    if (!(error instanceof DlvError) || (error instanceof ApiError && error.status === 404)) throw error
    return undefined
  })
  if (delivery === undefined) return undefined
  throwRefusal(cancelRefusal(delivery))
  return costOf(delivery)
}

function costOf({ status, clientOrderReference, pricing }: Delivery): CancellationCost {
  const hasEnded = terminalStatuses.has(status)
  return {
    status,
    clientOrderReference: clientOrderReference ?? undefined,
    feeCents: hasEnded ? undefined : (pricing?.cancellationFeeCents ?? undefined),
    currency: pricing?.currency ?? undefined,
  }
}

/** `Cancelling now costs $3.00.`, or why that cannot be said. */
export function costSentence(cost: CancellationCost | undefined): string {
  const text = costText(cost)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** `cancelling now costs $3.00`, or why that cannot be said. */
function costText(cost: CancellationCost | undefined): string {
  if (cost === undefined) return unknownFee
  const { status, feeCents, currency } = cost
  if (terminalStatuses.has(status)) return `it is ${status} and cannot be cancelled`
  return feeCents === undefined ? unknownFee : `cancelling now costs ${moneyText(feeCents, currency)}`
}

const unknownFee = 'the cancellation fee is not known'

/** The delivery in the question before a cancellation: `ORDER-1, driver_assigned, cancelling now costs $3.00`. */
export function costDetails(cost: CancellationCost | undefined): string {
  const { clientOrderReference, status } = cost ?? {}
  const words =
    status === undefined || terminalStatuses.has(status) ? [clientOrderReference] : [clientOrderReference, status]
  return [...words.filter((word) => word !== undefined).map(plainText), costText(cost)].join(', ')
}

/** Sums what cancelling each delivery of a run costs now; a dry run says of each whether it can be cancelled. */
export function cancellationEffects(client: Client, isDryRun: boolean): RowEffects<{ deliveryId: string }> {
  const sum = new FeeSum()
  return {
    async read(inputs) {
      if (isDryRun) {
        const previews = await stagePreviews(client, inputs, cancelRefusal)
        for (const { delivery } of previews) if (delivery !== undefined) sum.add(costOf(delivery))
        return previews
      }
      for (let at = 0; at < inputs.length; at += readsAtOnce) {
        const some = inputs.slice(at, at + readsAtOnce)
        for (const cost of await Promise.all(some.map(({ deliveryId }) => cancellationCost(client, deliveryId))))
          sum.add(cost)
      }
      return undefined
    },
    get text() {
      return sum.text
    },
  }
}

/** Fees of several cancellations, by currency. */
export class FeeSum {
  private readonly fees = new MoneySum()
  private unknown = 0
  private ended = 0

  add(cost: CancellationCost | undefined): void {
    if (cost !== undefined && terminalStatuses.has(cost.status)) this.ended++
    else if (cost?.feeCents === undefined) this.unknown++
    else this.addCents(cost.feeCents, cost.currency)
  }

  addCents(feeCents: number, currency?: string): void {
    this.fees.add(feeCents, currency)
  }

  /** Whether no fee was added. */
  get isEmpty(): boolean {
    return this.fees.isEmpty
  }

  /** `$12.00`; amounts in several currencies are separated by `+`. */
  get amount(): string {
    return this.fees.text
  }

  /** `cancelling now costs $12.00; the fee of 2 is not known; 1 has ended`. */
  get text(): string {
    const parts = [
      this.isEmpty ? '' : `cancelling now costs ${this.amount}`,
      this.unknown === 0 ? '' : `the fee of ${this.unknown} is not known`,
      this.ended === 0 ? '' : `${this.ended} cannot be cancelled, because they have ended`,
    ].filter(Boolean)
    return parts.join('; ')
  }
}
