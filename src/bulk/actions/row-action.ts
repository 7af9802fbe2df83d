import type { CallOptions, OrderHistory } from '../../client/index.js'
import {
  ApiError,
  ConnectionError,
  ContractError,
  DlvError,
  type OperationName,
  QuoteRefusedError,
  UsageError,
} from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import type { InputRow } from '../input/row-source.js'
import type { Outcome, RowError } from '../outcome.js'

/** A row made ready: what identifies it and what will be sent. */
export interface PreparedRow<Input> {
  /** The reference of the order, if the row has one. */
  clientOrderReference: string | null
  /** The reference that the row named an existing delivery by, for its result. */
  namedBy?: string | undefined
  /** The key that it is sent with, if the operation takes one. */
  idempotencyKey: string | null
  /** The hash of what it asks for: a changed row has another one. */
  bodyHash: string
  /** The input that the action sends. */
  input: Input
  /** The canonical JSON of what is sent, if the hash was taken from it. */
  canonical?: string | undefined
  /** The line of the input that it begins on, or the row of its sheet. */
  line?: number | undefined
}

/** The history of a row in earlier runs, and its clash with other rows. */
export interface RowHistory extends OrderHistory {
  /** Another row with the same reference that asks for something else, if there is one. */
  clashingRow(): number | undefined
}

/** The outcome of a row, apart from what identifies it. */
export interface RowOutcome {
  /** The outcome of the row. */
  outcome: Outcome
  /** The delivery that it is about. */
  deliveryId?: string | undefined
  /** The delivery's status. */
  status?: string | undefined
  /** Why it failed. */
  error?: RowError | undefined
}

/** An action that a bulk run executes for each row. */
export interface RowAction<Input> {
  /** The operation that is called for each row. */
  readonly operation: OperationName
  /** The service's time in milliseconds since the epoch, if it is known by now. */
  serviceNowMs(): number | undefined
  /**
   * Makes a row ready without sending anything.
   *
   * @throws UsageError saying what is wrong with it
   */
  prepare(value: unknown): PreparedRow<Input>
  /** Records rows that are about to be sent beyond this run, and returns what is known of each from before. */
  record?(rows: readonly PreparedRow<Input>[]): readonly OrderHistory[] | Promise<readonly OrderHistory[]>
  /**
   * Executes a row and determines its outcome.
   *
   * @throws what stops the whole run: see `stopReason`
   */
  execute(prepared: PreparedRow<Input>, history: RowHistory, options: CallOptions): Promise<RowOutcome>
}

/** A row made ready, or why it cannot be sent. */
export function preparedOf<Input>(
  row: InputRow,
  action: Pick<RowAction<Input>, 'prepare'>,
): PreparedRow<Input> | { fault: unknown } {
  try {
    if ('problem' in row) throw new UsageError(row.problem, { hint: row.hint })
    const prepared = action.prepare(row.value)
    return row.namedBy === undefined ? prepared : { ...prepared, namedBy: row.namedBy }
  } catch (fault) {
    return { fault }
  }
}

/** The reference of a row that cannot be sent, if that much can be read. */
export function referenceOfRow(row: InputRow): string | undefined {
  if ('problem' in row) return row.clientOrderReference
  const reference = isRecord(row.value) ? row.value.clientOrderReference : undefined
  return typeof reference === 'string' ? reference : row.namedBy
}

/** An error as it stands in the results. */
export function rowErrorOf(failure: unknown): RowError {
  if (failure instanceof ApiError) {
    const { code, message, status, requestId, fieldErrors, hint } = failure
    return { code, message, status, requestId, hint, ...(fieldErrors.length === 0 ? {} : { fieldErrors }) }
  }
  if (failure instanceof ConnectionError) {
    const { reason, message, status, requestId, hint } = failure
    return { code: `CONNECTION_${reason.toUpperCase().replaceAll('-', '_')}`, message, status, requestId, hint }
  }
  if (failure instanceof ContractError)
    return { code: 'CONTRACT_ERROR', message: failure.message, requestId: failure.requestId, hint: failure.hint }
  if (failure instanceof QuoteRefusedError) return { code: failure.code, message: failure.message, hint: failure.hint }
  if (failure instanceof DlvError) return { code: 'INVALID_ROW', message: failure.message, hint: failure.hint }
  throw failure
}

/** A failed or conflicting row. */
export function failedWith(failure: unknown, outcome: Outcome = 'failed'): RowOutcome {
  return { outcome, error: rowErrorOf(failure) }
}
