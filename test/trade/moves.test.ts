import { describe, expect, it } from 'vitest'
import { deliveryStatuses } from '../../src/contract/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { isPickedUp, possibleMoves } from '../../src/trade/statuses.js'
import { testOrder } from '../support/orders.js'

it('The driver has the package from the pickup on, and on the way back', () => {
  expect(deliveryStatuses.filter(isPickedUp)).toEqual([
    'pickup_complete',
    'driver_enroute_to_dropoff',
    'driver_at_dropoff',
    'delivered',
    'return_in_progress',
  ])
})

describe('what can be simulated next', () => {
  it.each(deliveryStatuses)('from %s is what the sandbox accepts', async (status) => {
    const sandbox = createSandbox()
    const send = async (path: string, body: unknown) => {
      const headers = {
        authorization: `Bearer ${sandbox.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await sandbox.fetch(new Request(`http://sandbox/delivery/v1${path}`, init))
      return (await answer.json()) as { deliveryId: string; error?: { details: { allowed: string[] } } }
    }
    const initial = ['accepted', 'scheduled', 'dispatch_failed'].includes(status) ? status : 'accepted'
    const created = await send('/deliveries', { ...testOrder(status), metadata: { sandbox_create: initial } })
    if (status !== initial) {
      if (status === 'failed')
        await send(`/deliveries/${created.deliveryId}/simulate`, { advanceTo: 'pickup_complete' })
      await send(`/deliveries/${created.deliveryId}/simulate`, { advanceTo: status })
    }
    const refused = await send(`/deliveries/${created.deliveryId}/simulate`, { advanceTo: status })
    await sandbox.close()

    const moves = possibleMoves({ status, statusHistory: [{ status: 'pickup_complete' }] })
    expect(moves.map((move) => move.status).sort()).toEqual(refused.error?.details.allowed.sort())
  })

  it('lists milestones first, in their order', () => {
    const moves = possibleMoves({ status: 'driver_enroute_to_dropoff', statusHistory: [{ status: 'pickup_complete' }] })
    expect(moves.map((move) => move.status)).toEqual([
      'driver_at_dropoff',
      'delivered',
      'failed',
      'return_in_progress',
      'returned',
      'cancelled',
    ])
  })

  it('comes with the reasons that fit', () => {
    const reasons = Object.fromEntries(
      possibleMoves({ status: 'accepted' }).map((move) => [move.status, move.reasons] as const),
    )
    expect(reasons.expired).toEqual(['gate_closed', 'no_carrier_available', 'quote_expired', 'weather_or_road_closure'])
    expect(reasons.failed).toContain('package_not_ready')
    expect(reasons.return_in_progress).not.toContain('package_not_ready')
    expect(reasons.delivered).toEqual([])
  })

  it('is nothing from a status that this version does not know', () => {
    expect(possibleMoves({ status: 'driver_paused' })).toEqual([])
  })
})
