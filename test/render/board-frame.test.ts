import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { BoardOrders } from '../../src/cli/board/orders.js'
import { deliveryStatuses } from '../../src/contract/index.js'
import { type BoardFrame, boardColumns, boardLines } from '../../src/render/board-frame.js'
import { stageOf } from '../../src/render/board-stages.js'
import { type BoardOrder, lateMs } from '../../src/render/board-view.js'
import { prepareDrawing } from '../../src/render/drawing.js'
import type { Style } from '../../src/render/style.js'
import { textWidth } from '../../src/render/text-width.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')
const style: Style = { terminal: true, colour: true, columns: 80, accessible: false, nowMs, timeZone: 'UTC' }

beforeAll(() => prepareDrawing(style))

const hostile = fc.string({ unit: fc.constantFrom('日', '🚚', 'a', '-', '\u001b[2J', '\n', '\u202e'), maxLength: 40 })

const orders = fc.array(
  fc.record({
    deliveryId: fc.uuid(),
    clientOrderReference: fc.option(hostile, { nil: undefined }),
    status: fc.constantFrom(...deliveryStatuses.filter((status) => stageOf(status) !== undefined), 'not_known'),
    sinceMs: fc.integer({ min: nowMs - 1e8, max: nowMs }),
    etaMs: fc.option(fc.integer({ min: nowMs - 1e7, max: nowMs + 1e7 }), { nil: undefined }),
    driver: hostile,
    address: hostile,
    statusReasonCode: fc.option(hostile, { nil: undefined }),
  }),
  { maxLength: 80 },
)

function withStages(drawn: readonly Omit<BoardOrder, 'stage'>[]): BoardOrder[] {
  return drawn.map((order) => ({ ...order, stage: stageOf(order.status) ?? 'problems' }))
}

function frameOf(shown: BoardOrder[], more: Partial<BoardFrame> = {}): BoardFrame {
  return {
    account: 'acme (production)',
    orders: shown,
    delivered: 3,
    startedMs: nowMs,
    filter: '',
    isTyping: false,
    onlyTroubled: false,
    selectedId: shown[0]?.deliveryId,
    scroll: {},
    message: '',
    ...more,
  }
}

describe('a frame of the board', () => {
  it('has a line for every row, none wider than the terminal, whatever the orders are', () => {
    fc.assert(
      fc.property(
        orders,
        fc.integer({ min: 12, max: 60 }),
        fc.integer({ min: 60, max: 220 }),
        fc.boolean(),
        (drawn, rows, columns, isTyping) => {
          const lines = boardLines(frameOf(withStages(drawn), { isTyping, filter: '' }), style, { rows, columns })
          return (
            lines.length === rows &&
            lines.every((line) => textWidth(line) <= columns && !/\n|\u001b\[2J|\u202e/.test(line))
          )
        },
      ),
      { numRuns: 150, seed: 11 },
    )
  })

  it('puts late orders first, the latest first, then those longest in their status', () => {
    const order = (deliveryId: string, sinceMs: number, etaMs?: number): BoardOrder => ({
      deliveryId,
      status: 'driver_at_dropoff',
      stage: 'dropoff',
      sinceMs,
      etaMs,
    })
    const shown = [
      order('new', nowMs - 1_000),
      order('old', nowMs - 9_000, nowMs + 60_000),
      order('late', nowMs - 1_000, nowMs - 60_000),
      order('later', nowMs - 500, nowMs - 600_000),
      {
        ...order('returning', nowMs - 9_000, nowMs - 900_000),
        status: 'return_in_progress',
        stage: 'problems' as const,
      },
    ]
    const ids = (onlyTroubled: boolean) =>
      boardColumns({ orders: shown, filter: '', onlyTroubled }, nowMs).dropoff.map(({ deliveryId }) => deliveryId)
    expect(ids(false)).toEqual(['later', 'late', 'old', 'new'])
    expect(ids(true)).toEqual(['later', 'late'])
    expect(shown.map((one) => lateMs(one, nowMs) / 60_000)).toEqual([0, 0, 1, 10, 0])
  })
})

describe('the orders of the board', () => {
  const at = (minute: number) => new Date(nowMs + minute * 60_000).toISOString()
  const event = (minute: number, type: string, status: string, more: object = {}) => ({
    eventId: `evt_${minute}${type}`,
    eventType: `delivery.${type}`,
    occurredAt: at(minute),
    deliveryId: 'del_1',
    data: { delivery: { deliveryId: 'del_1', status, clientOrderReference: 'A-1' }, ...more },
  })
  const events = [
    event(0, 'accepted', 'accepted'),
    event(1, 'driver_assigned', 'driver_assigned'),
    event(2, 'eta_updated', 'driver_assigned', { eta: { dropoff: at(20) } }),
    event(3, 'driver_at_pickup', 'driver_at_pickup'),
    event(4, 'eta_updated', 'driver_at_pickup', { eta: { dropoff: at(25) } }),
  ]

  it('are the same in whatever order events come, and after a list', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(events, { minLength: events.length }),
        fc.boolean(),
        (shuffled, isListedFirst) => {
          const board = new BoardOrders(nowMs)
          const item = { deliveryId: 'del_1', status: 'accepted', updatedAt: at(0) }
          if (isListedFirst) board.list(item)
          for (const one of shuffled) board.see(one, nowMs + 300_000)
          if (!isListedFirst) board.list(item)
          expect(board.shown(nowMs)).toEqual([
            expect.objectContaining({
              status: 'driver_at_pickup',
              stage: 'pickup',
              sinceMs: nowMs + 180_000,
              etaMs: nowMs + 25 * 60_000,
            }),
          ])
        },
      ),
      { numRuns: 50, seed: 3 },
    )
  })

  it('leave when they are over, stay away after a late event, and count what was delivered', () => {
    const board = new BoardOrders(nowMs)
    for (const one of [...events, event(5, 'delivered', 'delivered')]) board.see(one, nowMs)
    expect(board.shown(nowMs)).toEqual([])
    board.see(event(4, 'eta_updated', 'driver_at_pickup'), nowMs)
    board.list({ deliveryId: 'del_1', status: 'driver_at_pickup', updatedAt: at(4) })
    expect([board.shown(nowMs), board.delivered]).toEqual([[], 1])
  })

  it('keep a failure for half an hour', () => {
    const board = new BoardOrders(nowMs)
    board.see(event(0, 'failed', 'failed'), nowMs)
    expect(board.shown(nowMs + 29 * 60_000)).toHaveLength(1)
    expect(board.shown(nowMs + 31 * 60_000)).toEqual([])
  })

  it('lose what a complete list no longer has', () => {
    const board = new BoardOrders(nowMs)
    for (const one of events) board.see(one, nowMs)
    board.keepOnly(new Set(['del_1']), nowMs + 600_000)
    expect(board.shown(nowMs)).toHaveLength(1)
    board.keepOnly(new Set(), nowMs + 600_000)
    expect(board.shown(nowMs)).toEqual([])
  })
})
