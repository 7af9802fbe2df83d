import { describe, expect, test } from 'vitest'
import { parseAddress, undeliverableDestination } from '../../src/contract/index.js'

/** Lines as people write them, with city, state and ZIP code as everything here reads them. */
const lines: readonly (readonly [line: string, parts: string])[] = [
  ['200 Hay St, Fayetteville, NC 28301', 'Fayetteville NC 28301'],
  ['200 Hay St, Fayetteville NC 28301', 'Fayetteville NC 28301'],
  ['200 HAY ST FAYETTEVILLE NC 28301', 'FAYETTEVILLE NC 28301'],
  ['350 5TH AVE APT 4B NEW YORK NY 10118', 'NEW YORK NY 10118'],
  ['200 Hay St\nFayetteville, NC 28301', 'Fayetteville NC 28301'],
  ['200 Hay St\r\nFayetteville\r\nNorth Carolina 28301', 'Fayetteville NC 28301'],
  ['200 Hay St; Fayetteville; NC 28301', 'Fayetteville NC 28301'],
  ['200 Hay St, Fayetteville, North Carolina 28301', 'Fayetteville NC 28301'],
  ['12 Main St, Charleston, West Virginia 25301', 'Charleston WV 25301'],
  ['200 Hay St, Fayetteville, N.C. 28301', 'Fayetteville NC 28301'],
  ['1 E St NW, Washington, D.C. 20001', 'Washington DC 20001'],
  ['200 Hay St, Fayetteville, NC 28301 5535', 'Fayetteville NC 28301-5535'],
  ['200 Hay St, Fayetteville, NC 28301-', 'Fayetteville NC 28301'],
  ['200 Hay St, Fayetteville, NC 28301, USA', 'Fayetteville NC 28301'],
  ['200 Hay St, Fayetteville, NC 28301 United States', 'Fayetteville NC 28301'],
  ['200 Hay St, Fayetteville, NC28301', 'Fayetteville NC 28301'],
  ['Calle 1, San Juan, 00901, Puerto Rico', 'San Juan PR 00901'],
  ['12 Marine Dr, Tumon, 96913, Guam', 'Tumon GU 96913'],
  ['12 Marine Dr, Tumon, Guam 96913', 'Tumon GU 96913'],
]

/** Lines that name no place. */
const unread = [
  '200 Hay St 28301',
  '28301',
  '100 Peachtree St NE 30303',
  'Fayetteville, NC 28301',
  ', , ',
  '200 Hay St',
]

describe('An address', () => {
  test.each(lines)('%j is read', (line, parts) => {
    const { city, state, postalCode } = parseAddress(line) ?? {}
    expect(`${city} ${state} ${postalCode}`).toBe(parts)
    expect(undeliverableDestination(line)).toBeUndefined()
  })

  test.each(unread)('%j is not read', (line) => {
    expect(parseAddress(line)).toBeUndefined()
  })

  test('in parts has the code of its state', () => {
    const parts = { line1: '200 Hay St', city: 'Fayetteville', postalCode: '28301' }
    for (const state of ['nc', 'N.C.', 'North Carolina'])
      expect(parseAddress({ ...parts, state })).toMatchObject({ state: 'NC' })
  })

  test.each([
    'POB 123, Fayetteville, NC 28301',
    'P.O.B. 123, Fayetteville, NC 28301',
    'PO Drawer 5, Fayetteville, NC 28301',
    'Apartado 123, San Juan, PR 00901',
    'PO Box A, Fayetteville, NC 28301',
    'PO Box K2, Fayetteville, NC 28301',
    'PO BOX 12 FAYETTEVILLE NC 28301',
    'POBOX7, Fayetteville, NC 28301',
  ])('%j is a post office box', (line) => {
    expect(undeliverableDestination(line)).toBe('po_box')
  })

  test.each([
    'c/o PO Box Plus, 12 Main St, Fayetteville, NC 28301',
    '12 Main St, PO Box 12, Fayetteville, NC 28301',
    'PO Box 12, 12 Main St, Fayetteville, NC 28301',
    'Unit AA 12 Box Elder Rd, Fayetteville, NC 28301',
    '123 Pobox Rd, Fayetteville, NC 28301',
    '1 Apartado Way, San Juan, PR 00901',
    'HC 1 Box 12, Fayetteville, NC 28301',
  ])('%j has a street that a driver can go to', (line) => {
    expect(undeliverableDestination(line)).toBeUndefined()
  })

  test('of a very long line without commas is read in no time', () => {
    const line = `${'1 '.repeat(20_000)}ST NC 28301`
    const startMs = performance.now()
    parseAddress(line)
    undeliverableDestination(line)
    expect(performance.now() - startMs).toBeLessThan(500)
  })
})
