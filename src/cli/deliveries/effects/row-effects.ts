import type { RowError } from '../../../bulk/index.js'
import type { Delivery, DlvError } from '../../../contract/index.js'
import { moneyText } from '../../../render/words.js'

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
