import type { HeaderSearch } from './csv-dialect.js'
import type { CsvRecord } from './csv-line.js'
import { CsvReader, csvRecords } from './csv-records.js'
import { type ByteSource, decodeText } from './row-source.js'
import { knownSource, type RowOptions } from './rows.js'

/** How a table is read as a whole. */
export type TableOptions = Pick<RowOptions, 'encoding' | 'sheet' | 'hiddenRows' | 'onSheet'> & {
  /** The name of the input in errors. */
  what: string
  search?: HeaderSearch
  /** Whether records that cannot be read are given as well, with their fault. */
  isTolerant?: boolean | undefined
}

/** The content of a CSV or a workbook: the text of the one, or the records of the other. */
type TableContent = { text: string; records?: undefined } | { records: CsvRecord[]; text?: undefined }

/**
 * Reads a CSV or a workbook whole.
 *
 * @throws UsageError for what is neither, and for bytes that are not text
 */
async function tableContent(source: ByteSource, options: TableOptions): Promise<TableContent> {
  const { what, encoding, search = {} } = options
  const known = await knownSource(source, options)
  if (known.isWorkbook) {
    const { sheetRecords } = await import('./workbook/sheet-rows.js')
    return { records: await sheetRecords(known.source, what, search, options) }
  }
  let text = ''
  const state = { bytesRead: 0, bytesTotal: undefined, rowsRead: 0 }
  for await (const piece of decodeText(known.source, state, { what, encoding })) text += piece
  return { text }
}

/**
 * The records of a CSV or a workbook, with the header first.
 *
 * @throws UsageError naming the line of a record that cannot be read
 */
export async function tableRecords(source: ByteSource, options: TableOptions): Promise<CsvRecord[]> {
  const { text, records } = await tableContent(source, options)
  if (records !== undefined) return records
  if (options.isTolerant !== true) return csvRecords(text, options.what, options.search)
  const reader = new CsvReader(options.search)
  return [...reader.push(text), ...reader.end()]
}
