import { describe, expect, test } from 'vitest'
import type { KnownDeliveryStatus } from '../../../src/contract/index.js'
import { refusalOf, TestShell } from '../../support/sandbox/core-world.js'

const columns: readonly KnownDeliveryStatus[] = [
  'accepted',
  'dispatch_failed',
  'scheduled',
  'reassigning',
  'driver_assigned',
  'driver_enroute_to_pickup',
  'driver_at_pickup',
  'pickup_complete',
  'driver_enroute_to_dropoff',
  'driver_at_dropoff',
  'delivered',
  'failed',
  'return_in_progress',
  'returned',
  'cancelled',
  'expired',
]

/** How many events it takes from the status of the row to the one of the column; `·` where no way leads. */
const matrix = `
accepted                  = 1 · 2 1 2 3 4 5 6 7 7 7 8 1 1
dispatch_failed           · = · 1 1 2 3 4 5 6 7 7 7 8 1 1
scheduled                 1 2 = 3 2 3 4 5 6 7 8 8 8 9 1 1
reassigning               · 1 · = 1 2 3 4 5 6 7 7 7 8 1 1
driver_assigned           · · · 1 = 1 2 3 4 5 6 6 6 7 1 ·
driver_enroute_to_pickup  · · · 1 · = 1 2 3 4 5 5 5 6 1 ·
driver_at_pickup          · · · 1 · · = 1 2 3 4 4 4 5 1 ·
pickup_complete           · · · · · · · = 1 2 3 3 3 4 1 ·
driver_enroute_to_dropoff · · · · · · · · = 1 2 2 2 3 1 ·
driver_at_dropoff         · · · · · · · · · = 1 1 1 2 1 ·
delivered                 · · · · · · · · · · = · · · · ·
failed                    · · · · · · · · · · · = 1 2 · ·
return_in_progress        · · · · · · · · · · · · = 1 1 ·
returned                  · · · · · · · · · · · · · = · ·
cancelled                 · · · · · · · · · · · · · · = ·
expired                   · · · · · · · · · · · · · · · =
`

const pairs = matrix
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [from = '', ...cells] = line.split(/\s+/)
    return cells.map((cell, index) => ({
      from: from as KnownDeliveryStatus,
      to: columns[index] ?? 'accepted',
      steps: /\d/.test(cell) ? Number(cell) : undefined,
    }))
  })
  .filter(({ from, to }) => from !== to)

test('the table holds 240 pairs, of which 107 are legal', () => {
  expect(pairs).toHaveLength(240)
  expect(pairs.filter(({ steps }) => steps !== undefined)).toHaveLength(107)
})

describe.each(columns)('from %s', (from) => {
  test.each(pairs.filter((pair) => pair.from === from))('to $to takes $steps steps', ({ to, steps }) => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt(from)
    const before = shell.events.length
    const simulate = (emitIntermediateEvents: boolean) =>
      shell.call('simulateDelivery', { deliveryId, body: { advanceTo: to, emitIntermediateEvents } })

    if (steps === undefined) {
      expect(refusalOf(() => simulate(true))).toBe('422 INVALID_STATE_TRANSITION')
      expect(shell.events).toHaveLength(before)
      return
    }
    const answer = simulate(true).body as { emittedEvents: string[]; status: string }
    expect(answer.status).toBe(to)
    expect(answer.emittedEvents).toHaveLength(steps)
    expect(shell.statusEventTypes(deliveryId).slice(before)).toEqual(answer.emittedEvents)
    expect(answer.emittedEvents.at(-1)).toBe(`delivery.${to}`)
  })
})
