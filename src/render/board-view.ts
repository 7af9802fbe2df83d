import { spanText } from '../shared/durations.js'
import type { BoardColumn } from '../trade/problems.js'
import type { OrderWindow } from '../trade/promise.js'
import { plainText, plainValue, shortenMiddle } from './plain-text.js'
import { cell, deliveryIdOf, type View } from './view.js'
import { statusWord } from './words.js'

/** A delivery under way, as the board shows it. Times are milliseconds since the epoch. */
export interface BoardOrder {
  /** Its account, if several are shown. */
  profile?: string | undefined
  deliveryId: string
  clientOrderReference?: string | undefined
  status: string
  column: BoardColumn
  /** When it got its status, as far as that is known. */
  sinceMs: number
  /** When it is to be at the dropoff, by the newest ETA. */
  etaMs?: number | undefined
  /** The window that it was ordered for, if the service or this machine knows it. */
  window?: OrderWindow | undefined
  /** Only this machine knows the window, by the order that it sent. */
  isWindowSent?: boolean | undefined
  /** The problem, such as `no driver for 97 min`. */
  problem?: string | undefined
  /** The delay in milliseconds; 0 if the order is not late, or if that is unknown. */
  lateMs: number
  statusReasonCode?: string | undefined
  driver?: string | undefined
  vehicle?: string | undefined
  storeReference?: string | undefined
  contactName?: string | undefined
  address?: string | undefined
  trackingUrl?: string | undefined
}

/** A row of the board for programs, pipes and tables. */
export interface BoardRow {
  stage: BoardColumn
  clientOrderReference: string | null
  deliveryId: string
  status: string
  /** The problem, in words; `null` if there is none. */
  problem: string | null
  since: string
  minutesInStatus: number
  etaDropoff: string | null
  windowStart: string | null
  windowEnd: string | null
  /** The delay; `null` if the order is not late, or if that is unknown. */
  lateSeconds: number | null
  driver: string | null
  storeReference: string | null
  statusReasonCode: string | null
}

/** What tells an order from all others of a board: two accounts may have the same id. */
export function orderKey({ profile = '', deliveryId }: Pick<BoardOrder, 'profile' | 'deliveryId'>): string {
  return `${profile} ${deliveryId}`
}

/** Late orders first, the latest first; then by the time in their status. Those that wait for their day come last. */
export function byUrgency(one: BoardOrder, other: BoardOrder): number {
  return (
    Number(isAhead(one)) - Number(isAhead(other)) ||
    other.lateMs - one.lateMs ||
    one.sinceMs - other.sinceMs ||
    (one.deliveryId < other.deliveryId ? -1 : 1)
  )
}

/** Nothing is to be done about it yet. */
export const isAhead = ({ status, column }: BoardOrder): boolean => status === 'scheduled' && column !== 'problems'

export function boardRow(order: BoardOrder, nowMs: number): BoardRow {
  return {
    stage: order.column,
    clientOrderReference: order.clientOrderReference ?? null,
    deliveryId: order.deliveryId,
    status: order.status,
    problem: order.problem ?? null,
    since: new Date(order.sinceMs).toISOString(),
    minutesInStatus: Math.max(0, Math.floor((nowMs - order.sinceMs) / 60_000)),
    etaDropoff: isoOf(order.etaMs),
    windowStart: isoOf(order.window?.startMs),
    windowEnd: isoOf(order.window?.endMs),
    lateSeconds: order.lateMs === 0 ? null : Math.round(order.lateMs / 1_000),
    driver: order.driver ?? null,
    storeReference: order.storeReference ?? null,
    statusReasonCode: order.statusReasonCode ?? null,
  }
}

function isoOf(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString()
}

/** The board as a table, for a pipe, a file and a terminal that cannot show the live one. */
export const boardList: View<BoardRow[]> = {
  id: deliveryIdOf,
  empty: 'Nothing is under way.',
  columns: [
    { name: 'stage', narrow: false },
    {
      name: 'clientOrderReference',
      header: 'ORDER',
      keep: true,
      cell: cell<BoardRow>((row) => shortenMiddle(plainText(row.clientOrderReference ?? row.deliveryId), 32)),
    },
    { name: 'status', cell: cell<BoardRow>(({ status }, style) => statusWord(status, style)) },
    { name: 'minutesInStatus', header: 'MIN', align: 'right' },
    {
      name: 'lateSeconds',
      header: 'LATE',
      align: 'right',
      cell: cell<BoardRow>(({ lateSeconds }) => (lateSeconds === null ? '' : spanText(lateSeconds * 1_000))),
    },
    { name: 'driver', elastic: true, cell: cell<BoardRow>(({ driver }) => plainValue(driver)) },
    { name: 'problem', elastic: true, narrowest: 16, keep: true, wraps: true },
    { name: 'storeReference', header: 'STORE' },
    { name: 'statusReasonCode', header: 'REASON', narrow: false, elastic: true, narrowest: 20 },
    { name: 'etaDropoff', narrow: false },
    { name: 'deliveryId', header: 'DELIVERY', narrow: false },
    { name: 'since', narrow: false },
    { name: 'windowStart', narrow: false, omitEmpty: true },
    { name: 'windowEnd', narrow: false, omitEmpty: true },
  ],
}
