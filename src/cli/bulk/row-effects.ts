import { type RowError, rowErrorOf } from '../../bulk/index.js'
import { isRowFailure } from '../../bulk/internal.js'
import type { Client } from '../../client/index.js'
import { ApiError, type Delivery, type DlvError } from '../../contract/index.js'
import { moneyText } from '../../render/words.js'

/** A row's delivery as it is now, and why the service would refuse the row. */
export interface RowPreview {
  delivery?: Delivery | undefined
  error?: RowError | undefined
  /** Whether the delivery is what the row asks for, as far as that is known. */
  isUnchanged?: boolean | undefined
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

/** The number of deliveries that are read at a time. */
export const readsAtOnce = 16

/**
 * Reads the delivery of each input, and whether its stage allows what the row asks for.
 *
 * @throws the error of a read that fails for more than its row
 */
export async function stagePreviews<Input extends { deliveryId: string }>(
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

/** Fails a dry run of one delivery with the refusal that the service would answer with. */
export function throwRefusal(refusal: RowError | undefined): void {
  if (refusal === undefined) return
  const { message, code, fieldErrors } = refusal
  throw new ApiError(message, { status: 409, code, fieldErrors, hint: 'Nothing was sent.' })
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
