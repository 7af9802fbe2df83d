import { fieldLines, tabLine } from '../../render/pipe-lines.js'
import { plainText, safeJson, wholeJson } from '../../render/plain-text.js'
import type { Style } from '../../render/style.js'
import { type TableLayout, table, tableLayout, visibleColumns } from '../../render/table.js'
import type { Column, View } from '../../render/view.js'
import type { Merging, ProcessContext } from '../process/context.js'
import { writeOut } from '../process/streams.js'
import { chosenColumns, type OutputFormat } from './format.js'
import type { Jq } from './jq/jq.js'
import type { Pager } from './pager.js'
import { inPages } from './row-pages.js'

/** The output options of a run. */
export interface OutputChoices {
  format: OutputFormat
  /** The paths of the columns to show; default: the view's own. */
  columns?: readonly string[] | undefined
  header: boolean
  /** Print only ids. */
  quiet: boolean
  /** The jq expression to apply to the result. */
  jq?: Jq | undefined
  /** Print CSV and TSV cells unchanged, including formulas. */
  raw: boolean
}

/** Prints results to stdout in the requested format. */
export class Output {
  /** The columns that `--columns` chose for each view, determined by its first rows. */
  private readonly chosen = new Map<object, readonly Column[]>()
  private serviceNowMs: (() => Promise<number>) | undefined
  /** How far the service's clock is ahead of this machine's, in milliseconds, once a view has asked. */
  private clockOffsetMs: Promise<number> | undefined
  private pagesAreUnserved = false
  private openPager: (() => Promise<Pager>) | undefined
  private pager: Pager | undefined

  constructor(
    private readonly context: Pick<ProcessContext, 'stdout' | 'nowMs' | 'gathering' | 'ownsHeap'>,
    readonly style: Style,
    readonly choices: OutputChoices,
    /** Prints a notice if there is nothing to show. */
    private readonly tell: (text: string) => void,
  ) {}

  /** Makes views show commands instead of the addresses of pages that are not served. */
  markPagesUnserved(): void {
    this.pagesAreUnserved = true
  }

  /** Lets views that show relative times use this clock, which is asked once and only for people. */
  followClock(serviceNowMs: () => Promise<number>): void {
    this.serviceNowMs = serviceNowMs
  }

  /** The style with this machine's current time, for output long after the start. */
  styleNow(): Style {
    return { ...this.style, unservedPages: this.pagesAreUnserved, nowMs: this.context.nowMs() }
  }

  /** The style with the service's current time, which may take a request: for a pipe only with `always`. */
  async serviceStyleNow({ always = false } = {}): Promise<Style> {
    const { context } = this
    if (this.serviceNowMs === undefined || !(always || this.style.terminal)) return this.styleNow()
    this.clockOffsetMs ??= this.serviceNowMs().then((nowMs) => nowMs - context.nowMs())
    return { ...this.style, nowMs: context.nowMs() + (await this.clockOffsetMs) }
  }

  /** Whether results are JSON, for a program. */
  get isJson(): boolean {
    const { format, jq } = this.choices
    return format === 'json' || format === 'ndjson' || jq !== undefined
  }

  /** Whether a person reads along, so that results can be printed in parts. */
  get forPeople(): boolean {
    const { format, jq, quiet } = this.choices
    return this.style.terminal && format === 'table' && jq === undefined && !quiet
  }

  /**
   * Throws `UsageError` for `--columns` that neither this view has nor a row, by the names of `more`. Call it before a
   * write, because an error afterwards would hide the write's result, and before requests that take long.
   */
  checkColumns<Shown>(view: View<Shown>, ...more: readonly string[]): void {
    if (this.choices.columns !== undefined) this.columns(view, [Object.fromEntries(more.map((name) => [name, null]))])
  }

  /** Whether nothing else runs in the process, so that a long list may keep its heap small. */
  get ownsHeap(): boolean {
    return this.context.ownsHeap === true
  }

  /** Whether lists are handed over to be merged with those of other accounts. */
  get isGathered(): boolean {
    return this.context.gathering?.list !== undefined
  }

  /** Hands over a list that is merged with those of other accounts. */
  async merged<Row, Shown = Row>(
    view: View<Shown[]>,
    pages: AsyncIterable<Row[]>,
    merging: Merging<Row, Shown>,
  ): Promise<void> {
    await this.context.gathering?.list?.(view, pages, merging)
  }

  /** Prints text for people, such as a card; nothing if results are for programs. */
  async text(text: string): Promise<void> {
    await this.line(text)
  }

  /** Lets results that are longer than the screen be read in a pager. */
  pageWith(open: () => Promise<Pager>): void {
    this.openPager = open
  }

  /** Prints something, through the pager if there is one. */
  private async paged(print: () => Promise<void>): Promise<void> {
    if (this.openPager === undefined || this.pager !== undefined) return print()
    const pager = await this.openPager()
    this.pager = pager
    try {
      await print()
    } finally {
      this.pager = undefined
      await pager.finish()
    }
  }

  /** Prints a result by its view: ids, JSON, CSV, a card or table for people, or tab-separated values for a pipe. */
  async show<Shown>(view: View<Shown>, shown: Shown): Promise<void> {
    await this.paged(() => this.print(view, shown))
  }

  private async print<Shown>(view: View<Shown>, shown: Shown): Promise<void> {
    const { gathering } = this.context
    if (gathering !== undefined) return gathering.take(view as View<unknown>, shown, Array.isArray(shown))
    const rows = view.rows?.(shown) ?? listOf(shown)
    if (this.choices.columns !== undefined) this.columns(view, rows)
    // A row that failed has no id, and an empty line would be one for the next command.
    if (this.choices.quiet) return this.lines(rows.map((row) => plainText(view.id(row))).filter((id) => id !== ''))
    if (this.choices.jq !== undefined)
      return this.choices.jq.select(this.choices.format === 'ndjson' ? jsonLines(listOf(shown)) : jsonLines([shown]))
    switch (this.choices.format) {
      case 'json':
        return this.line(safeJson(shown, 2))
      case 'ndjson':
        return this.lines(listOf(shown).map((value) => safeJson(value)))
      case 'csv':
      case 'tsv':
        return this.cells(this.columns(view, rows), rows, true)
      case 'xlsx':
        return this.workbook(this.columns(view, rows), [rows])
      default:
        return this.style.terminal ? this.drawing(view, shown, rows) : this.lines(this.piped(view, shown, rows))
    }
  }

  /**
   * Prints rows as they arrive, page by page in flat memory. JSON needs the whole list, so that stdout stays empty if a
   * later page fails; so does `--jq`, except with NDJSON, where it filters each object.
   *
   * @param merging how the rows of several accounts become one list; default: the accounts follow each other
   */
  async stream<Row>(view: View<Row[]>, rows: AsyncIterable<Row>, merging?: Merging<Row>): Promise<void> {
    if (merging !== undefined && this.isGathered) await this.merged(view, inPages(rows), merging)
    else await this.pages(view, inPages(rows))
  }

  /** Prints rows that arrive in pages; each page is printed as soon as it is there. */
  async pages<Row>(view: View<Row[]>, pages: AsyncIterable<Row[]>): Promise<void> {
    await this.paged(() => this.printPages(view, pages))
  }

  private async printPages<Row>(view: View<Row[]>, pages: AsyncIterable<Row[]>): Promise<void> {
    const { gathering } = this.context
    if (gathering !== undefined) {
      await gathering.take(view as View<unknown>, [], true)
      for await (const page of pages) await gathering.take(view as View<unknown>, page, true)
      return
    }
    const { format, jq, quiet } = this.choices
    const needsAll = !quiet && (format === 'json' || (jq !== undefined && format !== 'ndjson'))
    if (needsAll) {
      const all: Row[] = []
      for await (const page of pages) for (const row of page) all.push(row)
      return this.show(view, all)
    }
    if (format === 'xlsx' && !quiet) return this.workbookPages(view, pages)
    let layout: TableLayout | undefined
    let first = true
    const print = async (page: Row[]) => {
      const columns = this.columns(view, page)
      if (this.choices.quiet || this.choices.format === 'ndjson') await this.show(view, page)
      else if (this.choices.format !== 'table') await this.cells(columns, page, first)
      else if (!this.style.terminal) await this.lines(page.map((row) => tabLine(columns, row)))
      else if ((first && page.length === 0 && view.empty !== undefined) || view.card !== undefined)
        await this.show(view, page)
      else if (page.length > 0) {
        const style = await this.styleOf(view)
        layout ??= tableLayout(columns, page, style)
        await this.line(table(columns, page, style, { header: first && this.choices.header, layout }))
      }
      first = false
    }
    for await (const page of pages) await print(page)
    if (first) await print([])
  }

  /** Prints one object per line as it happens, for `-o ndjson` of listeners and tails. */
  async record(value: unknown): Promise<void> {
    await this.json(safeJson(value))
  }

  /** Prints what is JSON already: one value, or one per line. */
  async json(text: string): Promise<void> {
    await (this.choices.jq === undefined ? this.line(text) : this.choices.jq.select(text))
  }

  /** The requested columns, or those of the view that fit this terminal. Throws `UsageError`. */
  private columns<Shown>(view: View<Shown>, rows: readonly unknown[]): readonly Column[] {
    const { columns: names, format } = this.choices
    if (names !== undefined) {
      const columns = this.chosen.get(view) ?? chosenColumns(names, view, rows)
      this.chosen.set(view, columns)
      return columns
    }
    return this.style.terminal && format === 'table' ? visibleColumns(view.columns, this.style) : view.columns
  }

  /** Prints CSV or TSV, with the names of the columns first. */
  private async cells(columns: readonly Column[], rows: readonly unknown[], isFirst: boolean): Promise<void> {
    const isCsv = this.choices.format === 'csv'
    const { raw } = this.choices
    const { csvLine, headerLine, tsvLine } = await import('../../render/csv.js')
    const header = isFirst && this.choices.header ? [headerLine(columns, isCsv, raw)] : []
    const line = isCsv ? csvLine : tsvLine
    await this.lines([...header, ...rows.map((row) => line(columns, row, raw))])
  }

  /** Writes a workbook at the end of its rows: what is before them in the file says how many there are. */
  private async workbook(
    columns: readonly Column[],
    pages: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<void> {
    const { WorkbookRows } = await import('../../render/workbook.js')
    const workbook = new WorkbookRows(columns, this.choices.header)
    for await (const page of pages) await workbook.add(page)
    await writeOut(this.context.stdout, await workbook.end())
  }

  private async workbookPages<Row>(view: View<Row[]>, pages: AsyncIterable<Row[]>): Promise<void> {
    const iterator = pages[Symbol.asyncIterator]()
    const first = await iterator.next()
    const page = first.done === true ? [] : first.value
    const all = async function* () {
      yield page
      if (first.done !== true)
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    }
    await this.workbook(this.columns(view, page), all())
  }

  private async styleOf<Shown>({ timed }: View<Shown>): Promise<Style> {
    const style = timed === true && this.style.terminal ? await this.serviceStyleNow() : this.style
    return { ...style, unservedPages: this.pagesAreUnserved }
  }

  private async drawing<Shown>(view: View<Shown>, shown: Shown, rows: readonly unknown[]): Promise<void> {
    if (rows.length === 0 && view.empty !== undefined)
      return this.tell(typeof view.empty === 'function' ? view.empty(shown) : view.empty)
    const style = await this.styleOf(view)
    if (view.card !== undefined && this.choices.columns === undefined) return this.line(view.card(shown, style))
    await this.line(table(this.columns(view, rows), rows, style, { header: this.choices.header }))
  }

  private piped<Shown>(view: View<Shown>, shown: Shown, rows: readonly unknown[]): string[] {
    if (view.card !== undefined && view.rows === undefined && this.choices.columns === undefined)
      return fieldLines(shown)
    const columns = this.columns(view, rows)
    const header = view.pipeHeader && this.choices.header ? [columns.map(({ name }) => name).join('\t')] : []
    return [...header, ...rows.map((row) => tabLine(columns, row))]
  }

  private async lines(lines: readonly string[]): Promise<void> {
    for (let at = 0; at < lines.length; at += 1_000) await this.line(lines.slice(at, at + 1_000).join('\n'))
  }

  private async line(text: string): Promise<void> {
    if (this.context.gathering !== undefined) return
    if (this.pager !== undefined) await this.pager.write(`${text}\n`)
    else await writeOut(this.context.stdout, `${text}\n`)
  }
}

function listOf(shown: unknown): readonly unknown[] {
  return Array.isArray(shown) ? shown : [shown]
}

function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${wholeJson(value)}\n`).join('')
}
