import { describe, expect, test } from 'vitest'
import { holdMs, magicCatalogue, magicIdempotency, parseForce } from '../../../src/sandbox/core/magic.js'
import { refusalOf, TestShell } from '../../support/sandbox/core-world.js'

describe('the header', () => {
  test('is read with all its parameters', () => {
    expect(parseForce('SERVICE_UNAVAILABLE; times=2; retry_after=7; delay_ms=100')).toEqual({
      kind: 'error',
      token: 'SERVICE_UNAVAILABLE',
      times: 2,
      retryAfterSeconds: 7,
      delayMs: 100,
    })
    expect(parseForce(' VALIDATION_ERROR ;status=422; ')).toEqual({
      kind: 'error',
      token: 'VALIDATION_ERROR',
      status: 422,
    })
  })

  test.each([
    '',
    'NOPE',
    'toString',
    '__proto__',
    'INTERNAL_ERROR; times=two',
    'INTERNAL_ERROR; times=-1',
    'INTERNAL_ERROR; often=2',
    'INTERNAL_ERROR; status=404',
    'denied_at_gate; status=422',
  ])('is refused as "%s"', (header) => {
    expect(refusalOf(() => parseForce(header))).toBe('400 VALIDATION_ERROR')
  })

  test('sets the scripted outcome of an order', () => {
    const shell = new TestShell()
    expect(shell.create({}, parseForce('package_damaged')).scriptedOutcome).toBe('package_damaged')
    const phone = { address: '1 Main St, Fayetteville, NC 28301', contactName: 'S', contactPhone: '+12025550111' }
    expect(shell.create({ dropoff: phone }, parseForce('delivered')).scriptedOutcome).toBeUndefined()
    const { deliveryId } = shell.create()
    shell.call('updateDelivery', { deliveryId, body: {}, force: parseForce('escort_unavailable') })
    expect(shell.stored(deliveryId).scriptedOutcome).toBe('escort_unavailable')
  })
})

test('the metadata comes before the reference, and the reference before the phone', () => {
  const shell = new TestShell()
  const dropoff = { address: '1 Main St, Fayetteville, NC 28301', contactName: 'S', contactPhone: '+12025550111' }
  const clientOrderReference = 'sbx-denied_at_gate-1'
  const metadata = { sandbox_outcome: 'package_damaged' }
  expect(shell.create({ dropoff, clientOrderReference, metadata }).scriptedOutcome).toBe('package_damaged')
  expect(shell.create({ dropoff, clientOrderReference: 'sbx-denied_at_gate-2' }).scriptedOutcome).toBe('denied_at_gate')
  expect(shell.create({ dropoff, clientOrderReference: 'sbx-sunshine-3' }).scriptedOutcome).toBe('recipient_refused')
})

test('idempotency keys and the slow store say what they ask for', () => {
  expect(['idem-reused-1', 'idem-conflict-1', 'idem-1'].map(magicIdempotency)).toEqual([
    'reused',
    'conflict',
    undefined,
  ])
  expect(holdMs({ pickup: { storeReference: 'STORE-SLOW' } })).toBe(3_000)
  expect([null, 'text', {}, { pickup: null }, { pickup: { storeReference: 'STORE-001' } }].map(holdMs)).toEqual([
    0, 0, 0, 0, 0,
  ])
})

describe('the catalogue of magic values', () => {
  const catalogue = magicCatalogue()
  test('has every value once, each with its effect', () => {
    const written = catalogue.map(({ channel, value }) => `${channel} ${value}`)
    const twice = written.filter((entry, index) => written.indexOf(entry) !== index)
    expect(twice).toEqual(['header X-Sandbox-Force: outside_service_area'])
    expect(catalogue.filter(({ effect }) => effect.trim() === '')).toEqual([])
  })
})
