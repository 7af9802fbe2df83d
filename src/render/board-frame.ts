import { dayMs, narrowSpan, spanText } from '../shared/durations.js'
import { type BoardColumn, boardColumns } from '../trade/problems.js'
import type { OrderWindow } from '../trade/promise.js'
import { endedBadly } from '../trade/statuses.js'
import { type BoardOrder, byUrgency, isAhead, orderKey } from './board-view.js'
import { pad, plainText, shorten, shortenMiddle, textWidth } from './plain-text.js'
import { paint, type Style } from './style.js'
import { dayText, statusWord, timeText } from './words.js'

/** The data of a frame of the live board. */
export interface BoardFrame {
  /** The account, such as `acme (production)`. */
  account: string
  orders: readonly BoardOrder[]
  /** Deliveries that were delivered since the board was started. */
  delivered: number
  startedMs: number
  filter: string
  /** The one account of several that is shown. */
  profile?: string | undefined
  /** The filter is being typed. */
  isTyping: boolean
  onlyTroubled: boolean
  /** The key of the selected order. */
  selected: string | undefined
  /** The first row shown of each column. */
  scroll: Partial<Record<BoardColumn, number>>
  /** Shown in place of the keys: an error, what a key did, or what is waited for. */
  message: string
  /** Everything under way has been read; before that, no count is known. */
  isRead: boolean
}

/** Rows and columns of a terminal. */
export interface ScreenSize {
  rows: number
  columns: number
}

/** The smallest terminal that shows the board. */
const smallestScreen: ScreenSize = { rows: 12, columns: 60 }

const gap = 2
/** Narrower terminals show one list, an order a line, since columns side by side would cut the references. */
const widthOfColumns = 120

/** The columns side by side, from left to right, with their titles; `other` only if there are any. */
const titles: readonly (readonly [BoardColumn, string])[] = [
  ['problems', 'PROBLEMS'],
  ['dispatch', 'DISPATCH'],
  ['pickup', 'TO STORE'],
  ['dropoff', 'TO DOOR'],
  ['other', 'OTHER'],
]

/** Lines above the columns: the totals, the titles. */
const above = 3
/** Lines below the columns: two of the selected order, the keys. */
const below = 4

/** Number of order rows that a terminal of this height shows. */
export function visibleRows({ rows }: ScreenSize): number {
  return rows - above - below
}

/** The orders that the filter leaves, by the column that shows them: one for all on a narrow terminal. */
export function columnsOnScreen(
  { orders, filter, onlyTroubled }: Pick<BoardFrame, 'orders' | 'filter' | 'onlyTroubled'>,
  { columns: width }: Pick<ScreenSize, 'columns'>,
): { name: BoardColumn; title: string; orders: BoardOrder[] }[] {
  const wanted = filter.trim().toLowerCase()
  const found = orders
    .filter((order) => !onlyTroubled || order.problem !== undefined)
    .filter((order) => wanted === '' || searched(order).includes(wanted))
    .sort(byUrgency)
  if (width < widthOfColumns) {
    const ordered = boardColumns.flatMap((name) => found.filter((order) => order.column === name && !isAhead(order)))
    return [{ name: 'problems', title: 'ORDERS', orders: [...ordered, ...found.filter(isAhead)] }]
  }
  return titles
    .map(([name, title]) => ({ name, title, orders: found.filter(({ column }) => column === name) }))
    .filter((column) => column.name !== 'other' || column.orders.length > 0)
}

function searched(order: BoardOrder): string {
  const { clientOrderReference, deliveryId, status, driver, storeReference, contactName, address, problem } = order
  const texts = [clientOrderReference, deliveryId, status, driver, storeReference, contactName, address, problem]
  return [...texts, order.profile].join('\n').toLowerCase()
}

/** The lines of a frame: as many as the terminal has rows, none wider than it. */
export function boardLines(frame: BoardFrame, style: Style, { rows, columns }: ScreenSize): string[] {
  if (rows < smallestScreen.rows || columns < smallestScreen.columns)
    return [shorten(`Needs ${smallestScreen.columns}×${smallestScreen.rows}.`, columns)]
  const shown = columnsOnScreen(frame, { columns })
  const widths = columnWidths(columns, shown.length)
  const height = visibleRows({ rows, columns })
  const drawn = shown.map((column, index) => columnLines(column, frame, height, widths[index] ?? 0, style))
  const body = Array.from({ length: height + 1 }, (_, row) =>
    drawn
      .map((lines, index) => pad(lines[row] ?? '', widths[index] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
  const selected = frame.orders.find((order) => orderKey(order) === frame.selected)
  return [
    headLine(frame, style, columns),
    '',
    ...body,
    paint(style, 'dim', '─'.repeat(columns)),
    ...detailLines(selected, style, columns),
    footLine(frame, style, columns),
  ]
}

/** The columns' widths; what is left over goes to the first. */
function columnWidths(columns: number, count: number): number[] {
  const room = columns - gap * (count - 1)
  const each = Math.floor(room / count)
  return Array.from({ length: count }, (_, index) => each + (index < room % count ? 1 : 0))
}

function columnLines(
  { name, title, orders }: ReturnType<typeof columnsOnScreen>[number],
  frame: BoardFrame,
  height: number,
  width: number,
  style: Style,
): string[] {
  const first = frame.scroll[name] ?? 0
  const draw = style.columns < widthOfColumns ? listLines(orders, width, style) : orderLine
  const count = frame.isRead ? String(orders.length) : '…'
  const head = `${paint(style, 'bold', shorten(title, width - count.length - 1))} ${count}`
  const hidden = orders.length - first - height
  const shown = orders.slice(first, first + (hidden > 0 ? height - 1 : height))
  const lines = shown.map((order) => draw(order, orderKey(order) === frame.selected, width, style))
  const more = orders.length - first - shown.length
  if (more > 0) lines.push(paint(style, 'dim', shorten(`… ${more} more`, width)))
  return [head, ...lines]
}

/** The width of an account's name in a column. */
const accountInColumn = 8

/** The account of an order to a width; empty if there is only one. */
function accountOf({ profile }: BoardOrder, width: number): string {
  return profile === undefined ? '' : pad(shortenMiddle(plainText(profile), width), width)
}

/** One order of a column: a mark if it is late, its reference, and as much more as fits. */
function orderLine(order: BoardOrder, isSelected: boolean, width: number, style: Style): string {
  const { lateMs } = order
  const time = lateMs > 0 ? `+${narrowSpan(lateMs)}` : narrowSpan(style.nowMs - order.sinceMs)
  const account = accountOf(order, accountInColumn)
  const ofState = Math.max(10, width - 27 - textWidth(account))
  const whole = stateText(order, style)
  // A window is left out rather than cut.
  const state = textWidth(whole) > ofState ? stateText({ ...order, window: undefined }, style) : whole
  const right = `${pad(shorten(state, ofState), ofState)} ${pad(time, 5, 'right')}`
  const room = width - 2 - textWidth(right) - 1
  const reference = plainText(nameOf(order))
  // The reference is what people look for: an account that would cut it is left to the lines below.
  const hasAccount = account !== '' && textWidth(reference) + textWidth(account) + 1 <= room
  const left = hasAccount ? room - textWidth(account) - 1 : room
  const name = pad(shortenMiddle(reference, left), left)
  return marked(order, `${hasAccount ? `${account} ` : ''}${name} ${right}`, isSelected, style)
}

/** The least width of a cell in the list; a narrower one is left out. */
const narrowest = 6
/** From this width on, every line of the list has its reference, state, driver and place. */
const widthOfWholeLines = 80

/**
 * Draws orders one below the other: reference, ETA or what is wrong, driver, store and address. A few long references are
 * shortened in the middle before they take the other columns' room; the selected order's is whole below the list.
 */
function listLines(orders: readonly BoardOrder[], width: number, style: Style): typeof orderLine {
  const texts = orders.map((order) => [
    plainText(nameOf(order)),
    stateText(order, style),
    plainText(order.driver ?? ''),
    plainText(placeOf(order)),
  ])
  const accounts = Math.min(16, Math.max(0, ...orders.map(({ profile = '' }) => textWidth(plainText(profile)))))
  const room = width - 2 - (accounts === 0 ? 0 : accounts + gap)
  const widths = texts.length === 0 ? [] : listWidths(texts, room, width < widthOfWholeLines)
  return (order, isSelected) => {
    const cells = texts[orders.indexOf(order)] ?? []
    const drawn = cells.flatMap((text, index) => {
      const own = widths[index] ?? 0
      const cut = index === 0 ? shortenMiddle : shorten
      return own < narrowest ? [] : [pad(cut(text, own), own)]
    })
    const account = accounts === 0 ? [] : [pad(accountOf(order, accounts), accounts)]
    return marked(order, [...account, ...drawn].join('  '), isSelected, style)
  }
}

/** The store and the address of an order, as far as they are known. */
function placeOf({ storeReference, address }: BoardOrder): string {
  return [storeReference, address].filter((text) => text !== undefined && text !== '').join(' → ')
}

/** What each column gets before any has more, and the most that it gets while another needs room. */
const listColumns = [
  { least: 16, most: 40 },
  { least: 16, most: 34 },
  { least: 8, most: 18 },
  { least: 12, most: 40 },
] as const

/** Widths of the list's columns: reference, state, driver and place. A column that would be too narrow has 0. */
function listWidths(texts: readonly (readonly string[])[], width: number, isNarrow: boolean): number[] {
  const sorted = listColumns.map((_, column) => texts.map((cells) => textWidth(cells[column] ?? '')).sort(byNumber))
  const longest = sorted.map((widths) => widths.at(-1) ?? 0)
  const mostNames = sorted[0]?.[Math.floor((texts.length - 1) * 0.9)] ?? 0
  const [names = 0] = longest
  // A narrow list rather shows references whole than drivers and stores, but none without its state.
  const shares = listColumns.map(({ least }, column) => {
    const natural = longest[column] ?? 0
    if (natural === 0) return 0
    if (isNarrow) return column === 0 ? natural : column === 1 ? Math.min(natural, least) : 0
    return Math.min(natural, least)
  })
  const room = () => width - shares.reduce((sum, share) => sum + (share === 0 ? 0 : share + gap), -gap)
  shares[0] = Math.min(shares[0] ?? 0, Math.max(narrowest, width - (isNarrow ? (shares[1] ?? 0) + gap : 0)))
  const widen = (column: number, wanted: number) => {
    const share = shares[column] ?? 0
    const free = room() - (share === 0 ? gap : 0)
    if (wanted > share && share + free >= narrowest) shares[column] = Math.min(wanted, share + free)
  }
  widen(0, Math.min(mostNames, listColumns[0].most))
  for (const column of [1, 2, 3]) widen(column, Math.min(longest[column] ?? 0, listColumns[column]?.most ?? 0))
  widen(0, names)
  widen(3, longest[3] ?? 0)
  return shares
}

const byNumber = (one: number, other: number) => one - other

function nameOf({ clientOrderReference, deliveryId }: BoardOrder): string {
  return clientOrderReference ?? deliveryId
}

function marked({ lateMs, problem }: BoardOrder, text: string, isSelected: boolean, style: Style): string {
  const whole = `${lateMs > 0 ? '!' : ' '} ${text}`
  if (isSelected) return inverse(whole, style)
  const ink = lateMs > 0 ? 'red' : problem === undefined ? undefined : 'yellow'
  return ink === undefined ? whole : paint(style, ink, whole)
}

const shortWords: Readonly<Record<string, string>> = {
  driver_assigned: 'assigned',
  driver_enroute_to_pickup: 'to store',
  driver_at_pickup: 'at store',
  pickup_complete: 'picked up',
  driver_enroute_to_dropoff: 'to door',
  driver_at_dropoff: 'at door',
}

/** The problem of an order, or else its status with its ETA or its window. */
function stateText({ status, problem, etaMs, window }: BoardOrder, style: Style): string {
  if (problem !== undefined) return plainText(problem)
  const word = plainText(Object.hasOwn(shortWords, status) ? (shortWords[status] ?? status) : status)
  if (etaMs !== undefined) return `${pad(word, 10)} ${minuteText(etaMs, style)}`
  const due = windowText(window, style)
  return due === '' ? word : `${pad(word, 9)} ${due}`
}

/** `15:00`, or `03-04 15:00` if that is more than twelve hours from now. */
function minuteText(atMs: number, style: Style): string {
  const time = timeText(atMs, style).slice(0, 5)
  return Math.abs(atMs - style.nowMs) > dayMs / 2 ? `${dayText(atMs, style.timeZone).slice(5)} ${time}` : time
}

/** `15:00–17:00`, `03-04 15:00–17:00`, `–17:00`; empty if no window is known. */
function windowText({ startMs, endMs }: OrderWindow = {}, style: Style): string {
  const [start, end] = [startMs, endMs].map((atMs) => (atMs === undefined ? '' : minuteText(atMs, style)))
  if (start === '' && end === '') return ''
  return `${start}–${start?.slice(0, -5) === end?.slice(0, -5) ? end?.slice(-5) : end}`
}

/** Without colour a selected line is marked by an arrow. */
function inverse(text: string, style: Style): string {
  return style.colour ? `\u001b[7m${text}\u001b[27m` : `>${text.slice(1)}`
}

function headLine(frame: BoardFrame, style: Style, columns: number): string {
  const { nowMs } = style
  const late = frame.orders.filter(({ lateMs }) => lateMs > 0).length
  const problems = frame.orders.filter(({ problem }) => problem !== undefined).length
  const clock = timeText(nowMs, style)
  const since = timeText(frame.startedMs, style).slice(0, 5)
  const counts = [
    `${frame.orders.filter(({ status, statusReasonCode }) => !endedBadly(status, statusReasonCode)).length} under way`,
    `${late} late`,
    `${problems} ${problems === 1 ? 'problem' : 'problems'}`,
    `${frame.delivered} delivered since ${since}`,
  ]
  const totals = [...(frame.isRead ? counts : ['not read yet']), plainText(frame.account)]
  const room = columns - clock.length - 2
  while (totals.length > 1 && textWidth(totals.join(' · ')) > room) totals.pop()
  return `${pad(shorten(totals.join(' · '), room), room)}  ${paint(style, 'dim', clock)}`
}

/** Two lines about the selected order. */
function detailLines(order: BoardOrder | undefined, style: Style, columns: number): [string, string] {
  if (order === undefined) return ['', '']
  const eta = order.etaMs === undefined ? '' : `ETA ${minuteText(order.etaMs, style)}`
  const window = windowText(order.window, style)
  const first = [
    plainText(order.clientOrderReference ?? order.deliveryId),
    plainText(order.status),
    spanText(Math.max(1_000, style.nowMs - order.sinceMs)),
    plainText(order.problem ?? ''),
    eta,
    window === '' ? '' : `window ${window}${order.isWindowSent ? ' (sent from here)' : ''}`,
  ]
  const second = [
    [order.driver, order.vehicle].filter((text) => text !== undefined).join(', '),
    [order.storeReference, order.address].filter((text) => text !== undefined).join(' → '),
    order.deliveryId,
    order.profile ?? '',
  ].map(plainText)
  const [head = '', ...rest] = first.filter((text) => text !== '')
  const line = shorten([head, ...rest].join('  '), columns)
  return [
    line.startsWith(`${head}  ${order.status}`)
      ? `${paint(style, 'bold', head)}  ${statusWord(order.status, style)}${line.slice(head.length + 2 + order.status.length)}`
      : line,
    paint(style, 'dim', shorten(second.filter((text) => text !== '').join('  '), columns)),
  ]
}

export const boardKeys = '←↑↓→ move · Enter card · o open · / filter · L problems only · ? help · q quit'

function footLine(frame: BoardFrame, style: Style, columns: number): string {
  if (frame.isTyping) return shorten(`/${plainText(frame.filter)}▏ Enter keeps it, Esc clears it`, columns)
  if (frame.message !== '') return paint(style, 'yellow', shorten(plainText(frame.message), columns))
  const active = [
    frame.filter === '' ? '' : `filter "${plainText(frame.filter)}"`,
    frame.onlyTroubled ? 'problems only' : '',
    frame.profile === undefined ? '' : `only ${plainText(frame.profile)}`,
  ]
  const said = active.filter((text) => text !== '').join(', ')
  return paint(style, 'dim', shorten(said === '' ? boardKeys : `${said} (Esc shows all) · ${boardKeys}`, columns))
}
