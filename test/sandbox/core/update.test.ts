import { describe, expect, test } from 'vitest'
import type { DeliveryUpdate } from '../../../src/contract/index.js'
import { dropoffAt, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

describe('an update', () => {
  test('leaves what it does not name untouched', () => {
    const shell = new TestShell()
    const { deliveryId, order } = shell.create({
      package: { description: 'Books', contains: ['perishable_cold_chain'] },
    })
    const updated = shell.update(deliveryId, { dropoff: { instructions: 'Ring twice' }, package: { contains: [] } })
    expect(updated.order).toEqual({
      ...order,
      dropoff: { ...order.dropoff, instructions: 'Ring twice' },
      package: { description: 'Books', contains: [] },
    })
  })

  test('clears an optional scalar by null', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ tipAmountCents: 500, metadata: { keep: 1, drop: 2 } })
    const { order } = shell.update(deliveryId, { tipAmountCents: null, metadata: { drop: null } })
    expect(order).not.toHaveProperty('tipAmountCents')
    expect(order.metadata).toEqual({ keep: 1 })
  })

  const uncleared: [string, DeliveryUpdate][] = [
    ['a required scalar', { dropoff: { contactPhone: null } }],
    ['the address', { dropoff: { address: null } }],
    ['an object', { package: null }],
    ['a nested object', { dropoff: { unit: null } }],
    ['an array', { package: { contains: null } }],
    ['metadata as a whole', { metadata: null }],
    ['the store', { pickup: { storeReference: null } }],
  ]
  test.each(uncleared)('does not clear %s', (_, patch) => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ package: { contains: ['alcohol'] }, metadata: { a: 1 } })
    expect(refusalOf(() => shell.update(deliveryId, patch))).toBe('422 VALIDATION_ERROR')
  })

  test('replaces a line by a structured address and the other way round', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    const line = '10 Main St, Fayetteville, NC 28303'
    expect(shell.update(deliveryId, { dropoff: { address: line } }).order.dropoff.address).toBe(line)
    const address = { line1: '10 Main St', city: 'Fayetteville', state: 'NC', postalCode: '28303' }
    expect(shell.update(deliveryId, { dropoff: { address } }).order.dropoff.address).toEqual(address)
    const moved = shell.update(deliveryId, { dropoff: { address: { line1: '12 Main St' } } })
    expect(moved.order.dropoff.address).toEqual({ ...address, line1: '12 Main St' })
  })

  test('that leaves an incomplete address is refused', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    shell.update(deliveryId, { dropoff: { address: '10 Main St, Fayetteville, NC 28303' } })
    const attempt = () => shell.update(deliveryId, { dropoff: { address: { line1: '12 Main St' } } })
    expect(refusalOf(attempt)).toBe('422 VALIDATION_ERROR')
  })

  test.each([
    { clientOrderReference: 'other' },
    { quoteId: 'qot_1' },
    { dispatch: { mode: 'auto_assign' as const } },
  ])('never changes %o', (patch) => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    expect(refusalOf(() => shell.update(deliveryId, patch))).toBe('422 VALIDATION_ERROR')
  })

  test.each([
    'pickup_complete',
    'driver_enroute_to_dropoff',
    'driver_at_dropoff',
    'return_in_progress',
  ] as const)('in %s reaches instructions, phone and tip alone', (status) => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt(status)
    const patch = { dropoff: { instructions: 'Knock', contactPhone: '+19105550143' }, tipAmountCents: 300 }
    expect(shell.update(deliveryId, patch).order.dropoff).toMatchObject(patch.dropoff)
    const before = shell.stored(deliveryId)
    expect(() =>
      shell.update(deliveryId, { tipAmountCents: 9_999, dropoff: { contactName: 'Pat' }, metadata: { a: 1 } }),
    ).toThrow(
      expect.objectContaining({
        status: 409,
        code: 'INVALID_STATE_TRANSITION',
        details: expect.objectContaining({
          fieldErrors: [
            expect.objectContaining({ field: 'dropoff.contactName', code: 'NOT_UPDATABLE' }),
            expect.objectContaining({ field: 'metadata.a', code: 'NOT_UPDATABLE' }),
          ],
        }),
      }),
    )
    expect(shell.stored(deliveryId)).toEqual(before)
  })

  test.each(['delivered', 'failed', 'returned', 'cancelled', 'expired'] as const)('is refused in %s', (status) => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt(status)
    expect(refusalOf(() => shell.update(deliveryId, {}))).toBe('409 INVALID_STATE_TRANSITION')
  })

  test('is checked like an order where it touches one, and nowhere else', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ dropoff: dropoffAt('ZZOK') })
    const refusals: [DeliveryUpdate, string][] = [
      [{ dropoff: { contactPhone: '123' } }, '400 INVALID_PHONE_NUMBER'],
      [{ pickup: { storeReference: 'STORE-UNKNOWN' } }, '422 INVALID_STORE_REFERENCE'],
      [{ dropoff: { address: '1 Main St, Raleigh, NC 27601' } }, '422 NO_ELIGIBLE_PROVIDERS'],
      [{ dropoff: { installation: { code: 'ZZCLOSED' } } }, '422 INSTALLATION_NOT_ACCEPTING_DELIVERIES'],
      [{ package: { contains: ['controlled_cargo'] } }, '422 PROHIBITED_CARGO_FOR_DESTINATION'],
      [{ timeWindows: { deliveryMode: 'scheduled' } }, '422 INVALID_TIME_CONSTRAINT'],
      [{ metadata: { sandbox_outcome: 'SERVICE_UNAVAILABLE' } }, '503 SERVICE_UNAVAILABLE'],
    ]
    for (const [patch, refusal] of refusals) expect(refusalOf(() => shell.update(deliveryId, patch))).toBe(refusal)

    const camp = shell.installation('ZZOK')
    if (camp !== undefined) shell.installationRows.set('ZZOK', { ...camp, acceptingDeliveries: false })
    expect(refusalOf(() => shell.update(deliveryId, { dropoff: { instructions: 'Ring' } }))).toBeUndefined()
  })

  test('moves the price by what it changes and by nothing else', () => {
    const shell = new TestShell()
    const { deliveryId, deliveryFeeCents } = shell.create({ tipAmountCents: 100 })
    shell.nowMs += 3 * 3_600_000
    expect(shell.update(deliveryId, { dropoff: { instructions: 'Ring' } }).deliveryFeeCents).toBe(deliveryFeeCents)
    const heavier = shell.update(deliveryId, { package: { weightGrams: 15_001 } })
    expect(heavier.deliveryFeeCents).toBeGreaterThan(deliveryFeeCents + 180)
    expect(shell.update(deliveryId, { package: { weightGrams: 1 } }).deliveryFeeCents).toBe(deliveryFeeCents)
    const body = shell.call('updateDelivery', { deliveryId, body: { tipAmountCents: 250 } }).body
    expect(body).toMatchObject({ pricing: { tipAmountCents: 250, totalPriceCents: deliveryFeeCents + 250 } })
  })

  test('dispatches again what could not be dispatched, and tells of nothing else', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('dispatch_failed')
    expect(shell.update(deliveryId, {}).status).toBe('reassigning')
    expect(shell.stored(deliveryId).statusReasonCode).toBeUndefined()
    shell.update(deliveryId, { tipAmountCents: 1 })
    expect(shell.eventTypes(deliveryId)).toEqual(['delivery.dispatch_failed', 'delivery.reassigning'])
  })

  test('chooses another outcome by another phone', () => {
    const shell = new TestShell()
    const { deliveryId, scriptedOutcome } = shell.create({
      dropoff: { ...dropoffAt('ZZOK'), contactPhone: '+12025550130' },
    })
    expect(scriptedOutcome).toBe('denied_at_gate')
    expect(shell.update(deliveryId, { dropoff: { contactPhone: '+12025550111' } }).scriptedOutcome).toBe(
      'recipient_refused',
    )
    expect(shell.update(deliveryId, { dropoff: { contactPhone: '+12025550100' } }).scriptedOutcome).toBeUndefined()
  })
})

describe('checks at the door', () => {
  test('may be raised and added', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ verification: { dropoff: { signature: { level: 'preferred' } } } })
    const verification = {
      dropoff: { signature: { level: 'required' as const }, pinCode: { level: 'required' as const } },
    }
    expect(shell.update(deliveryId, { verification }).resolvedVerification.dropoff).toEqual(verification.dropoff)
  })

  test('may be lowered where nobody else demands them', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ verification: { dropoff: { signature: { level: 'required' } } } })
    const lowered = shell.update(deliveryId, { verification: { dropoff: { signature: { level: 'none' } } } })
    expect(lowered.resolvedVerification.dropoff).toEqual({})
  })

  const lowering: [string, DeliveryUpdate][] = [
    ['to none', { verification: { dropoff: { identity: { level: 'none' } } } }],
    ['to preferred', { verification: { dropoff: { identity: { level: 'preferred' } } } }],
    ['by clearing it', { verification: { dropoff: { identity: { level: null } } } }],
    ['to a lower age', { verification: { dropoff: { identity: { minimumAge: 18 } } } }],
    ['to no age', { verification: { dropoff: { identity: { minimumAge: null } } } }],
  ]
  test.each(lowering)('that alcohol demands cannot be lowered %s', (_, patch) => {
    const shell = new TestShell()
    const identity = { level: 'required' as const, minimumAge: 25 }
    const { deliveryId } = shell.create({ package: { contains: ['alcohol'] }, verification: { dropoff: { identity } } })
    expect(refusalOf(() => shell.update(deliveryId, patch))).toBe('422 UNSUPPORTED_REQUIREMENT')
    const older = { verification: { dropoff: { identity: { minimumAge: 21 } } } }
    expect(shell.update(deliveryId, older).resolvedVerification.dropoff?.identity).toMatchObject({ minimumAge: 21 })
  })

  test('that take the place of a prohibited photo cannot be lowered', () => {
    const shell = new TestShell()
    const photo = { level: 'required' as const, substituteWhenProhibited: 'signature' as const }
    const { deliveryId } = shell.create({ dropoff: dropoffAt('ZZNOPHOTO'), verification: { dropoff: { photo } } })
    const patch = { verification: { dropoff: { signature: { level: 'none' as const } } } }
    expect(refusalOf(() => shell.update(deliveryId, patch))).toBe('422 UNSUPPORTED_REQUIREMENT')
  })
})
