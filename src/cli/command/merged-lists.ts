import { UsageError } from '../../contract/index.js'
import { profileColumn, type View, withProfile } from '../../render/view.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { nextPage, showLastLine } from '../output/paged-list.js'
import type { Merging, Paging } from '../process/context.js'
import type { Session } from '../session/session.js'

/** What one account has of a list. Its rows are read as far as the merged list needs them. */
export class AccountList {
  /** Resolves when the command of the account has rows to read, or has ended without any. */
  readonly ready: Promise<void>
  opened: { view: View<unknown[]>; pages: AsyncIterable<unknown[]>; merging: Merging } | undefined
  /** The command has its rows or has ended. */
  readonly isReady: () => void
  private endReading: (() => void) | undefined
  private failReading: ((error: unknown) => void) | undefined

  constructor(readonly profile: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    this.isReady = resolve
  }

  /** Takes the rows of the account's command, which continues once they are read, or fails as reading them did. */
  offer<Row, Shown>(view: View<Shown[]>, pages: AsyncIterable<Row[]>, merging: Merging<Row, Shown>): Promise<void> {
    this.opened = { view: view as View<unknown[]>, pages, merging: merging as unknown as Merging }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.endReading = resolve
    this.failReading = reject
    this.isReady()
    return promise
  }

  /** The rows; the command of the account is told of a failure, which ends them. */
  async *rows(): AsyncGenerator<unknown> {
    try {
      for await (const page of this.opened?.pages ?? []) yield* page
    } catch (error) {
      this.failReading?.(error)
    }
  }

  /** No more rows are wanted. */
  close(): void {
    this.endReading?.()
  }
}

/** Where a list over several accounts is continued: after a row of this time, and others of the same moment. */
interface ListPlace {
  atMs: number
  shown: readonly string[]
  /** The other end of the period by its flag, of accounts whose service has another time than the first one's. */
  ends: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Accounts whose period ends before the place, which have no more rows. */
  ended: readonly string[]
}

/** The flags of a period. */
const timeFlags = new Set(['from', 'to', 'since', 'until'])

/** The words for an account, with the end of its own period. */
export function wordsAt(words: readonly string[], place: ListPlace | undefined, profile: string): string[] {
  const own = Object.entries(place?.ends[profile] ?? {})
  const names = own.map(([flag]) => `--${flag}`)
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const others = words
    .slice(0, end)
    .filter((word, at) => !names.includes(word.split('=')[0] ?? '') && !names.includes(words[at - 1] ?? ''))
  return [...others, ...own.flatMap(([flag, time]) => [`--${flag}`, time]), ...words.slice(end)]
}

/** The words of a command line without `--cursor`, and the place that it names. @throws UsageError for another cursor */
export function placeIn(words: readonly string[]): { words: string[]; place: ListPlace | undefined } {
  const end = words.indexOf('--')
  const at = words.findIndex((word, place) => (end === -1 || place < end) && /^--cursor(?:=|$)/.test(word))
  if (at === -1) return { words: [...words], place: undefined }
  const isApart = words[at] === '--cursor'
  const text = isApart ? (words[at + 1] ?? '') : (words[at]?.slice('--cursor='.length) ?? '')
  const value = tryParseJson(Buffer.from(text, 'base64url').toString('utf8'))?.value
  const { atMs, shown, ends, ended } = isRecord(value) ? value : {}
  if (typeof atMs !== 'number' || !Array.isArray(shown))
    throw new UsageError(`--cursor ${text.slice(0, 40)} is not of a list over several accounts.`, {
      hint: 'Take the one that such a list printed, or name one account: -P NAME',
    })
  return {
    words: words.toSpliced(at, isApart ? 2 : 1),
    place: { atMs, shown: shown.map(String), ends: endsIn(ends), ended: Array.isArray(ended) ? ended.map(String) : [] },
  }
}

function endsIn(given: unknown): ListPlace['ends'] {
  const timesIn = (value: unknown) =>
    Object.entries(isRecord(value) ? value : {}).flatMap(([flag, time]) =>
      typeof time === 'string' && timeFlags.has(flag) ? [[flag, time] as const] : [],
    )
  return Object.fromEntries(
    Object.entries(isRecord(given) ? given : {}).map(([profile, times]) => [
      profile,
      Object.fromEntries(timesIn(times)),
    ]),
  )
}

type OpenList = AccountList & { opened: NonNullable<AccountList['opened']> }

/** A row, and the list that it is of. */
interface MergedRow {
  list: OpenList
  row: unknown
}

/**
 * Prints the lists of several accounts as one, in the list's own order, with `--limit` over all of them. Answers with
 * whether there was any: a command may show something else.
 */
export async function showMerged(
  session: Session,
  accounts: readonly AccountList[],
  place: ListPlace | undefined,
): Promise<boolean> {
  const lists = accounts.filter((list): list is OpenList => list.opened !== undefined)
  const [first] = lists
  if (first === undefined) return false
  const { view, merging } = first.opened
  const { card: _, rows: __, ...rest } = view
  const shown = new ShownRows(merging, place)
  try {
    const pages = shown.pages(merged(lists, merging.compare?.bind(merging)))
    await session.output.pages({ ...rest, columns: [profileColumn, ...rest.columns] }, pages)
  } finally {
    for (const list of lists) list.close()
  }
  await showLastLine(session.output, merging.lastLine?.bind(merging))
  sayMore(session, lists, shown)
  return true
}

/** Lists that are each in order as one; without an order they take turns, so that a limit leaves no account out. */
async function* merged(lists: readonly OpenList[], compare: Merging['compare']): AsyncGenerator<MergedRow> {
  const readers = lists.map((list) => list.rows())
  try {
    let last = -1
    const heads = await Promise.all(readers.map((reader) => reader.next()))
    for (;;) {
      last = compare === undefined ? nextInTurn(heads, last) : firstOf(heads, compare)
      const [list, reader] = [lists[last], readers[last]]
      if (list === undefined || reader === undefined) return
      yield { list, row: heads[last]?.value }
      heads[last] = await reader.next()
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return(undefined)))
  }
}

type Heads = readonly IteratorResult<unknown>[]

/** Which list's first row comes first; -1 if all have ended. */
function firstOf(heads: Heads, compare: NonNullable<Merging['compare']>): number {
  let best = -1
  for (const [at, head] of heads.entries())
    if (!head.done && (best === -1 || compare(head.value, heads[best]?.value) < 0)) best = at
  return best
}

/** The list after the last one that has rows; -1 if all have ended. */
function nextInTurn(heads: Heads, last: number): number {
  const after = heads.findIndex((head, at) => at > last && !head.done)
  return after === -1 ? heads.findIndex((head) => !head.done) : after
}

const pageRows = 100

/** The rows of a merged list that are shown, up to `--limit`. */
class ShownRows {
  count = 0
  hasMore = false
  /** The last row that was shown, and those that were shown of its moment. */
  private lastMs: number | undefined
  private ofMoment: string[] = []
  private readonly atMs: (row: unknown) => number
  private readonly sign: number

  constructor(
    private readonly merging: Merging,
    private readonly place: ListPlace | undefined,
  ) {
    const { paging } = merging
    this.atMs = (row) => Date.parse(paging?.timeOf(row) ?? '')
    this.sign = paging?.flag === 'to' ? -1 : 1
    if (place !== undefined && paging === undefined)
      throw new UsageError('--cursor continues a list of the service in the order of time, not this one.', {
        hint: 'Use --all or a larger --limit.',
      })
    this.ofMoment = [...(place?.shown ?? [])]
    this.lastMs = place?.atMs
  }

  async *pages(rows: AsyncIterable<MergedRow>): AsyncGenerator<unknown[]> {
    let page: unknown[] = []
    for await (const one of this.merging.keepsLast ? lastOf(rows, this.merging.most) : this.upToLimit(rows)) {
      page.push(this.take(one))
      if (page.length < pageRows) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  private async *upToLimit(rows: AsyncIterable<MergedRow>): AsyncGenerator<MergedRow> {
    for await (const one of rows) {
      if (this.wasShown(one)) continue
      if (this.count === this.merging.most) {
        this.hasMore = true
        return
      }
      yield one
    }
  }

  /** Whether an earlier page had the row. */
  private wasShown(one: MergedRow): boolean {
    const { paging } = this.merging
    if (this.place === undefined || paging === undefined) return false
    const afterMs = this.sign * (this.atMs(one.row) - this.place.atMs)
    return afterMs < 0 || (afterMs === 0 && this.place.shown.includes(keyOf(one, paging)))
  }

  private take(one: MergedRow): Record<string, unknown> {
    const { merging } = this
    const { paging } = merging
    const shown = merging.shownOf === undefined ? one.row : merging.shownOf(one.row)
    this.count++
    merging.onRow?.(shown)
    if (paging !== undefined) {
      const atMs = this.atMs(one.row)
      if (atMs !== this.lastMs) this.ofMoment = []
      this.lastMs = atMs
      this.ofMoment.push(keyOf(one, paging))
    }
    return withProfile(one.list.profile, shown)
  }

  /** Where the next page begins: the cursor, and the flags of the period; `undefined` if no time leads there. */
  next(lists: readonly OpenList[]): { cursor: string; times: Record<string, unknown> } | undefined {
    const { paging } = this.merging
    const { lastMs: atMs, ofMoment: shown } = this
    if (paging === undefined || atMs === undefined || Number.isNaN(atMs)) return undefined
    const typed = lists.find((list) => !isOver(list, atMs)) ?? lists[0]
    const place = { atMs, shown, ...otherEnds(lists, typed, atMs, this.place) }
    const cursor = Buffer.from(JSON.stringify(place)).toString('base64url')
    // Both ends are as the service takes them: the end of a period is not in it.
    const end = new Date(paging.flag === 'to' ? atMs + 1 : atMs).toISOString()
    return { cursor, times: { ...typed?.opened.merging.paging?.times, [paging.flag]: end } }
  }
}

/** Clocks that differ by less are one time: each is read at another moment. */
const sameTimeMs = 1_000

/** The far end of an account's period, by its flag. */
function endOf({ opened: { merging } }: OpenList) {
  const { flag: near, times = {} } = merging.paging ?? {}
  const [flag = '', time] = Object.entries(times).find(([flag, time]) => flag !== near && time !== undefined) ?? []
  return { flag, time: String(time), ms: Date.parse(String(time)) }
}

/** Whether the period of an account ends before a place. */
function isOver(list: OpenList, atMs: number): boolean {
  const { flag, ms } = endOf(list)
  return flag === 'from' ? ms > atMs : ms <= atMs
}

/**
 * The far ends of the periods of accounts that have another time than the one whose times are typed, and the accounts whose
 * period ends before a place; those of the page before where an account did not answer.
 */
function otherEnds(
  lists: readonly OpenList[],
  typed: OpenList | undefined,
  atMs: number,
  before: ListPlace | undefined,
): Partial<ListPlace> {
  const typedMs = typed === undefined ? Number.NaN : endOf(typed).ms
  const ends: Record<string, ListPlace['ends'][string]> = { ...before?.ends }
  const ended = [...(before?.ended ?? [])]
  for (const list of lists) {
    const { flag, time, ms } = endOf(list)
    if (flag === '') continue
    delete ends[list.profile]
    if (isOver(list, atMs)) ended.push(list.profile)
    else if (Math.abs(ms - typedMs) >= sameTimeMs) ends[list.profile] = { [flag]: time }
  }
  return { ...(Object.keys(ends).length > 0 && { ends }), ...(ended.length > 0 && { ended }) }
}

function keyOf({ list, row }: MergedRow, { idOf }: Paging<unknown>): string {
  return `${list.profile}/${idOf(row)}`
}

/** The last rows; no more than these are held. */
async function* lastOf(rows: AsyncIterable<MergedRow>, most: number): AsyncGenerator<MergedRow> {
  if (most === Number.POSITIVE_INFINITY) return yield* rows
  let held: MergedRow[] = []
  for await (const one of rows) {
    held.push(one)
    if (held.length >= 2 * most + pageRows) held = held.slice(-most)
  }
  yield* held.slice(-most)
}

/** Says what the list lacks, as for one account. */
function sayMore({ notices, words }: Session, lists: readonly OpenList[], shown: ShownRows): void {
  const [{ merging } = { merging: undefined }] = lists.map(({ opened }) => opened)
  if (merging === undefined || merging.keepsLast) return
  const { most, end, isChosen } = merging
  const { count, hasMore } = shown
  const next = hasMore ? shown.next(lists) : undefined
  const totals = lists.flatMap(({ opened }) => opened.merging.total?.() ?? [])
  const total = totals.length === lists.length ? totals.reduce((sum, one) => sum + one, 0) : 0
  if (next !== undefined) {
    if (!isChosen) notices.notice(`Showing the first ${most}; use --all for the rest.`)
    notices.notice(`Next page: ${nextPage(words, next.times as Record<string, string>, next.cursor)}`)
  } else if (total > count || (hasMore && !isChosen)) {
    const of = total > count ? ` of ${total}` : ''
    notices.notice(`Showing the ${end} ${count}${of}; use --all or --limit for more.`)
  }
  const remarks = Map.groupBy(lists, ({ opened }) => opened.merging.remark?.(count === 0))
  for (const [remark, of] of remarks) {
    if (remark === undefined) continue
    const owners = remarks.size > 1 ? `${of.map(({ profile }) => profile).join(', ')}: ` : ''
    notices.notice(`${owners}${remark}`)
  }
}
