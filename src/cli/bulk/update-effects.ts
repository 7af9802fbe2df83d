import { type RowError, rowErrorOf } from '../../bulk/index.js'
import { isRowFailure } from '../../bulk/internal.js'
import type { CallOptions, Client } from '../../client/index.js'
import { ApiError, type Delivery, DlvError, terminalStatuses } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { moneyText } from '../../render/words.js'
import { isRecord } from '../../shared/json.js'
import { isActive } from '../../trade/statuses.js'
import { mayUpdate, withoutUnchanged } from '../../trade/updates.js'

/** The number of deliveries that are read at a time. */
const readsAtOnce = 16

/**
 * Reads the delivery of each input, and whether its stage allows what the row asks for.
 *
 * @throws the error of a read that fails for more than its row
 */
async function stagePreviews<Input extends { deliveryId: string }>(
  client: Pick<Client, 'getDelivery'>,
  inputs: readonly Input[],
  refusal: (delivery: Delivery, input: Input) => RowError | undefined,
): Promise<RowPreview[]> {
  const preview = async (input: Input): Promise<RowPreview> => {
    try {
      const delivery = await client.getDelivery({ deliveryId: input.deliveryId })
      return { delivery, error: refusal(delivery, input) }
    } catch (failure) {
      if (!isRowFailure(failure)) throw failure
      return { error: rowErrorOf(failure) }
    }
  }
  const previews: RowPreview[] = []
  for (let at = 0; at < inputs.length; at += readsAtOnce)
    previews.push(...(await Promise.all(inputs.slice(at, at + readsAtOnce).map(preview))))
  return previews
}

/** The service's refusal of an update in this stage. */
export function updateRefusal(delivery: Delivery, body: unknown): RowError | undefined {
  const { status } = delivery
  const fields = pathsOf(withoutUnchanged(body, delivery)).filter((path) => !mayUpdate(status, path))
  if (fields.length === 0) return undefined
  const message = `cannot be updated once a delivery is ${status}`
  return {
    code: 'INVALID_STATE_TRANSITION',
    message: `${fields.join(', ')} ${message}.`,
    fieldErrors: fields.map((field) => ({ field, code: 'NOT_UPDATABLE', message })),
  }
}

/** The service's refusal of a cancellation; a delivery that is already cancelled is not a failure. */
function cancelRefusal({ status }: Delivery): RowError | undefined {
  if (isActive(status) || status === 'cancelled') return undefined
  return { code: 'INVALID_STATE_TRANSITION', message: `A delivery that is ${status} cannot be cancelled.` }
}

/** Fails a dry run of one delivery with the refusal that the service would answer with. */
export function throwRefusal(refusal: RowError | undefined): void {
  if (refusal === undefined) return
  const { message, code, fieldErrors } = refusal
  throw new ApiError(message, { status: 409, code, fieldErrors, hint: 'Nothing was sent.' })
}

/** The paths of the values in a patch. */
function pathsOf(patch: unknown, above = ''): string[] {
  if (!isRecord(patch)) return above === '' ? [] : [above]
  return Object.entries(patch).flatMap(([name, value]) => pathsOf(value, above === '' ? name : `${above}.${name}`))
}

/**
 * Sums the tips that the rows of an update set: `tips $180.00 (2 × $90.00)`. A dry run reads each delivery too, because
 * its stage decides what may still change.
 */
export function updateEffects(client: Client, isDryRun: boolean): RowEffects<{ deliveryId: string; body: unknown }> {
  const counts = new Map<number, number>()
  return {
    async read(inputs) {
      for (const { body } of inputs) {
        const tip = isRecord(body) ? body.tipAmountCents : undefined
        if (typeof tip === 'number') counts.set(tip, (counts.get(tip) ?? 0) + 1)
      }
      return isDryRun ? stagePreviews(client, inputs, (delivery, { body }) => updateRefusal(delivery, body)) : undefined
    },
    get text() {
      if (counts.size === 0) return ''
      const sum = [...counts].reduce((cents, [tip, count]) => cents + tip * count, 0)
      const parts = [...counts].map(([tip, count]) => `${count} × ${moneyText(tip)}`)
      const [shown, left] = [parts.slice(0, 3), parts.length - 3]
      return `tips ${moneyText(sum)} (${shown.join(' + ')}${left > 0 ? ` + ${left} other amounts` : ''})`
    },
  }
}

/** A row's delivery as it is now, and why the service would refuse the row. */
export interface RowPreview {
  delivery?: Delivery | undefined
  error?: RowError | undefined
}

/** The effects of the rows of a run, read from the service before anything is sent. */
export interface RowEffects<Input> {
  /** Adds rows to what `text` sums up. Returns a preview of each row if their deliveries were read. */
  read(inputs: readonly Input[]): Promise<readonly RowPreview[] | undefined>
  /** Such as `cancelling now costs $12.00`. */
  readonly text: string
  /** Why the run must not begin. */
  refusal?(): DlvError | undefined
}

/** Amounts, by currency. */
export class MoneySum {
  private readonly cents = new Map<string, number>()

  add(cents: number, currency: string | null | undefined): void {
    const name = currency ?? 'USD'
    this.cents.set(name, (this.cents.get(name) ?? 0) + cents)
  }

  /** Whether an amount was added. */
  get isEmpty(): boolean {
    return this.cents.size === 0
  }

  /** The currency of all amounts; `undefined` if there are several or none. */
  get currency(): string | undefined {
    return this.cents.size === 1 ? [...this.cents.keys()][0] : undefined
  }

  /** The cents of all amounts, whatever their currency. */
  get total(): number {
    return [...this.cents.values()].reduce((sum, cents) => sum + cents, 0)
  }

  /** `$12.00`; amounts in several currencies are separated by `+`. */
  get text(): string {
    return [...this.cents].map(([currency, cents]) => moneyText(cents, currency)).join(' + ')
  }

  /** The sum of both. */
  plus(other: MoneySum): MoneySum {
    const sum = new MoneySum()
    for (const { cents } of [this, other]) for (const [currency, amount] of cents) sum.add(amount, currency)
    return sum
  }
}

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
