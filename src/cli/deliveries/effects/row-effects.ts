import type { RowError } from '../../../bulk/index.js'
import type { Delivery, DlvError } from '../../../contract/index.js'

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
