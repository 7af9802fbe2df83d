import { setImmediate as nextTurn } from 'node:timers/promises'
import { Flags, type Interfaces } from '@oclif/core'
import { limits, type Time, UsageError } from '../../contract/index.js'
import { prose } from '../../render/plain-text.js'
import type { View } from '../../render/view.js'
import { shellWord } from '../../shared/command-words.js'
import { capYoungGeneration } from '../../shared/young-generation.js'
import type { Merging, Paging } from '../process/context.js'
import type { Notices } from './notices.js'
import type { Output } from './output.js'
import { inPages } from './row-pages.js'

/** Flags of every paged list. */
export const listFlags = {
  limit: Flags.integer({
    char: 'l',
    summary: `Maximum number of results (default ${limits.pageSizeDefault})`,
    helpValue: 'N',
  }),
  all: Flags.boolean({ char: 'a', summary: 'All results', exclusive: ['limit'] }),
  cursor: Flags.string({ summary: 'Start at the nextCursor of an earlier list', helpValue: 'CURSOR' }),
}

export type ListFlags = Interfaces.InferredFlags<typeof listFlags>

/** The start of a page, and its maximum number of rows. */
interface PageStart {
  limit: number
  cursor?: string | undefined
}

/** A paged list, and how it is shown. */
interface PagedList<Page, Row> {
  view: View<Row[]>
  flags: ListFlags
  /** Opens the pages of the list from a cursor on. */
  open(start: PageStart): AsyncIterable<Page>
  rowsOf(page: Page): readonly Row[]
  /** Called with each row that is shown. */
  onRow?(row: Row): void
  /** A last line for people, such as totals; none if it is empty. */
  lastLine?(): string
  /** The words of this command. */
  typed: readonly string[]
  /** The times that a cursor depends on, by the flags that may give them in relative terms. */
  times?: Readonly<Record<string, Time | undefined>>
  /** The order of a list by time, by which those of several accounts are merged and continued. */
  order?: Pick<Paging<Row>, 'flag' | 'timeOf' | 'idOf'>
  remark?: Merging<Row>['remark']
}

/**
 * Prints a paged list up to `--limit`, or all of it, as the pages arrive. If there are more rows, prints the
 * command for the next page on stderr.
 */
export async function listed<Page extends { nextCursor?: string | null | undefined }, Row>(
  output: Output,
  notices: Notices,
  list: PagedList<Page, Row>,
): Promise<void> {
  const { view, flags, typed, times = {} } = list
  const most = mostRows(flags)
  if (most > limits.pageSizeMax && output.ownsHeap) capYoungGeneration()
  if (output.isGathered) return output.merged(view, wholePages(list, most), mergingOf(list, most))
  const more: { cursor?: string } = {}
  await output.pages(view, pagesUpTo(most, list, more, readsAhead(output)))
  await showLastLine(output, list.lastLine)
  if (more.cursor === undefined) return
  if (flags.limit === undefined) notices.notice(`Showing the first ${most}; use --all for the rest.`)
  notices.notice(`Next page: ${nextPage(typed, times, more.cursor)}`)
}

/** A list without a cursor: its order or its filters are not the service's. */
interface RowList<Row, Shown> {
  view: View<Shown[]>
  rows: AsyncIterable<Row>
  /** What is printed of a row. */
  shownOf(row: Row): Shown
  flags: Pick<ListFlags, 'all' | 'limit'>
  /** Describes the rows in the notice that there are more: `first` or `newest`. */
  end: 'first' | 'newest'
  /** The number of all rows, if it is known once the first is. */
  total?(): number | undefined
  onRow?(row: Shown): void
  lastLine?(): string
  /** Which of two rows comes first, by which the lists of several accounts are merged. */
  compare?(one: Row, other: Row): number
  remark?: Merging<Row>['remark']
}

/** Prints rows up to `--limit`, or all of them, as they are found. Without `--limit`, or if their number is known, it says if there are more. */
export async function listedRows<Row, Shown>(
  output: Output,
  notices: Notices,
  list: RowList<Row, Shown>,
): Promise<void> {
  const { view, rows, shownOf, flags, end, total, onRow, lastLine } = list
  const most = mostRows(flags)
  if (most > limits.pageSizeMax && output.ownsHeap) capYoungGeneration()
  if (output.isGathered)
    return output.merged(view, await singly(rows), { ...list, most, isChosen: flags.limit !== undefined })
  let hasMore = false
  let count = 0
  const shown = async function* () {
    for await (const row of rows) {
      if (count === most) {
        hasMore = true
        return
      }
      count++
      const shown = shownOf(row)
      onRow?.(shown)
      yield shown
      if (count === flags.limit) return
    }
  }
  await output.pages(view, inPages(shown(), pageMs))
  await showLastLine(output, lastLine)
  const all = total?.() ?? 0
  if (hasMore || all > count)
    notices.notice(`Showing the ${end} ${count}${all > count ? ` of ${all}` : ''}; use --all or --limit for more.`)
}

/**
 * Each row when it is wanted, because to complete one can take a request. The first is found at once: what has to be read to
 * order the rows is read while few other accounts do so.
 */
async function singly<Row>(rows: AsyncIterable<Row>): Promise<AsyncGenerator<Row[]>> {
  const reader = rows[Symbol.asyncIterator]()
  const first = await reader.next()
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await reader.next()) yield [next.value]
    } finally {
      await reader.return?.()
    }
  })()
}

/** The pages of a list for as long as more are wanted. */
async function* wholePages<Page, Row>({ open, rowsOf }: PagedList<Page, Row>, most: number): AsyncGenerator<Row[]> {
  for await (const page of open({ limit: Math.min(most + 1, limits.pageSizeMax) })) yield [...rowsOf(page)]
}

function mergingOf<Page, Row>(list: PagedList<Page, Row>, most: number): Merging<Row> {
  const { flags, order, times = {}, onRow, lastLine, remark } = list
  const merging = { most, end: 'first', isChosen: flags.limit !== undefined, onRow, lastLine, remark } as const
  if (order === undefined) return merging
  const atMs = (row: Row) => Date.parse(order.timeOf(row) ?? '') || 0
  const sign = order.flag === 'to' ? -1 : 1
  return { ...merging, compare: (one, other) => sign * (atMs(one) - atMs(other)), paging: { ...order, times } }
}

/** Rows that take longer to find are printed meanwhile. */
const pageMs = 1_000

/** The number of rows that the flags allow. Throws `UsageError` for less than one. */
export function mostRows(flags: Pick<ListFlags, 'all' | 'limit'>): number {
  const most = flags.all ? Number.POSITIVE_INFINITY : (flags.limit ?? limits.pageSizeDefault)
  if (most < 1) throw new UsageError(`--limit must be at least 1, got ${most}.`)
  return most
}

/** Prints the last line of a list for people. */
export async function showLastLine(output: Output, lastLine: (() => string) | undefined): Promise<void> {
  const text = output.forPeople ? (lastLine?.() ?? '') : ''
  if (text !== '') await output.text(prose(text, output.style))
}

/** The same command for the page at a cursor. Relative times become absolute, because a cursor belongs to its query. */
export function nextPage(
  typed: readonly string[],
  times: Readonly<Record<string, Time | undefined>>,
  cursor: string,
): string {
  const flags = Object.entries({ ...times, cursor }).filter(([, value]) => value !== undefined)
  const names = flags.map(([name]) => `--${name}`)
  const others = typed.filter(
    (word, at) => !names.includes(word.split('=')[0] ?? '') && !names.includes(typed[at - 1] ?? ''),
  )
  const own = flags.flatMap(([name, value]) => [`--${name}`, String(value)])
  return ['dlv', ...others, ...own].map(shellWord).join(' ')
}

/**
 * Whether a page is requested before the one before it is printed. A person can stop a terminal for as long as they like,
 * and the whole program with it: no request may wait for that. A filter can end the list with any object.
 */
function readsAhead({ style, choices }: Output): boolean {
  return !style.terminal && choices.jq === undefined
}

/** The rows of a list, page by page. The last page is no longer than needed, so that its cursor leads to the next row. */
async function* pagesUpTo<Page extends { nextCursor?: string | null | undefined }, Row>(
  most: number,
  { flags, open, rowsOf, onRow }: PagedList<Page, Row>,
  more: { cursor?: string },
  isAhead: boolean,
): AsyncGenerator<Row[]> {
  let missing = most
  let cursor = flags.cursor
  while (missing > 0) {
    const limit = Math.min(missing, limits.pageSizeMax)
    let next: string | null | undefined
    const pages = open({ limit, cursor })
    const isNextWanted = (page: Page) => isAhead && missing - rowsOf(page).length >= limit
    for await (const page of readAhead(pages, isNextWanted)) {
      const rows = rowsOf(page)
      const shown = rows.slice(0, missing)
      if (onRow !== undefined) shown.forEach(onRow)
      if (shown.length > 0) yield shown
      missing -= rows.length
      next = page.nextCursor
      if (missing < limit) break
    }
    if (next == null || next === '') return
    cursor = next
  }
  // If the service sends more rows than requested, its cursor points past rows that were not shown.
  if (missing === 0 && cursor !== undefined) more.cursor = cursor
}

/**
 * The same pages. If the next one is wanted, it is requested before a page is handed on, so that it is on its way while
 * the page is printed. It is never more than one ahead, and its failure counts once the pages before it are printed.
 */
async function* readAhead<Page>(
  pages: AsyncIterable<Page>,
  isNextWanted: (page: Page) => boolean,
): AsyncGenerator<Page> {
  const source = pages[Symbol.asyncIterator]()
  try {
    for (let asked: Promise<IteratorResult<Page>> | undefined; ; ) {
      const { done, value } = await (asked ?? source.next())
      if (done === true) return
      asked = undefined
      if (isNextWanted(value)) {
        asked = source.next()
        asked.catch(() => undefined)
        await hasLeft()
      }
      yield value
    }
  } finally {
    // It may wait for a response; nobody else does.
    source.return?.(undefined).catch(() => undefined)
  }
}

/** undici looks at a connection for a turn of the event loop before it sends on it again; printing would hold that up. */
async function hasLeft(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
