import { describe, expect, it } from 'vitest'
import { forceHeader, testValues } from '../../../src/cli/command/test-values.js'
import { magicCatalogue } from '../../../src/sandbox/core/magic.js'

const address = { line1: '200 Hay St', city: 'Fayetteville', state: 'NC', postalCode: '28301' }
const order = {
  clientOrderReference: 'ORDER-1001',
  quoteId: 'qot_01ABC',
  pickup: { storeReference: 'STORE-001' },
  dropoff: { address, contactName: 'Maya Reyes', contactPhone: '+19105550123', installation: { code: 'FTBRAGG' } },
  package: { contains: ['alcohol'] },
  dispatch: { mode: 'team_queue', teamReference: 'team_north' },
  metadata: { source: 'checkout' },
}
const dropoff = (changes: object) => ({ ...order, dropoff: { ...order.dropoff, ...changes } })

/** An order that carries a test value of each channel; `undefined` for a channel that no body carries. */
const carriers: Record<string, ((value: string) => unknown) | undefined> = {
  metadata: (value) => ({ ...order, metadata: { [value.split('=')[0] ?? '']: value.split('=')[1] } }),
  reference: (value) => ({ ...order, clientOrderReference: value.replace(/<\w+>/g, 'QUOTE_EXPIRED') }),
  phone: (value) => dropoff({ contactPhone: value }),
  store: (value) => ({ ...order, pickup: { storeReference: value } }),
  zip: (value) => dropoff({ address: { ...address, postalCode: value } }),
  'address line': (value) => dropoff({ address: { ...address, line1: value } }),
  installation: (value) => dropoff({ installation: { code: value } }),
  quoteId: (value) => ({ ...order, quoteId: value }),
  team: (value) => ({ ...order, dispatch: { teamReference: value } }),
  cargo: (value) => ({ ...order, package: { contains: ['alcohol', value] } }),
}
const notInABody = ['header', 'api key', 'path', 'idempotency key', 'webhook fault']

describe("The sandbox's own test values", () => {
  it.each(
    magicCatalogue().filter(({ channel }) => !notInABody.includes(channel)),
  )('$channel $value is recognised in a body', ({ channel, value }) => {
    const carrier = carriers[channel]
    if (carrier === undefined) throw new Error(`No order of this test carries a value of the channel "${channel}"`)
    expect(testValues(carrier(value))).toHaveLength(1)
  })

  it.each(
    magicCatalogue().filter(({ channel }) => channel === 'zip'),
  )('ZIP code $value is recognised at the end of a line', ({ value }) => {
    for (const text of [`5 Main St, Nowhere, ZZ ${value}`, `5 Main St, Nowhere, ZZ ${value}-1234`])
      expect(testValues(dropoff({ address: text }))).toEqual([{ path: 'dropoff.address', value }])
  })

  it('the header is the one that the guard looks for', () => {
    for (const { value } of magicCatalogue().filter(({ channel }) => channel === 'header'))
      expect(value.toLowerCase().startsWith(`${forceHeader}: `)).toBe(true)
  })
})

describe('An ordinary order', () => {
  it.each([
    ['as it is', order],
    ['with a house number like a test ZIP code', dropoff({ address: '99952 Hay St, Fayetteville, NC 28301' })],
    ['to the highest ZIP code in use', dropoff({ address: { ...address, postalCode: '99950' } })],
    ['whose reference holds the prefix further on', { ...order, clientOrderReference: 'ORDER-sbx-1' }],
  ])('%s holds no test value', (_name, body) => {
    expect(testValues(body)).toEqual([])
  })
})
