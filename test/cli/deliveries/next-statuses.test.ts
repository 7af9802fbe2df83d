import { describe, expect, it } from 'vitest'
import { possibleMoves } from '../../../src/cli/deliveries/next-statuses.js'
import { deliveryStatuses } from '../../../src/contract/index.js'
import { allowedTargets } from '../../../src/sandbox/core/state-machine.js'
import { statusReasons } from '../../../src/sandbox/core/status-reasons.js'

describe('what can be simulated next', () => {
  it.each(deliveryStatuses)('from %s is what the sandbox lets pass', (status) => {
    const moves = possibleMoves({ status, statusHistory: [{ status: 'pickup_complete' }] })
    expect(moves.map((move) => move.status).sort()).toEqual(allowedTargets(status).sort())
  })

  it('comes with the reasons that the sandbox takes', () => {
    const moves = [
      ...possibleMoves({ status: 'accepted', statusHistory: [] }),
      ...possibleMoves({ status: 'driver_at_dropoff', statusHistory: [{ status: 'pickup_complete' }] }),
    ]
    for (const { status, reasons } of moves) {
      const fitting = Object.entries(statusReasons).filter(([, { fits }]) => fits.some((name) => name === status))
      expect([...reasons].sort(), status).toEqual(fitting.map(([code]) => code).sort())
    }
  })
})
