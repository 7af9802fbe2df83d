import { beforeAll, describe, expect, it } from 'vitest'
import { boardList, boardRow } from '../../src/render/board-view.js'
import { deliveryView } from '../../src/render/delivery-view.js'
import { shorten, textWidth, wrap } from '../../src/render/plain-text.js'
import { prepareDrawing, type Style } from '../../src/render/style.js'
import { table, tableLayout, visibleColumns } from '../../src/render/table.js'
import { clockText, relativeText } from '../../src/render/words.js'
import { spanText } from '../../src/shared/durations.js'
import { fc } from '../support/samples.js'

const style: Style = {
  terminal: true,
  colour: false,
  columns: 80,
  accessible: false,
  nowMs: Date.parse('2026-03-02T15:00:00Z'),
  timeZone: 'UTC',
}

beforeAll(() => prepareDrawing(style))

describe('the table of the board', () => {
  it.each([80, 100])('shows problems whole on %i columns, before drivers and reasons', (columns) => {
    const order = {
      deliveryId: 'del_1',
      clientOrderReference: 'ORDER-1O5BMCK-00119',
      status: 'driver_enroute_to_dropoff',
      column: 'problems' as const,
      sinceMs: style.nowMs - 600_000,
      lateMs: 0,
      problem: 'no position for 65 min',
      statusReasonCode: 'recipient_unavailable',
      driver: 'Leilani P.',
    }
    const narrow = { ...style, columns }
    const text = table(visibleColumns(boardList.columns, narrow), [boardRow(order, style.nowMs)], narrow, {
      header: true,
    })
    expect(text.replaceAll(/\s+/g, ' ')).toContain('no position for 65 min')
  })
})

describe('a table', () => {
  const columns = [{ name: 'id' }, { name: 'name', elastic: true }, { name: 'status' }]

  it('is never wider than its terminal, from 60 to 200 columns', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: 200 }),
        fc.array(
          fc.record({
            id: fc.string({ maxLength: 12 }),
            name: fc.string({ unit: 'grapheme', maxLength: 300 }),
            status: fc.constant('delivered'),
          }),
          { maxLength: 8 },
        ),
        (width, rows) =>
          table(columns, rows, { ...style, columns: width }, { header: true })
            .split('\n')
            .every((line) => textWidth(line) <= width),
      ),
    )
  })

  it('leaves out its last columns where the others need the room, and cuts no id', () => {
    const ids = ['one', 'two', 'three', 'four'].map((name) => ({ name }))
    const row = { one: 'a'.repeat(30), two: 'b'.repeat(20), three: 'c'.repeat(20), four: 'd' }
    const text = table(ids, [row], { ...style, columns: 60 }, { header: true })
    expect(text).toContain('a'.repeat(30))
    expect(text).not.toContain('c')
    expect(text).toContain('TWO')
  })

  it('keeps ids whole where other columns give way, in later pages too', () => {
    const columns = [
      { name: 'when' },
      { name: 'reason', elastic: true },
      { name: 'deliveryId', keep: true as const },
      { name: 'status' },
      { name: 'eventId', keep: true as const },
    ]
    const row = {
      when: 'x'.repeat(20),
      reason: 'y'.repeat(40),
      deliveryId: `del_${'1'.repeat(26)}`,
      status: 'driver_enroute_to_dropoff',
      eventId: `evt_${'2'.repeat(20)}`,
    }
    const text = table(columns, [row], { ...style, columns: 80 }, { header: true })
    expect(text).toContain(row.deliveryId)
    expect(text).toContain(row.eventId)
    expect(text).not.toContain('STATUS')
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80)
    const layout = tableLayout(columns, [row], { ...style, columns: 80 })
    const later = { ...row, eventId: `${row.eventId}333333` }
    expect(table(columns, [later], style, { header: false, layout })).toContain(later.eventId)
  })

  it('leaves room for text that wraps, which a later page may bring', () => {
    const columns = [
      { name: 'place', elastic: true, narrowest: 14 },
      { name: 'error', elastic: true, narrowest: 20, keep: true as const, wraps: true as const },
    ]
    const first = { place: 'x'.repeat(60), error: '' }
    const layout = tableLayout(columns, [first], { ...style, columns: 60 })
    const later = { place: 'y'.repeat(60), error: 'a reason that is said in several words' }
    const text = table(columns, [later], { ...style, columns: 60 }, { header: false, layout })
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(60)
  })

  it('heads a column by the words of its name', () => {
    expect(table([{ name: 'statusCode' }], [], style, { header: true })).toBe('STATUS CODE')
  })

  it('lines its columns up over colours and wide characters', () => {
    const rows = [
      { id: '北京', name: 'x', status: 'end' },
      { id: 'ab', name: 'Zoë', status: 'end' },
    ]
    const lines = table(columns, rows, style, { header: false }).split('\n')
    expect(new Set(lines.map((line) => textWidth(line.slice(0, line.indexOf('end'))))).size).toBe(1)
  })

  it('becomes labelled lines for those who have it read aloud', () => {
    const text = table(columns, [{ id: 'a', name: 'b', status: 'c' }], { ...style, accessible: true }, { header: true })
    expect(text).toBe('id: a\nname: b\nstatus: c')
  })
})

describe('a card', () => {
  it('shows a status and properties that nobody knew when it was written', () => {
    const newer = { deliveryId: 'del_1', status: 'driver_paused', novelty: { a: 1 } }
    const text = deliveryView.card?.(newer, style)
    expect(text).toContain('driver_paused')
  })

  it('is drawn without live characters from hostile fields', () => {
    const hostile = '\u001b[2J\u202eevil\r'
    const text = deliveryView.card?.(
      {
        deliveryId: hostile,
        status: hostile,
        statusReason: hostile,
        dropoff: { address: { line1: hostile }, contactName: hostile, instructions: hostile },
        driver: { name: hostile },
        trackingUrl: hostile,
        statusHistory: [{ status: hostile, occurredAt: hostile }],
        proofOfDelivery: [{ type: hostile, url: hostile }],
        resolvedVerification: { derived: [{ mechanism: hostile, source: hostile }] },
      },
      style,
    )
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })
})

describe('widths and times', () => {
  it('count two columns for wide characters', () => {
    expect(textWidth('北京')).toBe(4)
    expect(textWidth('\u001b[31mred\u001b[39m')).toBe(3)
    expect(textWidth(shorten('北京市朝阳区', 7))).toBeLessThanOrEqual(7)
  })

  it('wrap at blanks', () => expect(wrap('one two three', 7)).toEqual(['one two', 'three']))

  it('are said as people say them', () => {
    expect(spanText(320)).toBe('320ms')
    expect(spanText(7_500_000)).toBe('2h 5m')
    expect(relativeText(style.nowMs - 200_000, style.nowMs)).toBe('3m 20s ago')
    expect(relativeText(style.nowMs + 7_200_000, style.nowMs)).toBe('in 2h')
    expect(clockText(style.nowMs - 60_000, style)).toBe('14:59:00')
    expect(clockText(style.nowMs - 86_400_000, style)).toBe('2026-03-01 15:00:00')
    expect(clockText(style.nowMs, { ...style, timeZone: 'Pacific/Guam' })).toBe('01:00:00')
  })
})
