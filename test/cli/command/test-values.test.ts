import { describe, expect, it } from 'vitest'
import { pathTestValue, testValues } from '../../../src/cli/command/production-guard.js'
import { withValue } from '../../../src/cli/input/assignments.js'
import { magicCatalogue } from '../../../src/sandbox/core/magic.js'
import { magicBeginnings } from '../../../src/sandbox/core/magic-tables.js'

const order = {
  clientOrderReference: 'ORDER-1001',
  quoteId: 'qot_01ABC',
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: { line1: '200 Hay St', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
    contactName: 'Maya Reyes',
    contactPhone: '+19105550123',
    installation: { code: 'FTBRAGG' },
  },
  package: { contains: ['alcohol'] },
  dispatch: { mode: 'team_queue', teamReference: 'team_north' },
  metadata: { source: 'checkout' },
}
const pathOf: Record<string, string> = {
  phone: 'dropoff.contactPhone',
  store: 'pickup.storeReference',
  zip: 'dropoff.address.postalCode',
  'address line': 'dropoff.address.line1',
  installation: 'dropoff.installation.code',
  quoteId: 'quoteId',
  team: 'dispatch.teamReference',
  cargo: 'package.contains',
}
const carried = [
  ...magicCatalogue().flatMap(({ channel, value }) => {
    const path = pathOf[channel]
    return path === undefined ? [] : [{ path, value }]
  }),
  { path: 'clientOrderReference', value: `${magicBeginnings.reference}GATE_CLOSED-1` },
  { path: 'metadata.sandbox_outcome', value: 'delivered' },
  { path: 'metadata.sandbox_pace', value: 'fast' },
  { path: 'metadata.sandbox_create', value: 'scheduled' },
  { path: 'metadata.sandbox_hooks', value: 'gap' },
]
const withAddress = (address: unknown) => withValue(order, 'dropoff.address', address)

describe("The sandbox's own test values", () => {
  it.each(carried)('$value at $path is recognised', ({ path, value }) => {
    const field = path === 'package.contains' ? ['alcohol', value] : value
    expect(testValues(withValue(order, path, field))).toHaveLength(1)
  })

  const zips = carried.filter(({ path }) => path === 'dropoff.address.postalCode')

  it.each(zips)('ZIP code $value is recognised at the end of a line', ({ value }) => {
    for (const line of [`5 Main St, Nowhere, AK ${value}`, `5 Main St, Nowhere, AK ${value}-1234`])
      expect(testValues(withAddress(line))).toEqual([{ path: 'dropoff.address', value }])
  })

  const paths = magicCatalogue().flatMap(({ channel, value }) =>
    channel === 'path' ? [value.replace('<CODE>', 'ANY')] : [],
  )

  it.each(paths)('%s is recognised in a path', (path) => {
    for (const asked of [path, `${path}/cancel`, `${path}?a=b`, path.replaceAll('_', '%5F')])
      expect(pathTestValue(asked)?.value).toBe(path.split('/').at(-1))
  })
})

describe('An ordinary path', () => {
  it.each([
    '/deliveries/del_01ABC',
    '/deliveries?clientOrderReference=del_err_1',
    '/drivers/drv_1',
    '/installations/FTBRAGG',
    '/%zz',
  ])('%s holds no test value', (path) => {
    expect(pathTestValue(path)).toBeUndefined()
  })
})

describe('An ordinary order', () => {
  it.each([
    ['as it is', order],
    ['with a house number like a test ZIP code', withAddress('99952 Hay St, Fayetteville, NC 28301')],
    ['to the highest ZIP code in use', withValue(order, 'dropoff.address.postalCode', '99950')],
    ['from a store whose name only begins like a test one', withValue(order, 'pickup.storeReference', 'STORE-5001')],
    ['whose reference holds the prefix further on', { ...order, clientOrderReference: 'ORDER-sbx-1' }],
  ])('%s holds no test value', (_name, body) => {
    expect(testValues(body)).toEqual([])
  })
})
