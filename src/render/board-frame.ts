import { type StageName, shortStatus, stages } from './board-stages.js'
import { type BoardOrder, byUrgency, endedBadly, lateMs } from './board-view.js'
import { plainText } from './plain-text.js'
import { statusWord } from './status-word.js'
import { paint, type Style } from './style.js'
import { pad, shorten, shortenMiddle, textWidth } from './text-width.js'
import { spanText, timeText } from './times.js'

/** What a frame of the live board is drawn from. */
export interface BoardFrame {
  /** The account, such as `acme (production)`. */
  account: string
  orders: readonly BoardOrder[]
  /** Deliveries that were delivered since the board was started. */
  delivered: number
  startedMs: number
  filter: string
  /** The filter is being typed. */
  isTyping: boolean
  onlyTroubled: boolean
  selectedId: string | undefined
  /** The first row shown of each column. */
  scroll: Partial<Record<StageName, number>>
  /** Shown in place of the keys: an error, or what a key did. */
  message: string
}

/** Rows and columns of a terminal. */
export interface ScreenSize {
  rows: number
  columns: number
}

/** The smallest terminal that shows the board. */
export const smallestScreen: ScreenSize = { rows: 12, columns: 60 }

const gap = 2
/** Lines above the columns: the totals, the titles. */
const above = 3
/** Lines below the columns: two of the selected order, the keys. */
const below = 4

/** How many rows of orders a terminal of this height shows. */
export function visibleRows({ rows }: ScreenSize): number {
  return rows - above - below
}

/** The orders of each column that the filter leaves, the most urgent first. */
export function boardColumns(
  { orders, filter, onlyTroubled }: Pick<BoardFrame, 'orders' | 'filter' | 'onlyTroubled'>,
  nowMs: number,
): Record<StageName, BoardOrder[]> {
  const columns: Record<StageName, BoardOrder[]> = { problems: [], dispatch: [], pickup: [], dropoff: [] }
  const wanted = filter.trim().toLowerCase()
  for (const order of orders) {
    if (onlyTroubled && order.stage !== 'problems' && lateMs(order, nowMs) === 0) continue
    if (wanted === '' || searched(order).includes(wanted)) columns[order.stage].push(order)
  }
  for (const { name } of stages) columns[name].sort(byUrgency(nowMs))
  return columns
}

function searched(order: BoardOrder): string {
  const { clientOrderReference, deliveryId, status, driver, storeReference, contactName, address, statusReasonCode } =
    order
  return [clientOrderReference, deliveryId, status, driver, storeReference, contactName, address, statusReasonCode]
    .join('\n')
    .toLowerCase()
}

/** The lines of a frame: as many as the terminal has rows, none wider than it. */
export function boardLines(frame: BoardFrame, style: Style, { rows, columns }: ScreenSize): string[] {
  if (rows < smallestScreen.rows || columns < smallestScreen.columns)
    return [shorten(`Needs ${smallestScreen.columns}×${smallestScreen.rows}.`, columns)]
  const { nowMs } = style
  const byStage = boardColumns(frame, nowMs)
  const widths = columnWidths(columns)
  const height = visibleRows({ rows, columns })
  const drawn = stages.map(({ name, title }, index) =>
    columnLines(byStage[name], title, frame, frame.scroll[name] ?? 0, height, widths[index] ?? 0, style),
  )
  const body = Array.from({ length: height + 1 }, (_, row) =>
    drawn
      .map((lines, index) => pad(lines[row] ?? '', widths[index] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
  const selected = frame.orders.find(({ deliveryId }) => deliveryId === frame.selectedId)
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
function columnWidths(columns: number): number[] {
  const room = columns - gap * (stages.length - 1)
  const each = Math.floor(room / stages.length)
  return stages.map((_, index) => each + (index < room % stages.length ? 1 : 0))
}

function columnLines(
  orders: readonly BoardOrder[],
  title: string,
  frame: BoardFrame,
  first: number,
  height: number,
  width: number,
  style: Style,
): string[] {
  const count = String(orders.length)
  const head = `${paint(style, 'bold', shorten(title, width - count.length - 1))} ${count}`
  const hidden = orders.length - first - height
  const shown = orders.slice(first, first + (hidden > 0 ? height - 1 : height))
  const lines = shown.map((order) => orderLine(order, order.deliveryId === frame.selectedId, width, style))
  const more = orders.length - first - shown.length
  if (more > 0) lines.push(paint(style, 'dim', shorten(`… ${more} more`, width)))
  return [head, ...lines]
}

/** One order: a mark if it is late, its reference, and as much more as fits. */
function orderLine(order: BoardOrder, isSelected: boolean, width: number, style: Style): string {
  const late = lateMs(order, style.nowMs)
  const time = late > 0 ? `+${shortSpan(late)}` : shortSpan(style.nowMs - order.sinceMs)
  const right = [...stateText(order, width, style), pad(time, 5, 'right')].join(' ')
  const room = width - 2 - textWidth(right) - 1
  const name = pad(shortenMiddle(plainText(order.clientOrderReference ?? order.deliveryId), room), room)
  const mark = late > 0 ? '!' : ' '
  if (isSelected) return inverse(`${mark} ${name} ${right}`, style)
  const ink = late > 0 ? 'red' : order.stage === 'problems' ? 'yellow' : undefined
  const whole = `${mark} ${name} ${right}`
  return ink === undefined ? whole : paint(style, ink, whole)
}

/** What there is room for besides the reference: the status and the ETA, or the reason of a problem. */
function stateText(order: BoardOrder, width: number, style: Style): string[] {
  if (width < 30) return []
  if (width >= 44 && order.stage === 'problems')
    return [pad(shorten(plainText(order.statusReasonCode ?? shortStatus(order.status)), 22), 22)]
  const status = pad(shorten(plainText(shortStatus(order.status)), 10), 10)
  if (width < 44) return [status]
  return [status, pad(order.etaMs === undefined ? '' : timeText(order.etaMs, style).slice(0, 5), 5)]
}

/** Without colour a selected line is marked by an arrow. */
function inverse(text: string, style: Style): string {
  return style.colour ? `\u001b[7m${text}\u001b[27m` : `>${text.slice(1)}`
}

/** `45s`, `12m`, `3h`, `2d`: at most four columns. */
function shortSpan(spanMs: number): string {
  const [whole = ''] = spanText(Math.max(1_000, spanMs)).split(' ')
  return whole
}

function headLine(frame: BoardFrame, style: Style, columns: number): string {
  const { nowMs } = style
  const late = frame.orders.filter((order) => lateMs(order, nowMs) > 0).length
  const problems = frame.orders.filter(({ stage }) => stage === 'problems').length
  const clock = timeText(nowMs, style)
  const since = timeText(frame.startedMs, style).slice(0, 5)
  const totals = [
    `${frame.orders.filter(({ status }) => !endedBadly.has(status)).length} under way`,
    `${late} late`,
    `${problems} ${problems === 1 ? 'problem' : 'problems'}`,
    `${frame.delivered} delivered since ${since}`,
    plainText(frame.account),
  ]
  const room = columns - clock.length - 2
  while (totals.length > 1 && textWidth(totals.join(' · ')) > room) totals.pop()
  return `${pad(shorten(totals.join(' · '), room), room)}  ${paint(style, 'dim', clock)}`
}

/** Two lines about the selected order. */
function detailLines(order: BoardOrder | undefined, style: Style, columns: number): [string, string] {
  if (order === undefined) return ['', '']
  const late = lateMs(order, style.nowMs)
  const eta = order.etaMs === undefined ? '' : `ETA ${timeText(order.etaMs, style).slice(0, 5)}`
  const first = [
    plainText(order.clientOrderReference ?? order.deliveryId),
    plainText(order.status),
    spanText(Math.max(1_000, style.nowMs - order.sinceMs)),
    plainText(order.statusReasonCode ?? ''),
    late > 0 ? `${eta}, ${spanText(late)} late` : eta,
  ]
  const second = [
    [order.driver, order.vehicle].filter((text) => text !== undefined).join(', '),
    [order.storeReference, order.address].filter((text) => text !== undefined).join(' → '),
    order.deliveryId,
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

export const boardKeys = '←↑↓→ move · Enter card · o open · / filter · L late only · ? help · q quit'

function footLine(frame: BoardFrame, style: Style, columns: number): string {
  if (frame.isTyping) return shorten(`/${plainText(frame.filter)}▏ Enter keeps it, Esc clears it`, columns)
  if (frame.message !== '') return paint(style, 'yellow', shorten(plainText(frame.message), columns))
  const active = [
    frame.filter === '' ? '' : `filter "${plainText(frame.filter)}"`,
    frame.onlyTroubled ? 'late only' : '',
  ]
  const said = active.filter((text) => text !== '').join(', ')
  return paint(style, 'dim', shorten(said === '' ? boardKeys : `${said} (Esc shows all) · ${boardKeys}`, columns))
}
