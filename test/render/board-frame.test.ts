import { beforeAll, describe, expect, it } from 'vitest'
import { deliveryStatuses } from '../../src/contract/index.js'
import { type BoardFrame, boardLines, columnsOnScreen } from '../../src/render/board-frame.js'
import { type BoardOrder, orderKey } from '../../src/render/board-view.js'
import { textWidth } from '../../src/render/plain-text.js'
import { prepareDrawing, type Style } from '../../src/render/style.js'
import { boardColumns } from '../../src/trade/problems.js'
import { fc, sampleCount } from '../support/samples.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')
const style: Style = { terminal: true, colour: true, columns: 80, accessible: false, nowMs, timeZone: 'UTC' }

beforeAll(() => prepareDrawing(style))

const hostile = fc.string({ unit: fc.constantFrom('日', '🚚', 'a', '-', '\u001b[2J', '\n', '\u202e'), maxLength: 40 })

const orders = fc.array(
  fc.record({
    deliveryId: fc.uuid(),
    clientOrderReference: fc.option(hostile, { nil: undefined }),
    status: fc.constantFrom(...deliveryStatuses, 'not_known'),
    column: fc.constantFrom(...boardColumns.slice(0, -1)),
    sinceMs: fc.integer({ min: nowMs - 1e8, max: nowMs }),
    etaMs: fc.option(fc.integer({ min: nowMs - 1e7, max: nowMs + 1e7 }), { nil: undefined }),
    lateMs: fc.constantFrom(0, 360_000, 9e7),
    problem: fc.option(hostile, { nil: undefined }),
    window: fc.option(fc.record({ startMs: fc.constantFrom(undefined, nowMs), endMs: fc.constant(nowMs + 1e7) }), {
      nil: undefined,
    }),
    driver: hostile,
    address: hostile,
  }),
  { maxLength: 80 },
)

const order = (deliveryId: string, sinceMs: number, lateMs = 0): BoardOrder => ({
  deliveryId,
  status: 'driver_at_dropoff',
  column: lateMs > 0 ? 'problems' : 'dropoff',
  sinceMs,
  lateMs,
  ...(lateMs > 0 ? { problem: 'late' } : {}),
})

function frameOf(shown: BoardOrder[], more: Partial<BoardFrame> = {}): BoardFrame {
  return {
    account: 'acme (production)',
    orders: shown,
    delivered: 3,
    startedMs: nowMs,
    filter: '',
    isTyping: false,
    onlyTroubled: false,
    selected: shown[0] && orderKey(shown[0]),
    scroll: {},
    message: '',
    isRead: true,
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
          const lines = boardLines(frameOf(drawn, { isTyping, filter: '' }), { ...style, columns }, { rows, columns })
          return (
            lines.length === rows &&
            lines.every((line) => textWidth(line) <= columns && !/\n|\u001b\[2J|\u202e/.test(line))
          )
        },
      ),
      { numRuns: sampleCount(150) },
    )
  })

  it('puts problems first, in them late orders, then those longest in their status', () => {
    const shown = [order('new', nowMs - 1_000), order('old', nowMs - 9_000), order('late', 0, 1), order('later', 1, 9)]
    const ids = (columns: number, onlyTroubled = false) =>
      columnsOnScreen({ orders: shown, filter: '', onlyTroubled }, { columns }).map((column) =>
        column.orders.map(({ deliveryId }) => deliveryId),
      )
    expect(ids(119)).toEqual([['later', 'late', 'old', 'new']])
    expect(ids(120)).toEqual([['later', 'late'], [], [], ['old', 'new']])
    expect(ids(119, true)).toEqual([['later', 'late']])
  })

  it('shows what is scheduled for later after what is under way, in a column and in the list', () => {
    const shown = [
      { ...order('later', nowMs - 9_000), status: 'scheduled', column: 'dispatch' as const },
      { ...order('waiting', nowMs - 1_000), column: 'dispatch' as const },
      order('arriving', nowMs),
    ]
    const ids = (columns: number) =>
      columnsOnScreen({ orders: shown, filter: '', onlyTroubled: false }, { columns }).map((column) =>
        column.orders.map(({ deliveryId }) => deliveryId),
      )
    expect(ids(119)).toEqual([['waiting', 'arriving', 'later']])
    expect(ids(120)).toEqual([[], ['waiting', 'later'], [], ['arriving']])
  })

  it('shows the window of an order without an ETA where it has room, and says that it is known from here', () => {
    const waiting = {
      ...order('waiting', nowMs),
      status: 'scheduled',
      window: { startMs: nowMs + 3_600_000, endMs: nowMs + 7_200_000 },
      isWindowSent: true,
    }
    const drawn = (shown: BoardOrder, columns: number) =>
      boardLines(frameOf([shown]), { ...style, colour: false, columns }, { rows: 12, columns }).join('\n')
    for (const columns of [80, 200]) {
      expect(drawn(waiting, columns)).toMatch(/waiting +scheduled 16:00–17:00/)
      expect(drawn(waiting, columns)).toContain('window 16:00–17:00 (sent from here)')
      const dayMs = 86_400_000
      const window = { startMs: nowMs + dayMs, endMs: nowMs + dayMs + 60_000 }
      expect(drawn({ ...waiting, window }, columns)).toContain('window 03-03 15:00–15:01')
    }
    expect(drawn(waiting, 120)).not.toMatch(/scheduled 16/)
  })

  it('is a list below 120 columns, with the whole reference, the driver, what is wrong and the store', () => {
    const clientOrderReference = 'WEB-2026-11-23-000184-FORT-LIBERTY'
    const order: BoardOrder = {
      deliveryId: 'del_1',
      clientOrderReference,
      status: 'accepted',
      column: 'problems',
      sinceMs: nowMs,
      lateMs: 0,
      problem: 'no driver for 97 min',
      driver: 'Ana Ortiz',
      storeReference: 'STORE-004',
    }
    const drawn = (columns: number) =>
      boardLines(frameOf([order], { selected: undefined }), { ...style, colour: false, columns }, { rows: 24, columns })
    expect(drawn(110).join('\n')).toMatch(
      /WEB-2026-11-23-000184-FORT-LIBERTY {2}no driver for 97 min +Ana Ortiz +STORE-004/,
    )
    expect(drawn(80).join('\n')).toContain(`${clientOrderReference}  no driver for 97 min`)
    Object.assign(order, { clientOrderReference: 'SHOP-00000000000000000000000000000001', problem: undefined })
    expect(drawn(80).join('\n')).toMatch(/SHOP-0+1 {2}accepted +Ana Ortiz +STORE-004/)
    expect(drawn(140)[2]).toMatch(/^PROBLEMS 1 +DISPATCH 0 +TO STORE 0 +TO DOOR 0$/)
  })
  it('has the state of every order also below 80 columns, beside a long reference', () => {
    const names = ['WEB-2026-11-23-000184-FORT-LIBERTY-MAIN-POST-EXCHANGE-0000001', 'ORDER-1001', 'ORDER-1002']
    const shown = names.map((clientOrderReference, index) => ({
      ...order(`del_${index}`, nowMs),
      clientOrderReference,
      problem: 'late by 22 min',
      driver: 'Ana Ortiz',
    }))
    for (const columns of [60, 72, 79]) {
      const plain = { ...style, colour: false, columns }
      const lines = boardLines(frameOf(shown, { selected: undefined }), plain, { rows: 24, columns })
      const rows = lines.filter((line) => line.includes('late by 22 min'))
      expect([rows.length, rows.every((row) => textWidth(row) <= columns)]).toEqual([3, true])
      expect(rows[1]).toContain('ORDER-1001')
    }
  })

  it.each([
    ['one long reference', 'WEB-2026-11-23-000184-FORT-LIBERTY-MAIN-POST-EXCHANGE-0000001', 'ORDER-1001'],
    ['ids as references', '0190a1b2-3c4d-7e5f-8a6b-0123456789ab', '0190a1b2-3c4d-7e5f-8a6b-0123456789ac'],
    ['references of one width', 'ORDER-1000', 'ORDER-1001'],
    ['references in wide characters', '注文番号二〇二六年十一月二十三日第一八四号フォートリバティ', 'ORDER-1001'],
  ])('has driver, what is wrong, store and address on every line from 80 columns on, with %s', (_name, one, other) => {
    const shown = [one, ...Array.from({ length: 14 }, () => other)].map((clientOrderReference, index) => ({
      ...order(`del_${index}`, nowMs),
      clientOrderReference,
      problem: index % 2 === 0 ? 'late by 22 min' : 'no driver for 97 min',
      driver: 'Ana Ortiz-Fernandez',
      storeReference: 'STORE-004',
      address: '4100 Bragg Blvd, Fayetteville, NC 28303',
    }))
    for (const columns of [80, 96, 119]) {
      const plain = { ...style, colour: false, columns }
      const lines = boardLines(frameOf(shown, { selected: undefined }), plain, { rows: 24, columns })
      const rows = lines.filter((line) => /(late by 22|no driver for)/.test(line))
      expect(rows).toHaveLength(15)
      for (const row of rows) expect(row).toMatch(/(late by 22|no driver for).*Ana Or.*STORE-004/)
      expect(rows.every((row) => textWidth(row) <= columns)).toBe(true)
      if (columns === 119 && !one.startsWith('0190')) expect(rows[1]).toContain('STORE-004 → 4100 Bragg')
      const named = shown.map((order) => ({ ...order, profile: 'acme-west' }))
      const ofSeveral = boardLines(frameOf(named, { selected: undefined }), plain, { rows: 24, columns })
      const wholeRows = ofSeveral.filter((line) => /acme-west .*(late by 22|no driver for).*Ana.*STORE-004/.test(line))
      expect(wholeRows).toHaveLength(15)
    }
  })
})
