import { describe, expect, it } from 'vitest'
import { maskPersonalData, sampleEvent } from '../../src/webhooks/index.js'

describe('masking', () => {
  it('hides who and where, and keeps what happened', () => {
    const event = sampleEvent('delivery.delivered', { eventId: 'evt_1', deliveryId: 'del_1', occurredAtMs: 0 })
    expect(maskPersonalData(event)).toMatchObject({
      eventId: 'evt_1',
      eventType: 'delivery.delivered',
      delivery: {
        deliveryId: 'del_1',
        clientOrderReference: 'ORDER-1001',
        pickup: { storeReference: 'STORE-001', businessName: 'Sandbox Market #01' },
        dropoff: {
          address: { line1: '* ****** ******', city: 'Fort Bragg', state: 'NC', postalCode: '28310' },
          contactName: 'S** E******',
          contactPhone: '+1*******199',
          instructions: '**** *****.',
        },
        driver: { name: 'M*** R*', phoneNumber: '+1*******134', location: { latitude: 35, longitude: -79 } },
        proofOfDelivery: [{ type: 'signature', url: 'https://track.example/***' }],
        trackingUrl: 'https://track.example/***',
        pricing: { totalPriceCents: 1199 },
      },
    })
  })

  it('leaves nothing of a person in the text, whatever the event', () => {
    const personal = ['Sam', 'Example', '5550199', 'Maya', '5550134', 'Sample Street', 'Ring twice', '35.139', '79.006']
    for (const type of ['delivery.accepted', 'delivery.driver_location_updated', 'driver.created']) {
      const text = JSON.stringify(maskPersonalData(sampleEvent(type)))
      expect(personal.filter((word) => text.includes(word))).toEqual([])
    }
  })

  it('keeps the names of places and the shape of what it does not know', () => {
    const event = sampleEvent('installation.access_policy_changed')
    expect(maskPersonalData(event)).toEqual(event)
    const odd = {
      address: '1 Main St, Anytown',
      name: null,
      list: [1, null, true, 'x'],
      contactPhone: 7,
      url: 'no link',
    }
    expect(maskPersonalData(odd)).toEqual({ ...odd, address: '* **** **, *******', url: '***' })
  })

  it('leaves the original alone, emoji whole, and a key named __proto__ a key', () => {
    const event = { contactName: '🛵🛵 Zoë', extra: JSON.parse('{"__proto__": {"name": "Sam"}}') }
    const masked = maskPersonalData(event)
    expect(event.contactName).toBe('🛵🛵 Zoë')
    expect(masked.contactName).toBe('🛵* Z**')
    expect(JSON.stringify(masked.extra)).toBe('{"__proto__":{"name":"S**"}}')
  })

  it('cuts off what is nested too deep, and needs no stack for it', () => {
    let deep: unknown = { name: 'Sam' }
    for (let level = 0; level < 1_000_000; level++) deep = level % 2 === 0 ? [deep] : { extra: deep }
    const text = JSON.stringify(maskPersonalData(deep))
    expect(text).toContain('[nested too deep]')
    expect(text).not.toContain('Sam')
  })
})
