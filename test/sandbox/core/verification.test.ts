import { describe, expect, test } from 'vitest'
import type { DropoffVerification } from '../../../src/contract/index.js'
import { impossibleChecks, proofTypesOf, resolveVerification } from '../../../src/sandbox/core/verification.js'
import { dropoffAt, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

const camps = new TestShell()
const at = (code: string | undefined, dropoff: DropoffVerification = {}, contains: string[] = []) =>
  resolveVerification(
    { verification: { dropoff }, package: { contains } },
    code === undefined ? undefined : camps.installation(code),
  )

describe('what will be enforced', () => {
  test('is what was asked for, without what is not asked', () => {
    const asked = { signature: { level: 'preferred', collectSignerName: true }, photo: { level: 'none' } } as const
    expect(at(undefined, asked)).toEqual({
      dropoff: { signature: { level: 'preferred', collectSignerName: true } },
      derived: [],
      suppressed: [],
    })
  })

  test('is required where no level is named', () => {
    expect(at(undefined, { pinCode: { source: 'service_generated' } }).dropoff).toEqual({
      pinCode: { source: 'service_generated', level: 'required' },
    })
  })

  test('holds an identity check from 21 on for alcohol', () => {
    expect(at(undefined, {}, ['alcohol'])).toEqual({
      dropoff: { identity: { level: 'required', minimumAge: 21 } },
      derived: [{ mechanism: 'identity', level: 'required', minimumAge: 21, source: 'package.contains' }],
      suppressed: [],
    })
  })

  test.each([
    [{ level: 'none' }, 21],
    [{ level: 'preferred', minimumAge: 18 }, 21],
    [{ level: 'required', minimumAge: 18 }, 21],
    [{ level: 'preferred', minimumAge: 25 }, 25],
  ] as const)('raises %o for alcohol', (identity, minimumAge) => {
    const resolved = at(undefined, { identity }, ['alcohol'])
    expect(resolved.dropoff?.identity).toEqual({ level: 'required', minimumAge })
    expect(resolved.derived).toHaveLength(1)
  })

  test('says nothing of alcohol where enough was asked for', () => {
    const resolved = at(undefined, { identity: { level: 'required', minimumAge: 30 } }, ['alcohol'])
    expect(resolved).toMatchObject({ dropoff: { identity: { minimumAge: 30 } }, derived: [] })
  })

  test('has the substitute where photography is prohibited', () => {
    const photo = { level: 'required', substituteWhenProhibited: 'signature' } as const
    expect(at('ZZNOPHOTO', { photo })).toEqual({
      dropoff: { signature: { level: 'required' } },
      derived: [{ mechanism: 'signature', level: 'required', source: 'destination_policy' }],
      suppressed: [{ mechanism: 'photo', reason: 'photography_prohibited', substitutedBy: 'signature' }],
    })
    expect(at('ZZOK', { photo }).dropoff).toEqual({ photo })
  })

  test('raises the substitute to the level of the photo, and keeps what it was asked for with', () => {
    const photo = { level: 'required', substituteWhenProhibited: 'signature' } as const
    const signature = { level: 'preferred', collectSignerName: true } as const
    expect(at('ZZNOPHOTO', { photo, signature }).dropoff).toEqual({
      signature: { level: 'required', collectSignerName: true },
    })
  })

  test('has no substitute that is itself prohibited', () => {
    const photo = { level: 'required', substituteWhenProhibited: 'signature' } as const
    expect(at('ZZNOPHOTOSIG', { photo })).toEqual({
      dropoff: {},
      derived: [],
      suppressed: [{ mechanism: 'photo', reason: 'photography_prohibited' }],
    })
    const barcode = { level: 'required', substituteWhenProhibited: 'barcode' } as const
    expect(at('ZZNOPHOTOSIG', { photo: barcode }).dropoff).toEqual({ barcode: { level: 'required' } })
  })

  test('never leaves out identity, which is no proof', () => {
    expect(at('ZZNOPHOTOSIG', { identity: { level: 'required' } }).suppressed).toEqual([])
  })

  test('leaves proofs in the spelling of proofs, and none for identity', () => {
    const all = { photo: {}, signature: {}, identity: {}, pinCode: {}, barcode: {} }
    const asked = { verification: { dropoff: all } }
    expect(proofTypesOf(asked, at(undefined, all), undefined)).toEqual(['photo', 'signature', 'pincode', 'barcode'])
  })

  test.each<[string, string | undefined, DropoffVerification, string[]]>([
    ['is a photo unless something else is asked for', undefined, {}, ['photo']],
    ['is a signature where photos are prohibited', 'ZZNOPHOTO', {}, ['signature']],
    ['is a barcode where nothing else is permitted', 'ZZNOPHOTOSIG', {}, ['barcode']],
    ['is a signature if no photo is to be taken', undefined, { photo: { level: 'none' } }, ['signature']],
    ['comes with an identity check, which leaves none', undefined, { identity: { level: 'required' } }, ['photo']],
    ['is the substitute of a photo', 'ZZNOPHOTO', { photo: { substituteWhenProhibited: 'barcode' } }, ['barcode']],
  ])('a proof %s', (_, code, verification, expected) => {
    const installation = code === undefined ? undefined : camps.installation(code)
    expect(proofTypesOf({ verification: { dropoff: verification } }, at(code, verification), installation)).toEqual(
      expected,
    )
  })
})

describe('a required check that is prohibited and has no substitute', () => {
  const order = (level: 'required' | 'preferred') => ({
    dropoff: dropoffAt('ZZNOPHOTOSIG'),
    verification: { dropoff: { photo: { level } } },
  })

  test('is impossible; a preferred one is not', () => {
    const camp = camps.installation('ZZNOPHOTOSIG')
    expect(impossibleChecks(order('required'), camp)).toEqual(['photo'])
    expect(impossibleChecks(order('preferred'), camp)).toEqual([])
  })

  test('is accepted at first, and cannot be delivered', () => {
    const shell = new TestShell()
    const { deliveryId, status, scriptedOutcome } = shell.create(order('required'))
    expect({ status, scriptedOutcome }).toEqual({
      status: 'accepted',
      scriptedOutcome: 'photography_prohibited_no_substitute',
    })
    expect(refusalOf(() => shell.simulate(deliveryId, { advanceTo: 'delivered' }))).toBe('422 INVALID_STATE_TRANSITION')
    shell.simulate(deliveryId, { advanceTo: 'failed' })
    expect(shell.stored(deliveryId).statusReasonCode).toBe('photography_prohibited_no_substitute')
  })

  test('is delivered with another proof if it is only preferred', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create(order('preferred'))
    shell.simulate(deliveryId, { advanceTo: 'delivered' })
    expect(shell.stored(deliveryId)).toMatchObject({ status: 'delivered', proofs: [{ type: 'barcode' }] })
  })

  test('never blocks an account without enforcement', () => {
    const shell = new TestShell({ apiKey: 'dlvk_sbx_noreturns' })
    const { deliveryId, scriptedOutcome } = shell.create(order('required'))
    expect(scriptedOutcome).toBeUndefined()
    expect(shell.simulate(deliveryId, { advanceTo: 'delivered' }).status).toBe('delivered')
  })
})

test('each enforced check leaves one proof with an event of its own', () => {
  const shell = new TestShell()
  const { deliveryId } = shell.create({ verification: { dropoff: { photo: {}, identity: {}, barcode: {} } } })
  shell.simulate(deliveryId, { advanceTo: 'delivered' })
  const { proofs } = shell.stored(deliveryId)
  expect(proofs.map(({ type, stage }) => `${type} ${stage}`)).toEqual(['photo dropoff', 'barcode dropoff'])
  expect(proofs[0]?.url).toBe(`http://sandbox.test/proofs/${deliveryId}/photo.svg`)
  const told = shell.events.filter(({ eventType }) => eventType === 'delivery.proof_of_delivery_added')
  expect(told.map(({ body }) => (body.delivery as { proofOfDelivery: unknown[] }).proofOfDelivery.length)).toEqual([
    1, 2,
  ])
})
