import { expect, it } from 'vitest'
import { OrderReferences, RowStates } from '../../src/bulk/record/row-states.js'

const rows = Array.from({ length: 5_000 }, (_, index) => index + 1)

it('The states of rows stay as they were when there is room for more', () => {
  const states = new RowStates()
  for (const row of rows) {
    states.intend(row, `order ${row}`, row, `key ${row}`)
    if (row % 2 === 0) states.conclude(row, 'created')
  }
  for (const row of rows) {
    const isOpen = row % 2 === 1
    expect(states.stateOf(row, `order ${row}`)).toEqual({
      outcome: isOpen ? undefined : 'created',
      wasSent: isOpen,
      sentAtMs: row,
      idempotencyKey: isOpen ? `key ${row}` : undefined,
    })
  }
})

it('A reference clashes with that of a row long before it, and not with its own row or the same order', () => {
  const references = new OrderReferences()
  for (const row of rows) references.note(row, `R-${row}`, `${row}`.padStart(8, '0'))
  expect(references.clashOf(5_001, 'R-7', 'ffffffff')).toBe(7)
  expect(references.clashOf(7, 'R-7', 'ffffffff')).toBeUndefined()
  expect(references.clashOf(5_001, 'R-7', '00000007')).toBeUndefined()
})

it('Room for more rows takes the place of what there was', () => {
  const references = new OrderReferences()
  const before = process.memoryUsage().arrayBuffers
  let length = 1_024
  for (; length < 4_000_000; length *= 2) references.note(length, 'R', '00000000')
  // A row takes 12 bytes.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 * length * 1.2)
})
