import { describe, expect, it } from 'vitest'
import { DeliveryListQuery, EventListQuery, formatQuery, parseQuery } from '../../src/contract/index.js'
import { fc } from '../support/samples.js'

describe('A query string', () => {
  it('is read back as it was written', () => {
    const query = fc.record(
      {
        since: fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
          .map((date) => date.toISOString()),
        delivered: fc.boolean(),
        deliveryId: fc.string({ minLength: 1, unit: 'grapheme' }),
        eventType: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        limit: fc.integer({ min: 1, max: 100 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(query, (given) => {
        const text = formatQuery(given).toString()
        expect(parseQuery(EventListQuery, new URLSearchParams(text))).toEqual({ query: given })
      }),
    )
  })

  it.each([
    'eventType[]=a&eventType[]=b',
    'eventType[0]=a&eventType[1]=b',
    'eventType=a&eventType[]=b',
    'eventType%5B%5D=a&eventType%5B%5D=b',
  ])('reads a list in brackets, as some clients write it: %s', (text) => {
    expect(parseQuery(EventListQuery, new URLSearchParams(text))).toEqual({ query: { eventType: ['a', 'b'] } })
  })

  it('refuses brackets behind what is one value', () => {
    expect(parseQuery(EventListQuery, new URLSearchParams('deliveryId[]=del_1'))).toEqual({
      issues: [
        { field: 'query.deliveryId', code: 'INVALID_FORMAT', message: expect.stringContaining('without brackets') },
      ],
    })
  })

  it('may contain unknown parameters, including names such as __proto__', () => {
    expect(parseQuery(DeliveryListQuery, new URLSearchParams('__proto__=1&constructor=2&limit=3'))).toEqual({
      query: { limit: 3 },
    })
  })
})
