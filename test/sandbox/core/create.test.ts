import { describe, expect, test } from 'vitest'
import type { DeliveryCreate } from '../../../src/contract/index.js'
import { dropoffAt, mondayMorningMs, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

type Dropoff = DeliveryCreate['dropoff']

const at = (minutes: number) => new Date(mondayMorningMs + minutes * 60_000).toISOString()
const window = (from: number, to: number) => ({ start: at(from), end: at(to) })
const to = (address: Dropoff['address'], more: Partial<Dropoff> = {}): { dropoff: Dropoff } => ({
  dropoff: { address, contactName: 'Sam Doe', contactPhone: '+19105550142', ...more },
})

describe('time windows are refused', () => {
  const cases: [string, NonNullable<DeliveryCreate['timeWindows']>][] = [
    ['that are empty', { deliveryMode: 'scheduled', dropoff: window(60, 60) }],
    ['that lack an end', { deliveryMode: 'scheduled', dropoff: { start: at(60) } }],
    ['for the door before the store', { deliveryMode: 'scheduled', pickup: window(120, 180), dropoff: window(60, 90) }],
    ['of an asap order that make no sense', { deliveryMode: 'asap', dropoff: window(120, 60) }],
  ]
  test.each(cases)('%s', (_, timeWindows) => {
    const shell = new TestShell()
    expect(refusalOf(() => shell.create({ timeWindows }))).toBe('422 INVALID_TIME_CONSTRAINT')
  })

  test('in which every commercial gate is closed', () => {
    const shell = new TestShell()
    const timeWindows = { deliveryMode: 'scheduled', dropoff: window(60, 120) } as const
    const attempt = () => shell.create({ dropoff: dropoffAt('ZZGATECLOSED'), timeWindows })
    expect(refusalOf(attempt)).toBe('422 INVALID_TIME_CONSTRAINT')
    const openOnSunday = {
      deliveryMode: 'scheduled' as const,
      dropoff: { start: '2026-03-08T10:00:00Z', end: '2026-03-08T12:00:00Z' },
    }
    expect(shell.create({ dropoff: dropoffAt('ZZGATECLOSED'), timeWindows: openOnSunday }).status).toBe('scheduled')
  })

  test('with a minute of grace', () => {
    const shell = new TestShell()
    const timeWindows = { deliveryMode: 'scheduled', pickup: window(-120, -0.9) } as const
    expect(shell.create({ timeWindows }).status).toBe('accepted')
  })
})

describe('an order is', () => {
  test('accepted when it starts within half an hour, scheduled when it starts later', () => {
    const shell = new TestShell()
    const scheduled = (from: number) =>
      shell.create({ timeWindows: { deliveryMode: 'scheduled', dropoff: window(from, 240) } }).status
    expect(scheduled(30)).toBe('accepted')
    expect(scheduled(31)).toBe('scheduled')
    expect(shell.create({ timeWindows: { deliveryMode: 'asap', dropoff: window(120, 180) } }).status).toBe('accepted')
  })

  test.each(['accepted', 'scheduled', 'dispatch_failed'])('%s when its metadata asks for it', (status) => {
    const shell = new TestShell()
    expect(shell.create({ metadata: { sandbox_create: status } }).status).toBe(status)
    expect(shell.events.map((event) => event.eventType)).toEqual([`delivery.${status}`])
    expect(shell.events[0]?.body).not.toHaveProperty('previousStatus')
  })

  test('shown without history by create, and with it by a read', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    expect(shell.events[0]?.body.delivery).not.toHaveProperty('statusHistory')
    expect(shell.call('getDelivery', { deliveryId }).body).toMatchObject({
      statusHistory: [{ status: 'accepted', occurredAt: '2026-03-02T15:00:00.000Z' }],
      pickup: { storeReference: 'STORE-001', businessName: 'Sandbox Market #01' },
      trackingUrl: `http://sandbox.test/track/${deliveryId}`,
    })
  })
})

test('controlled cargo is prohibited where the policy does not even name it', () => {
  const shell = new TestShell()
  const camp = shell.installation('ZZOK')
  if (camp !== undefined) shell.installationRows.set('ZZOK', { ...camp, prohibitedCargo: [] })
  const order = (cargo: string) => ({ dropoff: dropoffAt('ZZOK'), package: { contains: [cargo] } })
  expect(refusalOf(() => shell.create(order('controlled_cargo')))).toBe('422 PROHIBITED_CARGO_FOR_DESTINATION')
  expect(refusalOf(() => shell.create(order('alcohol')))).toBeUndefined()
})

test('the checks come in their order, the earliest refusal wins', () => {
  const shell = new TestShell()
  shell.create({ clientOrderReference: 'taken' })
  const broken: Partial<DeliveryCreate> = {
    clientOrderReference: 'taken',
    pickup: { storeReference: 'STORE-UNKNOWN' },
    quoteId: 'qot_expired',
    dispatch: { mode: 'auto_assign' },
    package: { contains: ['controlled_cargo'], weightGrams: 30_000 },
    timeWindows: { deliveryMode: 'scheduled' },
    dropoff: {
      address: 'PSC 3 Box 12, APO, AE 09021',
      contactName: 'Sam Doe',
      contactPhone: 'none',
      installation: { code: 'ZZCLOSED' },
    },
  }
  const taken = broken.dropoff as Dropoff
  const at = (address: string, code: string) => ({ dropoff: { ...to(address).dropoff, installation: { code } } })
  type Mending = (order: Partial<DeliveryCreate>) => Partial<DeliveryCreate>
  const mendings: [string, Mending][] = [
    ['400 INVALID_PHONE_NUMBER', (order) => ({ ...order, dropoff: { ...taken, contactPhone: '+19105550142' } })],
    ['422 INVALID_STORE_REFERENCE', (order) => ({ ...order, pickup: { storeReference: 'STORE-001' } })],
    ['409 DUPLICATE_ORDER', (order) => ({ ...order, clientOrderReference: 'free' })],
    ['409 QUOTE_EXPIRED', ({ quoteId, ...order }) => order],
    ['422 UNSUPPORTED_DESTINATION', (order) => ({ ...order, ...at('1 Main St, Fayetteville, TX 28301', 'ZZCLOSED') })],
    [
      '422 INSTALLATION_NOT_ACCEPTING_DELIVERIES',
      (order) => ({ ...order, ...at('1 Main St, Fayetteville, TX 28301', 'ZZOK') }),
    ],
    ['422 PROHIBITED_CARGO_FOR_DESTINATION', (order) => ({ ...order, package: { weightGrams: 30_000 } })],
    ['422 UNSUPPORTED_REQUIREMENT', ({ dispatch, ...order }) => order],
    ['422 INVALID_TIME_CONSTRAINT', (order) => ({ ...order, timeWindows: { deliveryMode: 'asap' } })],
    ['422 INVALID_ADDRESS', (order) => ({ ...order, ...to('1 Main St, Fayetteville, NC 28301') })],
    ['422 NO_ELIGIBLE_PROVIDERS', (order) => ({ ...order, package: {} })],
  ]
  let order = broken
  for (const [refusal, mend] of mendings) {
    expect(refusalOf(() => shell.create(order))).toBe(refusal)
    order = mend(order)
  }
  expect(refusalOf(() => shell.create(order))).toBeUndefined()
})
