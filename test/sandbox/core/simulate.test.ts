import { describe, expect, test } from 'vitest'
import {
  deliveryStatuses,
  initialStatuses,
  statusReasonCodes,
  statusReasonRules,
  statusTransitions,
  terminalStatuses,
} from '../../../src/contract/index.js'
import { Refusal } from '../../../src/sandbox/core/refusal.js'
import { fc, sampleCount } from '../../support/samples.js'
import { dropoffAt, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

const types = (statuses: string) => statuses.split(' ').map((status) => `delivery.${status}`)

describe('simulating', () => {
  test('carries the status before in every event but the first', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    shell.simulate(deliveryId, { advanceTo: 'driver_at_pickup' })
    expect(shell.events.map((event) => event.body.previousStatus)).toEqual([
      undefined,
      'accepted',
      'driver_assigned',
      'driver_enroute_to_pickup',
    ])
  })

  test('emits a proof of delivery before delivered, and lists only the events of the transitions', () => {
    const shell = new TestShell()
    const verification = { dropoff: { photo: { level: 'required' as const } } }
    const { deliveryId } = shell.createAt('driver_at_dropoff', { verification })
    const before = shell.events.length
    const answer = shell.simulate(deliveryId, { advanceTo: 'delivered' })
    expect(shell.events.slice(before).map(({ body }) => body.eventType)).toEqual([
      'delivery.proof_of_delivery_added',
      'delivery.delivered',
    ])
    expect(answer.emittedEvents).toEqual(['delivery.delivered'])
  })

  test('fails at the milestone that the reason names', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('scheduled')
    const answer = shell.simulate(deliveryId, { advanceTo: 'failed', statusReasonCode: 'package_not_ready' })
    expect(answer.emittedEvents).toEqual(
      types('accepted driver_assigned driver_enroute_to_pickup driver_at_pickup failed'),
    )
    expect(shell.stored(deliveryId)).toMatchObject({ status: 'failed', statusReasonCode: 'package_not_ready' })
  })

  test('fails where it is, once it is past the milestone that the reason names', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('driver_at_dropoff')
    const answer = shell.simulate(deliveryId, { advanceTo: 'failed', statusReasonCode: 'package_not_ready' })
    expect(answer.emittedEvents).toEqual(['delivery.failed'])
  })

  test('returns from a failure with its reason, which `returned` clears and the history keeps', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('driver_at_dropoff')
    shell.simulate(deliveryId, { advanceTo: 'failed', statusReasonCode: 'recipient_refused' })
    const answer = shell.simulate(deliveryId, { advanceTo: 'returned' })
    expect(answer.emittedEvents).toEqual(types('return_in_progress returned'))
    const row = shell.stored(deliveryId)
    expect(row).not.toHaveProperty('statusReasonCode')
    expect(row).not.toHaveProperty('statusReason')
    expect(row.history.at(-2)).toMatchObject({ status: 'return_in_progress', statusReasonCode: 'recipient_refused' })
  })

  test('returns nothing that was never picked up', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('driver_at_pickup')
    shell.simulate(deliveryId, { advanceTo: 'failed', statusReasonCode: 'package_not_ready' })
    expect(refusalOf(() => shell.simulate(deliveryId, { advanceTo: 'return_in_progress' }))).toBe(
      '422 INVALID_STATE_TRANSITION',
    )
  })

  test('returns nothing for an account without returns', () => {
    const shell = new TestShell({ apiKey: 'dlvk_sbx_noreturns' })
    const { deliveryId } = shell.createAt('driver_at_dropoff')
    expect(refusalOf(() => shell.simulate(deliveryId, { advanceTo: 'returned' }))).toBe('422 INVALID_STATE_TRANSITION')
  })

  test('writes the milestones that it skips to the history when it emits one event alone', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ verification: { dropoff: { signature: { level: 'required' } } } })
    const answer = shell.simulate(deliveryId, { advanceTo: 'delivered', emitIntermediateEvents: false })
    expect(answer.emittedEvents).toEqual(['delivery.delivered'])
    expect(shell.eventTypes(deliveryId)).toEqual(['delivery.accepted', 'delivery.delivered'])
    expect(shell.events.at(-1)?.body.previousStatus).toBe('accepted')
    const row = shell.stored(deliveryId)
    expect(row.history.map((entry) => entry.status)).toHaveLength(8)
    expect(row.proofs).toHaveLength(1)
  })

  test('gives everything that happens to a delivery a millisecond of its own', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ verification: { dropoff: { photo: {}, signature: {} } } })
    shell.simulate(deliveryId, { advanceTo: 'delivered' })
    const moments = shell.events.map((event) => event.occurredAtMs)
    expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b))
    expect(shell.eventTypes(deliveryId).slice(-4)).toEqual(
      types('driver_at_dropoff proof_of_delivery_added proof_of_delivery_added delivered'),
    )
  })

  test('assigns a driver with a credential, and another one when it is re-dispatched', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ dropoff: dropoffAt('FTBRAGG') })
    shell.simulate(deliveryId, { advanceTo: 'driver_assigned' })
    const first = shell.stored(deliveryId).driverId ?? ''
    expect(shell.driver(first)?.credentials.map(({ installationCode }) => installationCode)).toContain('FTBRAGG')
    shell.simulate(deliveryId, { advanceTo: 'reassigning' })
    expect(shell.events.at(-1)?.body.delivery).not.toHaveProperty('driver')
    shell.simulate(deliveryId, { advanceTo: 'driver_assigned' })
    expect(shell.stored(deliveryId).driverId).not.toBe(first)
  })

  test('ignores a reason with a status that takes none', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    shell.simulate(deliveryId, { advanceTo: 'delivered', statusReasonCode: 'recipient_refused' })
    expect(shell.stored(deliveryId).statusReasonCode).toBeUndefined()
  })

  test.each([
    ['failed', 'recipient_unavailable'],
    ['return_in_progress', 'recipient_unavailable'],
    ['dispatch_failed', 'no_carrier_available'],
    ['expired', 'no_carrier_available'],
    ['cancelled', 'cancelled_by_service'],
  ] as const)('gives %s the reason %s when none is asked for', (advanceTo, reason) => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    shell.simulate(deliveryId, { advanceTo })
    expect(shell.stored(deliveryId)).toMatchObject({ status: advanceTo, statusReasonCode: reason })
  })

  test('expires for its quote where that has lapsed', () => {
    const shell = new TestShell()
    const body = { pickup: { storeReference: 'STORE-001' }, dropoff: { address: '1 Main St, Fayetteville, NC 28301' } }
    const [quote] = shell.call('createQuote', { body }).quotes ?? []
    const { deliveryId } = shell.create({ quoteId: quote?.quoteId ?? '' })
    shell.nowMs += 16 * 60_000
    shell.simulate(deliveryId, { advanceTo: 'expired' })
    expect(shell.stored(deliveryId).statusReasonCode).toBe('quote_expired')
  })

  test.each(statusReasonCodes)('takes the reason %s with every status that it fits', (statusReasonCode) => {
    for (const advanceTo of statusReasonRules[statusReasonCode].fits) {
      const shell = new TestShell()
      const { deliveryId } = shell.create()
      shell.simulate(deliveryId, { advanceTo, statusReasonCode })
      const row = shell.stored(deliveryId)
      expect(row).toMatchObject({ status: advanceTo, statusReasonCode })
      expect(row.statusReason).toMatch(/\w/)
    }
  })
})

test('no sequence of operations leaves the table of legal moves', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('simulate' as const),
      advanceTo: fc.constantFrom(...deliveryStatuses),
      statusReasonCode: fc.option(fc.constantFrom(...statusReasonCodes), { nil: undefined }),
      emitIntermediateEvents: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('cancel' as const) }),
    fc.record({ kind: fc.constant('update' as const), tipAmountCents: fc.nat(500) }),
    fc.record({ kind: fc.constant('wait' as const), minutes: fc.nat(90) }),
  )
  const start = fc.record({
    create: fc.constantFrom(...initialStatuses),
    pace: fc.constantFrom('manual', 'instant', 'fast', 'robo', 'real'),
    outcome: fc.constantFrom('delivered', ...statusReasonCodes, 'reassigning', 'dispatch_recovers', 'driver_paused'),
    handling: fc.constantFrom(undefined, 'return_to_pickup' as const),
    apiKey: fc.constantFrom('dlvk_sbx_marketplace', 'dlvk_sbx_ownedfleet', 'dlvk_sbx_noreturns'),
    lenient: fc.boolean(),
  })
  const property = fc.property(start, fc.array(step, { maxLength: 8 }), (begin, steps) => {
    const shell = new TestShell({
      apiKey: begin.apiKey,
      switches: { simulateReasons: begin.lenient ? 'lenient' : 'strict' },
    })
    const metadata = {
      sandbox_create: begin.create,
      sandbox_pace: begin.pace,
      sandbox_outcome: begin.outcome,
    }
    const mayReturn = begin.apiKey !== 'dlvk_sbx_noreturns' && begin.handling !== undefined
    const { deliveryId } = shell.create({
      metadata,
      ...(mayReturn ? { handling: { undeliverableAction: begin.handling } } : {}),
    })
    for (const next of steps) {
      shell.advanceTo(shell.nowMs + (next.kind === 'wait' ? next.minutes * 60_000 : 1_000))
      try {
        if (next.kind === 'simulate') {
          const { advanceTo, statusReasonCode, emitIntermediateEvents } = next
          shell.simulate(deliveryId, {
            advanceTo,
            emitIntermediateEvents,
            ...(statusReasonCode === undefined ? {} : { statusReasonCode }),
          })
        } else if (next.kind === 'cancel') shell.cancel(deliveryId)
        else if (next.kind === 'update') shell.update(deliveryId, { tipAmountCents: next.tipAmountCents })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }
    demandLegalHistory(shell, deliveryId)
  })
  fc.assert(property, { numRuns: sampleCount(400) })
})

function demandLegalHistory(shell: TestShell, deliveryId: string): void {
  const { history, status, nextDueAtMs } = shell.stored(deliveryId)
  const statuses = history.map((entry) => entry.status).filter((entry) => entry !== 'driver_paused')
  expect(initialStatuses).toContain(statuses[0])
  for (const [index, to] of statuses.slice(1).entries()) {
    const from = statuses[index] as keyof typeof statusTransitions
    expect(statusTransitions[from], `${from} to ${to}`).toContain(to)
  }
  expect(status).toBe(statuses.at(-1))
  const isOver = terminalStatuses.has(status) && status !== 'failed'
  if (isOver) expect(nextDueAtMs).toBeUndefined()
  const moments = shell.events.filter((event) => event.deliveryId === deliveryId).map((event) => event.occurredAtMs)
  expect(moments).toEqual([...moments].sort((a, b) => a - b))
  expect(new Set(moments).size).toBe(moments.length)
}
