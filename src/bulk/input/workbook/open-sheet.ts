import { UsageError } from '../../../contract/index.js'
import { rangesText } from '../../../shared/texts.js'
import { didYouMean, suggestions } from '../../../shared/word-match.js'
import type { ByteSource } from '../row-source.js'
import { workbookFormat } from './file-kind.js'
import type { SheetRecord, Workbook } from './sheet.js'
import { Archive, type ByteStore, storeBytes } from './zip-archive.js'

/** How the sheet of a workbook is chosen and read. */
export interface SheetOptions {
  /** The name of the sheet. Default: the first visible one with rows. */
  sheet?: string | undefined
  /** How rows that are hidden, filtered out or struck out are taken. Default: they are refused. */
  hiddenRows?: 'read' | 'skip' | undefined
  /** Called with what has to be known of the sheet; with `true` for warnings. */
  onSheet?: ((text: string, isWarning: boolean) => void) | undefined
}

/** A sheet whose rows are read as they are asked for, once. */
export interface OpenSheet {
  name: string
  /** The bytes that its rows unpack to. */
  bytes: number
  rows(onRead: (bytes: number) => void): AsyncGenerator<SheetRecord[], void, undefined>
}

/**
 * Opens the sheet of a workbook that holds the rows. Every byte of it is looked at before, so that a damaged file is
 * refused before a row is used.
 *
 * @throws UsageError for what is no such workbook, a sheet that it does not have, and hidden or struck-out rows nobody has decided on
 */
export async function openSheet(source: ByteSource, what: string, options: SheetOptions): Promise<OpenSheet> {
  const store = await storeBytes(source)
  try {
    const archive = await Archive.open(store, what)
    const format = await workbookFormat(archive)
    const workbook =
      format === 'ods'
        ? await (await import('./ods.js')).openOds(archive)
        : await (await import('./xlsx.js')).openXlsx(archive)
    const name = await chosenSheet(workbook, what, options)
    const { bytes, mayHideRows } = await workbook.look(name)
    if (mayHideRows) judgeHidden(await hiddenLines(workbook, name), name, what, options)
    return { name, bytes, rows: (onRead) => rowsOf(store, workbook, name, options.hiddenRows === 'skip', onRead) }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function* rowsOf(
  store: ByteStore,
  workbook: Workbook,
  name: string,
  skipsHidden: boolean,
  onRead: (bytes: number) => void,
): AsyncGenerator<SheetRecord[], void, undefined> {
  try {
    for await (const records of workbook.rows(name, onRead))
      yield skipsHidden ? records.filter(({ isHidden, isStruckOut }) => !isHidden && !isStruckOut) : records
  } finally {
    await store.close()
  }
}

async function chosenSheet(workbook: Workbook, what: string, { sheet, onSheet }: SheetOptions): Promise<string> {
  const { sheets } = workbook
  const listed = sheets.map(({ name }) => `"${name}"`).join(', ')
  if (sheet !== undefined) {
    const folded = sheet.trim().toLowerCase()
    const named =
      sheets.find(({ name }) => name === sheet) ?? sheets.find(({ name }) => name.trim().toLowerCase() === folded)
    if (named !== undefined) return named.name
    const near = suggestions(
      sheet,
      sheets.map(({ name }) => name),
      1,
    )
    throw new UsageError(`${what} has no sheet "${sheet.slice(0, 80)}".`, {
      hint: didYouMean(near) ?? `Its sheets are ${listed}.`,
    })
  }
  const filled: string[] = []
  for (const { name, isVisible } of sheets) if (isVisible && (await workbook.hasRows(name))) filled.push(name)
  const [first, ...others] = filled
  if (first === undefined) {
    const hidden = sheets.filter(({ isVisible }) => !isVisible).map(({ name }) => `"${name}"`)
    throw new UsageError(
      hidden.length === 0 ? `${what} has no rows.` : `${what} has no rows in a sheet that is shown.`,
      { hint: hidden.length === 0 ? undefined : `Name a hidden one in { sheet }: ${hidden.join(', ')}.` },
    )
  }
  if (others.length > 0)
    onSheet?.(
      `Read the sheet "${first}" of ${what}; { sheet } names another: ${others.map((name) => `"${name}"`).join(', ')}.`,
      false,
    )
  return first
}

/** Rows that may not be meant, with the reason. */
interface DoubtfulLines {
  lines: number[]
  /** Behind the number of the rows. */
  why: string
  /** The same, before what became of them. */
  kind: string
}

/** The rows with values that the sheet does not show, and those that somebody has struck out. */
async function hiddenLines(workbook: Workbook, name: string): Promise<DoubtfulLines[]> {
  const hidden: DoubtfulLines = {
    lines: [],
    why: 'that it does not show, hidden or filtered out',
    kind: 'hidden or filtered out',
  }
  const struck: DoubtfulLines = { lines: [], why: 'whose cells are all struck out', kind: 'struck out' }
  for await (const records of workbook.rows(name))
    for (const { line, isHidden, isStruckOut } of records) {
      if (isHidden) hidden.lines.push(line)
      else if (isStruckOut) struck.lines.push(line)
    }
  return [hidden, struck].filter(({ lines }) => lines.length > 0)
}

function judgeHidden(
  doubtful: readonly DoubtfulLines[],
  name: string,
  what: string,
  { hiddenRows, onSheet }: SheetOptions,
): void {
  if (doubtful.length === 0) return
  if (hiddenRows === undefined) {
    const found = doubtful.map(({ lines, why }) => `${countText(lines)} ${why}: ${linesText(lines)}`)
    throw new UsageError(`The sheet "${name}" of ${what} has ${found.join('; and ')}.`, {
      hint: 'Say what they are: { hiddenRows: "read" } takes them as well, { hiddenRows: "skip" } leaves them out.',
    })
  }
  const done = hiddenRows === 'read' ? 'read' : 'left out'
  for (const { lines, kind } of doubtful)
    onSheet?.(
      `${countText(lines)} of "${name}" ${kind} ${lines.length === 1 ? 'is' : 'are'} ${done}: ${linesText(lines)}.`,
      false,
    )
}

function countText(lines: readonly number[]): string {
  return lines.length === 1 ? '1 row' : `${lines.length.toLocaleString('en-US')} rows`
}

function linesText(lines: readonly number[]): string {
  return lines.length === 1 ? `row ${lines[0]}` : `rows ${rangesText(lines)}`
}
