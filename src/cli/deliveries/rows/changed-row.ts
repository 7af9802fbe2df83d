import type { InputRow } from '../../../bulk/index.js'
import { UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'

/** A row with a change applied; a change that throws `UsageError` becomes its problem. */
export function changedRow(row: InputRow, change: (value: unknown) => unknown): InputRow {
  if (!('value' in row)) return row
  try {
    return { ...row, value: change(row.value) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const reference = row.namedBy ?? valueAt(row.value, 'clientOrderReference')
    return {
      row: row.row,
      line: row.line,
      problem: error.message,
      ...(typeof reference === 'string' ? { clientOrderReference: reference } : {}),
    }
  }
}
