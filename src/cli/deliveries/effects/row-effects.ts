import type { DlvError } from '../../../contract/index.js'

/** What the rows of a run would bring about, which is asked of the service before anything is sent. */
export interface RowEffects<Input> {
  /** Adds rows to what `text` sums up. */
  read(inputs: readonly Input[]): Promise<void>
  /** Such as `cancelling now costs $12.00`. */
  readonly text: string
  /** Why the run must not begin. */
  refusal?(): DlvError | undefined
}
