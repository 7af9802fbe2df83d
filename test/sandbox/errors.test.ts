import { describe, expect, test } from 'vitest'
import { errorStatuses, type KnownErrorCode } from '../../src/contract/index.js'
import type { Reply } from '../support/sandbox/caller.js'
import { createTestQuote, testOrder } from '../support/sandbox/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const { caller } = serveSandbox()

const keys = {
  ownedFleet: 'dlvk_sbx_ownedfleet',
  noQuotes: 'dlvk_sbx_noquotes',
  noReturns: 'dlvk_sbx_noreturns',
  live: 'dlvk_live_demo',
  revoked: 'dlvk_sbx_revoked',
}

type Trigger = () => Promise<Reply>
const create =
  (changes: Record<string, unknown>, apiKey?: string): Trigger =>
  () =>
    (apiKey === undefined ? caller : caller.as(apiKey)).create(testOrder(changes))
const dropoff = (changes: Record<string, unknown>) => create({ dropoff: changes })
const zip = (postalCode: string) => dropoff({ address: { postalCode } })
const at = (code: string, changes: Record<string, unknown> = {}) =>
  create({ ...changes, dropoff: { installation: { code } } })
const store = (storeReference: string) => create({ pickup: { storeReference } })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const scheduled = (startHours: number, endHours: number) =>
  create({
    timeWindows: { deliveryMode: 'scheduled', dropoff: { start: inHours(startHours), end: inHours(endHours) } },
  })

async function createTestDelivery(changes: Record<string, unknown> = {}): Promise<string> {
  const reply = await caller.create(testOrder(changes))
  expect(reply.status).toBe(201)
  return String(reply.body.deliveryId)
}

async function cancelledDelivery(): Promise<string> {
  const id = await createTestDelivery()
  await caller.post(`/deliveries/${id}/cancel`)
  return id
}

/** The ways of table 3.4 that need no header: natural ones first, then by a magic field. */
const rows: [what: string, code: KnownErrorCode, status: number, trigger: Trigger][] = [
  ['a missing field', 'VALIDATION_ERROR', 400, create({ clientOrderReference: undefined })],
  ['a field of another type', 'VALIDATION_ERROR', 400, create({ tipAmountCents: '5' })],
  ['no Idempotency-Key', 'VALIDATION_ERROR', 400, () => caller.post('/deliveries', testOrder())],
  [
    'an empty Idempotency-Key',
    'VALIDATION_ERROR',
    400,
    () => caller.create(testOrder(), { headers: { 'Idempotency-Key': '' } }),
  ],
  [
    'a long Idempotency-Key',
    'VALIDATION_ERROR',
    400,
    () => caller.create(testOrder(), { headers: { 'Idempotency-Key': 'k'.repeat(129) } }),
  ],
  ['instructions of 281 characters', 'VALIDATION_ERROR', 400, dropoff({ instructions: '😀'.repeat(281) })],
  ['a page of nothing', 'VALIDATION_ERROR', 400, () => caller.get('/installations?limit=0')],
  ['a list without from', 'VALIDATION_ERROR', 400, () => caller.get('/deliveries')],
  ['a cursor of nobody', 'VALIDATION_ERROR', 400, () => caller.get('/installations?cursor=abc')],
  ['an outcome that is none', 'VALIDATION_ERROR', 400, create({ metadata: { sandbox_outcome: 'sunshine' } })],
  ['a pace that is none', 'VALIDATION_ERROR', 400, create({ metadata: { sandbox_pace: 'leisurely' } })],
  ['a fault that is none', 'VALIDATION_ERROR', 400, create({ metadata: { sandbox_hooks: 'duplicate, delay' } })],
  ['an unknown quote', 'VALIDATION_ERROR', 422, create({ quoteId: 'qot_never' })],
  ['an unknown gate', 'VALIDATION_ERROR', 422, dropoff({ installation: { code: 'FTBRAGG', gate: 'Nowhere Gate' } })],
  [
    'a delivery point that is not offered',
    'VALIDATION_ERROR',
    422,
    dropoff({ installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'cq_desk' } }),
  ],
  [
    'null on a required field of an update',
    'VALIDATION_ERROR',
    422,
    async () => caller.patch(`/deliveries/${await createTestDelivery()}`, { dropoff: { contactName: null } }),
  ],
  ['a line with no city', 'INVALID_ADDRESS', 422, dropoff({ address: 'Somewhere nice' })],
  ['a line with a ZIP alone', 'INVALID_ADDRESS', 422, dropoff({ address: '28301' })],
  ['a state that the ZIP contradicts', 'INVALID_ADDRESS', 422, dropoff({ address: { state: 'WA' } })],
  ['ZIP 99951', 'INVALID_ADDRESS', 422, zip('99951')],
  ['1 Nowhere Sandbox Way', 'INVALID_ADDRESS', 422, dropoff({ address: { line1: '1 Nowhere Sandbox Way' } })],
  ['a phone without a plus', 'INVALID_PHONE_NUMBER', 400, dropoff({ contactPhone: '2025550100' })],
  ['a phone that is too short', 'INVALID_PHONE_NUMBER', 400, dropoff({ contactPhone: '+1202555010' })],
  ['+12025550101', 'INVALID_PHONE_NUMBER', 400, dropoff({ contactPhone: '+12025550101' })],
  ['a window that ends before it starts', 'INVALID_TIME_CONSTRAINT', 422, scheduled(5, 4)],
  ['a window in the past', 'INVALID_TIME_CONSTRAINT', 422, scheduled(-5, -4)],
  [
    'scheduled without a window',
    'INVALID_TIME_CONSTRAINT',
    422,
    create({ timeWindows: { deliveryMode: 'scheduled' } }),
  ],
  ['ZIP 99961', 'INVALID_TIME_CONSTRAINT', 422, zip('99961')],
  ['an unregistered store', 'INVALID_STORE_REFERENCE', 422, store('nobody')],
  ['STORE-UNKNOWN', 'INVALID_STORE_REFERENCE', 422, store('STORE-UNKNOWN')],
  [
    'an unknown team',
    'INVALID_TEAM_REFERENCE',
    422,
    create({ dispatch: { mode: 'team_queue', teamReference: 'team_nope' } }, keys.ownedFleet),
  ],
  [
    'team_invalid',
    'INVALID_TEAM_REFERENCE',
    422,
    create({ dispatch: { mode: 'team_queue', teamReference: 'team_invalid' } }, keys.ownedFleet),
  ],
  ['dispatch on a marketplace account', 'UNSUPPORTED_REQUIREMENT', 422, create({ dispatch: { mode: 'auto_assign' } })],
  [
    'items without the capability',
    'UNSUPPORTED_REQUIREMENT',
    422,
    create({ package: { items: [{ sku: 'a' }] } }, keys.noReturns),
  ],
  [
    'a return without the capability',
    'UNSUPPORTED_REQUIREMENT',
    422,
    create({ handling: { undeliverableAction: 'return_to_pickup' } }, keys.noReturns),
  ],
  [
    'lowering the identity check of alcohol',
    'UNSUPPORTED_REQUIREMENT',
    422,
    async () =>
      caller.patch(`/deliveries/${await createTestDelivery({ package: { contains: ['alcohol'] } })}`, {
        verification: { dropoff: { identity: { level: 'none' } } },
      }),
  ],
  ['sandbox_unsupported', 'UNSUPPORTED_REQUIREMENT', 422, create({ package: { contains: ['sandbox_unsupported'] } })],
  ['STORE-REQ-UNSUPPORTED', 'UNSUPPORTED_REQUIREMENT', 422, store('STORE-REQ-UNSUPPORTED')],
  [
    'military mail',
    'UNSUPPORTED_DESTINATION',
    422,
    dropoff({ address: { line1: 'PSC 3 Box 4', city: 'APO', state: 'AE', postalCode: '09012' } }),
  ],
  ['military mail in one line', 'UNSUPPORTED_DESTINATION', 422, dropoff({ address: 'PSC 3 Box 4, APO AE 09012' })],
  ['a post office box', 'UNSUPPORTED_DESTINATION', 422, dropoff({ address: { line1: 'P.O. Box 12' } })],
  ['ZIP 99956', 'UNSUPPORTED_DESTINATION', 422, zip('99956')],
  ['an unknown installation', 'INSTALLATION_NOT_SERVED', 422, at('NOWHERE')],
  ['ZZNOTSERVED', 'INSTALLATION_NOT_SERVED', 422, at('ZZNOTSERVED')],
  ['an installation that accepts nothing', 'INSTALLATION_NOT_ACCEPTING_DELIVERIES', 422, at('SCHRIEVERSFB')],
  ['ZZCLOSED', 'INSTALLATION_NOT_ACCEPTING_DELIVERIES', 422, at('ZZCLOSED')],
  ['ZZFPCON', 'INSTALLATION_NOT_ACCEPTING_DELIVERIES', 422, at('ZZFPCON')],
  [
    'controlled cargo to a base',
    'PROHIBITED_CARGO_FOR_DESTINATION',
    422,
    at('FTBRAGG', { package: { contains: ['controlled_cargo'] } }),
  ],
  ['alcohol to ZZDRY', 'PROHIBITED_CARGO_FOR_DESTINATION', 422, at('ZZDRY', { package: { contains: ['alcohol'] } })],
  [
    'more than 40 km',
    'NO_ELIGIBLE_PROVIDERS',
    422,
    dropoff({ address: { line1: '1 Main St', city: 'Boston', state: 'MA', postalCode: '02108' } }),
  ],
  ['more than 22.7 kg', 'NO_ELIGIBLE_PROVIDERS', 422, create({ package: { weightGrams: 22_701 } })],
  ['ZIP 99957', 'NO_ELIGIBLE_PROVIDERS', 422, zip('99957')],
  ['ZIP 99952', 'NO_ELIGIBLE_PROVIDERS', 422, zip('99952')],
  ['STORE-NOPROVIDER', 'NO_ELIGIBLE_PROVIDERS', 422, store('STORE-NOPROVIDER')],
  ['ZZNODRIVER', 'NO_CREDENTIALED_DRIVER_AVAILABLE', 422, at('ZZNODRIVER')],
  [
    'an account without quotes',
    'QUOTES_NOT_SUPPORTED',
    403,
    () => caller.as(keys.noQuotes).post('/quotes', createTestQuote()),
  ],
  ['qot_expired', 'QUOTE_EXPIRED', 409, create({ quoteId: 'qot_expired' })],
  [
    'a reference that is taken',
    'DUPLICATE_ORDER',
    409,
    async () => {
      const order = testOrder()
      await caller.create(order)
      return caller.create(order)
    },
  ],
  [
    'a key of another body',
    'IDEMPOTENCY_KEY_REUSED',
    409,
    async () => {
      const headers = { 'Idempotency-Key': 'used-twice' }
      await caller.create(testOrder(), { headers })
      return caller.create(testOrder(), { headers })
    },
  ],
  [
    'a key idem-reused-…',
    'IDEMPOTENCY_KEY_REUSED',
    409,
    () => caller.create(testOrder(), { headers: { 'Idempotency-Key': 'idem-reused-1' } }),
  ],
  [
    'a key idem-conflict-…',
    'IDEMPOTENCY_CONFLICT',
    409,
    () => caller.create(testOrder(), { headers: { 'Idempotency-Key': 'idem-conflict-1' } }),
  ],
  ['an unknown delivery', 'DELIVERY_NOT_FOUND', 404, () => caller.get('/deliveries/del_unknown')],
  ['del_missing', 'DELIVERY_NOT_FOUND', 404, () => caller.get('/deliveries/del_missing')],
  ['an unknown driver', 'DRIVER_NOT_FOUND', 404, () => caller.as(keys.ownedFleet).get('/drivers/drv_unknown')],
  ['a driver asked for by a marketplace account', 'DRIVER_NOT_FOUND', 404, () => caller.get('/drivers/drv_01')],
  ['drv_missing', 'DRIVER_NOT_FOUND', 404, () => caller.as(keys.ownedFleet).get('/drivers/drv_missing')],
  ['an unknown code', 'INSTALLATION_NOT_FOUND', 404, () => caller.get('/installations/NOWHERE')],
  ['ZZMISSING', 'INSTALLATION_NOT_FOUND', 404, () => caller.get('/installations/ZZMISSING')],
  [
    'cancelling what is cancelled',
    'INVALID_STATE_TRANSITION',
    409,
    async () => caller.post(`/deliveries/${await cancelledDelivery()}/cancel`),
  ],
  [
    'updating what is cancelled',
    'INVALID_STATE_TRANSITION',
    409,
    async () => caller.patch(`/deliveries/${await cancelledDelivery()}`, { tipAmountCents: 1 }),
  ],
  [
    'an illegal simulation',
    'INVALID_STATE_TRANSITION',
    422,
    async () => caller.post(`/deliveries/${await cancelledDelivery()}/simulate`, { advanceTo: 'delivered' }),
  ],
  [
    'simulating with a live key',
    'SANDBOX_ONLY',
    403,
    () => caller.as(keys.live).post('/deliveries/del_unknown/simulate', { advanceTo: 'delivered' }),
  ],
  ['no key', 'UNAUTHORIZED', 401, () => caller.get('/capabilities', { apiKey: undefined })],
  ['an unknown key', 'UNAUTHORIZED', 401, () => caller.as('nobody').get('/capabilities')],
  ['a revoked key', 'UNAUTHORIZED', 401, () => caller.as(keys.revoked).get('/capabilities')],
  ['STORE-429', 'RATE_LIMIT_EXCEEDED', 429, store('STORE-429')],
  ['STORE-503', 'SERVICE_UNAVAILABLE', 503, store('STORE-503')],
  ['STORE-500', 'INTERNAL_ERROR', 500, store('STORE-500')],
]

describe('an error of the contract', () => {
  test.each(rows)('%s answers %s with %i', async (_, code, status, trigger) => {
    const reply = await trigger()
    expect({ status: reply.status, code: reply.code }, reply.text).toEqual({ status, code })
  })

  test('is reached by every code', () => {
    expect(new Set(rows.map(([, code]) => code))).toEqual(new Set(Object.keys(errorStatuses)))
  })

  const codes = Object.entries(errorStatuses) as [KnownErrorCode, readonly number[]][]

  test.each(
    codes.flatMap(([code, statuses]) => statuses.map((status) => [code, status] as const)),
  )('%s with %i is forced by a header', async (code, status) => {
    const reply = await caller.get('/capabilities', { headers: { 'X-Sandbox-Force': `${code}; status=${status}` } })
    expect({ status: reply.status, code: reply.code }).toEqual({ status, code })
  })

  test.each(codes)('%s is forced by the prefix of a reference, on create and on quotes, and by metadata', async (code, [
    status,
  ]) => {
    const reference = () => ({ clientOrderReference: `sbx-${code}-${Math.random()}` })
    for (const reply of [
      await caller.create(testOrder(reference())),
      await caller.post('/quotes', createTestQuote(reference())),
      await caller.create(testOrder({ metadata: { sandbox_outcome: code } })),
    ]) {
      expect({ status: reply.status, code: reply.code }).toEqual({ status, code })
    }
  })

  test.each(codes)('%s is forced by the id in a path', async (code, [status]) => {
    const replies = [
      await caller.get(`/deliveries/del_err_${code}`),
      await caller.as(keys.ownedFleet).get(`/drivers/drv_err_${code}`),
      await caller.get(`/installations/ERR_${code}`),
    ]
    for (const reply of replies) expect({ status: reply.status, code: reply.code }).toEqual({ status, code })
  })

  test('forced for so many times fails so often, for each key apart', async () => {
    const order = testOrder()
    const options = (key: string) => ({
      headers: { 'Idempotency-Key': key, 'X-Sandbox-Force': 'SERVICE_UNAVAILABLE; times=2; retry_after=7' },
    })
    const replies = [1, 2, 3].map(() => caller.create(order, options('patient')))
    const statuses: number[] = []
    for (const reply of replies) statuses.push((await reply).status)
    expect(statuses.sort()).toEqual([201, 503, 503])
    const other = await caller.create(testOrder(), options('another'))
    expect(other.headers.get('Retry-After')).toBe('7')
  })

  test('a header that cannot be understood is refused', async () => {
    const reply = await caller.get('/capabilities', { headers: { 'X-Sandbox-Force': 'NO_SUCH_THING' } })
    expect(reply.code).toBe('VALIDATION_ERROR')
  })
})

describe('a validation error', () => {
  test('says in words what it would take', async () => {
    const texts = async (reply: Reply) =>
      (
        reply.body.error as { details: { fieldErrors: { field: string; code: string; message: string }[] } }
      ).details.fieldErrors.map(({ field, code, message }) => `${field} ${message} (${code})`)
    const id = await createTestDelivery()
    const simulated = await caller.post(`/deliveries/${id}/simulate`, { emitIntermediateEvents: 'no' })
    expect(await texts(simulated)).toEqual([
      'advanceTo is required (REQUIRED)',
      'emitIntermediateEvents must be true or false (INVALID_TYPE)',
    ])
    const created = await caller.create(
      testOrder({
        clientOrderReference: 'r'.repeat(129),
        dropoff: { address: undefined },
        timeWindows: { deliveryMode: 'now' },
        tipAmountCents: -1,
        package: { contains: 'alcohol' },
      }),
    )
    expect(await texts(created)).toEqual([
      'clientOrderReference must be at most 128 characters long, got 129 (INVALID_FORMAT)',
      'dropoff.address is required (REQUIRED)',
      'timeWindows.deliveryMode must be one of asap, scheduled (INVALID_VALUE)',
      'package.contains must be an array (INVALID_TYPE)',
      'tipAmountCents must be at least 0 (TOO_SMALL)',
    ])
    const listed = await caller.get('/installations?branch=marines&limit=101')
    expect(await texts(listed)).toEqual([
      'query.branch must be one of army, navy, air_force, marine_corps, space_force, coast_guard, joint, dla (INVALID_FORMAT)',
      'query.limit must be at most 100 (INVALID_FORMAT)',
    ])
  })
})
