import { describe, expect, it } from 'vitest'
import {
  Capabilities,
  Delivery,
  DeliveryCreate,
  DeliveryPage,
  DeliveryUpdate,
  ErrorBody,
  EventPage,
  errorStatuses,
  eventTypes,
  findDrift,
  InstallationEvent,
  isE164,
  QuoteCreate,
  QuoteResponse,
  Serviceability,
  SimulateResponse,
  statusReasonCodes,
  WebhookEvent,
} from '../../src/contract/index.js'

/** Bodies written out of the specification's field tables, by hand and not by the sandbox. */
const samples = {
  delivery: {
    deliveryId: 'del_7Q2M',
    clientOrderReference: 'WEB-1',
    status: 'cancelled',
    statusReason: 'The merchant cancelled.',
    statusReasonCode: 'cancelled_by_merchant',
    statusHistory: [{ status: 'accepted', occurredAt: '2026-03-02T15:00:00Z' }],
    pickup: { storeReference: 'STORE-001', businessName: 'Market' },
    dropoff: { address: '1 Main St, Fayetteville, NC 28301', contactName: 'D. W.', contactPhone: '+19105550147' },
    pricing: {
      currency: 'USD',
      deliveryFeeCents: 865,
      tipAmountCents: 0,
      cancellationFeeCents: 300,
      totalPriceCents: 300,
    },
    driver: {
      id: 'drv_1',
      name: 'Maya R.',
      phoneNumber: '+19105550111',
      vehicleDescription: 'White van',
      location: { latitude: 35.05, longitude: -78.87, updatedAt: '2026-03-02T15:04:00Z' },
    },
    proofOfDelivery: [{ type: 'pincode', stage: 'dropoff', url: null, capturedAt: '2026-03-02T15:30:00Z' }],
    resolvedVerification: {
      dropoff: { identity: { level: 'required', minimumAge: 21 } },
      derived: [{ mechanism: 'identity', level: 'required', minimumAge: 21, source: 'alcohol' }],
      suppressed: [{ mechanism: 'photo', reason: 'photography_prohibited', substitutedBy: 'signature' }],
    },
    trackingUrl: 'https://track.example.com/7Q2M',
    createdAt: '2026-03-02T15:00:00Z',
    updatedAt: '2026-03-02T15:01:00.123Z',
  },
  installation: {
    code: 'FTX',
    name: 'Fort X',
    branch: 'army',
    state: 'NC',
    acceptingDeliveries: true,
    accessLevel: 'escort_required',
  },
}

describe('A response is read', () => {
  it.each([
    ['delivery', Delivery, samples.delivery],
    ['page', DeliveryPage, { deliveries: [{ deliveryId: 'del_1', status: 'accepted' }], nextCursor: null }],
    ['empty quotes', QuoteResponse, { quotes: [], expiresAt: null, noQuoteReason: 'OUTSIDE_COVERAGE' }],
    ['lower-case reason', QuoteResponse, { quotes: [], noQuoteReason: 'outside_service_area' }],
    [
      'no service',
      Serviceability,
      { serviceable: false, reasonCode: 'gate_closed', retryAfter: '2026-03-03T10:00:00Z' },
    ],
    [
      'simulation',
      SimulateResponse,
      { deliveryId: 'del_1', livemode: false, status: 'delivered', emittedEvents: ['delivery.delivered'] },
    ],
    [
      'flat event',
      InstallationEvent,
      {
        eventId: 'evt_1',
        eventType: 'installation.access_policy_changed',
        occurredAt: '2026-03-02T15:00:00Z',
        livemode: false,
        changed: ['fpconLevel'],
        affectedDeliveryCount: 2,
        installation: samples.installation,
      },
    ],
    [
      'error',
      ErrorBody,
      {
        error: {
          code: 'DUPLICATE_ORDER',
          message: 'exists',
          requestId: 'req_1',
          details: { existingDeliveryId: 'del_1' },
        },
      },
    ],
  ])('%s', (_name, schema, sample) => {
    expect(schema.safeParse(sample).error?.issues ?? []).toEqual([])
  })

  it('with unknown properties and values, which are kept', () => {
    const future = { ...samples.delivery, status: 'driver_paused', weather: { rain: true } }
    expect(Delivery.parse(future)).toMatchObject({ status: 'driver_paused', weather: { rain: true } })
    expect(findDrift(Delivery, future)).toEqual([
      { path: 'status', kind: 'unknown value', value: 'driver_paused' },
      { path: 'weather', kind: 'unknown property' },
    ])
    expect(findDrift(Delivery, samples.delivery)).toEqual([])
    expect(
      WebhookEvent.safeParse({ eventId: 'evt_1', eventType: 'delivery.teleported', occurredAt: 'x' }).success,
    ).toBe(true)
  })

  it('but not without its essential fields', () => {
    expect(Delivery.safeParse({ status: 'accepted' }).success).toBe(false)
    expect(Delivery.safeParse({ deliveryId: '', status: 'accepted' }).success).toBe(false)
    expect(Capabilities.safeParse({ capabilities: {} }).success).toBe(false)
    expect(EventPage.safeParse({ events: {} }).success).toBe(false)
  })
})

const order = {
  clientOrderReference: 'WEB-1',
  pickup: { storeReference: 'STORE-001' },
  dropoff: { address: '1 Main St, Fayetteville, NC 28301', contactName: 'Dana', contactPhone: '+19105550147' },
}
const refusedFields = (
  body: unknown,
  schema: { safeParse(body: unknown): { error?: { issues: { path: PropertyKey[] }[] } } } = DeliveryCreate,
) => schema.safeParse(body).error?.issues.map((issue) => issue.path.join('.')) ?? []

describe('A request is checked', () => {
  it('accepts the minimal order and the minimal quote request', () => {
    expect(refusedFields(order)).toEqual([])
    expect(refusedFields({ pickup: order.pickup, dropoff: { address: order.dropoff.address } }, QuoteCreate)).toEqual(
      [],
    )
  })

  it.each([
    ['clientOrderReference', { ...order, clientOrderReference: 'x'.repeat(129) }],
    ['clientOrderReference', { ...order, clientOrderReference: '' }],
    ['pickup', { ...order, pickup: undefined }],
    ['dropoff.instructions', { ...order, dropoff: { ...order.dropoff, instructions: 'x'.repeat(281) } }],
    ['tipAmountCents', { ...order, tipAmountCents: 1.5 }],
    ['tipAmountCents', { ...order, tipAmountCents: '400' }],
    ['timeWindows.dropoff.start', { ...order, timeWindows: { dropoff: { start: 'tomorrow' } } }],
    ['verification.dropoff.photo.level', { ...order, verification: { dropoff: { photo: { level: 'maybe' } } } }],
    ['quoteId', { ...order, quoteId: null }],
  ])('refuses %s', (field, body) => {
    expect(refusedFields(body)).toEqual([field])
  })

  it('counts characters as code points', () => {
    expect(refusedFields({ ...order, dropoff: { ...order.dropoff, instructions: '🚪'.repeat(280) } })).toEqual([])
  })

  it('accepts any part of an order in an update, and null to clear a field', () => {
    expect(
      refusedFields({ dropoff: { instructions: null }, tipAmountCents: 5, package: { contains: [] } }, DeliveryUpdate),
    ).toEqual([])
    expect(refusedFields({}, DeliveryUpdate)).toEqual([])
    expect(refusedFields({ tipAmountCents: 'five' }, DeliveryUpdate)).toEqual(['tipAmountCents'])
  })
})

describe('The vocabulary', () => {
  it('has an event for each of the 16 statuses, 7 other delivery and driver events, and one installation event', () => {
    expect(eventTypes).toHaveLength(24)
    expect(statusReasonCodes).toHaveLength(25)
    expect(Object.keys(errorStatuses)).toHaveLength(27)
  })

  it.each([
    ['+12025550100', true],
    ['+442071838750', true],
    ['+819012345678', true],
    ['2025550100', false],
    ['+1202555010', false],
    ['+12025550100 ', false],
    ['+11025550100', false],
    ['+0123456789', false],
    ['+1234567890123456', false],
  ])('reads %j as E.164: %s', (phone, valid) => {
    expect(isE164(phone)).toBe(valid)
  })
})
