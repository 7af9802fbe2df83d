import { describe, expect, it } from 'vitest'
import { parseAddress, undeliverableDestination } from '../../src/contract/index.js'

describe('An address', () => {
  it.each([
    [
      '233 Hay St, Fayetteville, NC 28301',
      { line1: '233 Hay St', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
    ],
    [
      '233 Hay St, Apt 4, Fayetteville, nc 28301-1234, USA',
      { line1: '233 Hay St, Apt 4', city: 'Fayetteville', state: 'NC', postalCode: '28301-1234' },
    ],
    ['1 Main St,  San  Diego , CA', { line1: '1 Main St', city: 'San Diego', state: 'CA' }],
  ])('on a single line is parsed from its end: %s', (line, parts) => {
    expect(parseAddress(line)).toEqual(parts)
  })

  it.each([
    '28301',
    '233 Hay St',
    '',
    'Fayetteville NC 28301',
    ', , ',
  ])('without a city and state is not parsed: %j', (line) => {
    expect(parseAddress(line)).toBeUndefined()
  })
})

const structured = (city: string, state: string, postalCode: string, line1 = '1 Main St') => ({
  line1,
  city,
  state,
  postalCode,
})

describe('An undeliverable destination', () => {
  it.each([
    ['military', 'PSC 1234 Box 5678, APO, AE 09012'],
    ['military', 'Unit 2050 Box 4190, APO AP 96278-2050'],
    ['military', 'CMR 402 Box 77, A.P.O., A.E. 09180'],
    ['military', 'Sgt A. Smith, APO New York 09012'],
    ['military', structured('APO', 'AE', '09012')],
    ['military', structured('Tamuning', 'AP', '96913')],
    ['military', structured('New York', 'NY', '09012')],
    ['military', structured('FPO', 'AA', '34012')],
    ['po_box', 'P.O. Box 12, Orlando, FL 32801'],
    ['po_box', structured('Orlando', 'FL', '32801', 'Post Office Box 9')],
    ['diplomatic_pouch', '1 Embassy Row, Washington, DC 20521-1234'],
    ['general_delivery', 'General Delivery, Nome, AK 99762'],
  ] as const)('is %s: %j', (kind, address) => {
    expect(undeliverableDestination(address)).toBe(kind)
  })

  it.each([
    '3001 Apo Drive, Orlando, FL 32801',
    '1 Marine Dr, Dededo, GU 96915',
    '12 Boxwood Ln, Honolulu, HI 96860',
    '5 Ocean Blvd, Miami, FL 34101',
    'Unit 5 Box Elder Rd, Rapid City, SD 57701',
  ])('is not %s', (address) => {
    expect(undeliverableDestination(address)).toBeUndefined()
  })
})
