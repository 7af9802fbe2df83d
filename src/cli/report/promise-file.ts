import { csvRecords } from '../../bulk/internal.js'
import { UsageError } from '../../contract/index.js'

/**
 * Reads promises from CSV with the columns `clientOrderReference` and `promisedBy` (RFC 3339); other columns are
 * ignored. Returns milliseconds since the epoch by reference.
 *
 * @throws UsageError if a column is missing, or a time is invalid
 */
export async function readPromises(text: string, file: string): Promise<Map<string, number>> {
  const promises = new Map<string, number>()
  let columns: { reference: number; promisedBy: number } | undefined
  for (const { cells, line } of csvRecords(text)) {
    if (columns === undefined) {
      const names = cells.map((cell) => cell.trim().replace(/^\uFEFF/, ''))
      columns = { reference: names.indexOf('clientOrderReference'), promisedBy: names.indexOf('promisedBy') }
      if (columns.reference < 0 || columns.promisedBy < 0)
        throw new UsageError(`--promise ${file} has no columns clientOrderReference and promisedBy.`, {
          hint: `Its first line has ${names.slice(0, 8).join(', ')}.`,
        })
      continue
    }
    const reference = cells[columns.reference]?.trim() ?? ''
    if (reference === '') continue
    const promisedBy = cells[columns.promisedBy]?.trim() ?? ''
    const promisedByMs = Date.parse(promisedBy)
    if (Number.isNaN(promisedByMs))
      throw new UsageError(`--promise ${file}, line ${line}: "${promisedBy.slice(0, 40)}" is not a time.`, {
        hint: 'Write RFC 3339, such as 2026-03-02T15:00:00Z.',
      })
    promises.set(reference, promisedByMs)
  }
  return promises
}
