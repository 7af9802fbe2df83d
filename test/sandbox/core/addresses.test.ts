import { describe, expect, test } from 'vitest'
import type { Address, Serviceability } from '../../../src/contract/index.js'
import { dropoffZip, locateStop, roadKm } from '../../../src/sandbox/core/geo/places.js'
import { storeByReference } from '../../../src/sandbox/core/geo/stores.js'
import { TestShell } from '../../support/sandbox/core-world.js'

const shell = new TestShell()
const verdict = (address: Address) => {
  const { body } = shell.call('checkServiceability', { body: { dropoff: { address } } })
  return (body as Serviceability).reasonCode ?? 'served'
}

describe('an address', () => {
  test.each([
    ['200 Hay St, Fayetteville, NC 28301'],
    ['200 Hay St, Fayetteville, NC 28301-1234, USA'],
    ['200 hay st , fayetteville , nc 28301'],
    ['Apt 4, 200 Hay St, Fayetteville, NC, 28301'],
    ['Unit 7, 15 Box Elder Rd, Fayetteville, NC 28301'],
    ['12 Marine Corps Dr, Santa Rita, GU 96915'],
    ['1 Nimitz Rd, Honolulu, HI 96860'],
    ['Calle 1, Guaynabo, PR 00968'],
    ['8 Beach Rd, Pago Pago, AS 96799'],
    ['1 Elm St, Fishers Island, NY 06390'],
    ['1 Main St, Anytown, NC 00000'],
  ])('like "%s" is served', (address) => {
    expect(verdict(address)).toBe('served')
  })

  test.each([
    ['3001 Apo Drive, Orlando, FL 32801'],
    ['8 Beach Rd, Saipan, MP 96950'],
    ['1 Front St, Nome, AK 99762'],
    ['2 Main St, Billings, MT 59101'],
    ['1 Main St, Fayetteville, NC 99952'],
  ])('like "%s" is too far from any store', (address) => {
    expect(verdict(address)).toBe('outside_service_area')
  })

  test.each([
    ['200 Hay St 28301'],
    ['28301'],
    ['200 Hay St, Fayetteville, NC'],
    ['200 Hay St'],
    ['1 Main St, Fayetteville, TX 28301'],
    ['1 Main St, Honolulu, GU 96818'],
    [', , '],
  ])('like "%s" cannot be found', (address) => {
    expect(verdict(address)).toBe('address_not_found')
  })

  test.each([
    ['PSC 123 Box 4567, APO, AP 96515'],
    ['CMR 415 Box 3000, APO, AE 09114'],
    ['USS Nimitz, FPO, AP 96620'],
    ['1 Main St, APO New York, NY 09021'],
    ['P. O. Box 7, Fayetteville, NC 28301'],
    ['Post Office Box 7, Fayetteville, NC 28301'],
    ['General Delivery, Fayetteville, NC 28301'],
    ['1 Main St, Fayetteville, NC 99956'],
  ])('like "%s" leads nowhere that is served', (address) => {
    expect(verdict(address)).toBe('unsupported_destination_type')
  })

  test('may come in parts', () => {
    const parts = { line1: '200 Hay St', city: 'Fayetteville', state: 'nc', postalCode: '283011234' }
    expect(verdict(parts)).toBe('served')
    expect(dropoffZip({ address: parts })).toBe('28301')
    expect(verdict({ ...parts, state: 'VA' })).toBe('address_not_found')
    expect(verdict({ ...parts, city: 'APO', state: 'AE' })).toBe('unsupported_destination_type')
  })
})

describe('the way to a stop', () => {
  const store = storeByReference('STORE-006')
  const kmTo = (address: string, code?: string) => {
    if (store === undefined) throw new Error('no store')
    const installation = code === undefined ? {} : { installation: { code } }
    return roadKm(store, locateStop(shell, { address, ...installation }))
  }

  test('is measured to its ZIP code', () => {
    expect(kmTo('1 Main St, Norfolk, VA 23505')).toBeLessThan(0.1)
    expect(kmTo('1 Main St, Norfolk, VA 23510')).toBeCloseTo(9.6, 0)
  })

  test('is measured to the installation where no table has its ZIP code', () => {
    const toBase = kmTo('1 Gate Rd, Norfolk, VA 23511', 'NSNORFOLK')
    expect(toBase).toBeGreaterThan(1)
    expect(toBase).toBeLessThan(12)
    expect(kmTo('1 Gate Rd, Norfolk, VA 23511')).toBe(toBase)
  })

  test('is an ordinary one where nobody knows the ZIP code', () => {
    expect(kmTo('1 Main St, Anytown, VA 00000')).toBe(8)
  })
})
