import { csvRecords } from '../../bulk/internal.js'
import { UsageError } from '../../contract/index.js'
import { isRelativeTime, parseTime } from '../input/durations.js'

/**
 * Reads promises from CSV with the columns `clientOrderReference` and `promisedBy` (a date and time); other columns are
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
    promises.set(reference, pointInTimeMs(promisedBy, `--promise ${file}, line ${line}`))
  }
  return promises
}

/** A time that does not depend on when the file is read. */
function pointInTimeMs(text: string, place: string): number {
  const time = isRelativeTime(text) ? undefined : tryParseTime(text)
  if (time !== undefined) return Date.parse(time)
  throw new UsageError(`${place}: "${text.slice(0, 40)}" is not a time.`, {
    hint: 'Write a date and a time, such as 2026-03-02T15:00:00Z.',
  })
}

function tryParseTime(text: string): string | undefined {
  try {
    return parseTime(text, 'promisedBy', 0)
  } catch {
    return undefined
  }
}
