/** Bulk runs: rows in, results out, resumed where they were interrupted. */

export { type LedgerOptions, openOrderLedger, type SentLedger } from '../sent/index.js'
export { capYoungGeneration } from '../shared/young-generation.js'
export { type CancelOptions, CancelRow, cancelAction } from './actions/cancel-action.js'
export { type CreateOptions, createAction } from './actions/create-action.js'
export { type PreparedRow, type RowAction, rowErrorOf } from './actions/row-action.js'
export { UpdateRow, updateAction } from './actions/update-action.js'
export type { InputRow } from './input/row-source.js'
export { type OpenedInput, openInput, type RowOptions, type Rows, readRows } from './input/rows.js'
export type { RunOptions } from './options.js'
export type { StopReason } from './outcome.js'
export {
  type Counts,
  type Outcome,
  outcomes,
  type RowError,
  type RowResult,
  type RunSummary,
  runExitCode,
} from './outcome.js'
export type { Progress } from './progress.js'
export { run } from './run.js'
