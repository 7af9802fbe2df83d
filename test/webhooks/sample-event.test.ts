import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import {
  DeliveryEvent,
  DriverEvent,
  eventTypes,
  findDrift,
  InstallationEvent,
  WebhookEvent,
} from '../../src/contract/index.js'
import { sampleEvent } from '../../src/webhooks/index.js'

function schemaOf(eventType: string): z.ZodType {
  if (eventType.startsWith('delivery.')) return DeliveryEvent
  return eventType.startsWith('driver.') ? DriverEvent : InstallationEvent
}

describe('a sample event', () => {
  it.each(eventTypes)('of type %s is what the contract describes, and nothing else', (eventType) => {
    const event = sampleEvent(eventType)
    expect(event.eventType).toBe(eventType)
    for (const schema of [schemaOf(eventType), WebhookEvent]) expect(schema.safeParse(event).error).toBeUndefined()
    expect(findDrift(schemaOf(eventType), event)).toEqual([])
  })

  it('of a status type carries that status, and the one before it where there is one', () => {
    expect(sampleEvent('delivery.delivered')).toMatchObject({
      previousStatus: 'driver_at_dropoff',
      delivery: { status: 'delivered', proofOfDelivery: [{ type: 'signature' }] },
    })
    expect(sampleEvent('delivery.accepted')).not.toHaveProperty('previousStatus')
    expect(sampleEvent('delivery.eta_updated')).not.toHaveProperty('previousStatus')
    expect(sampleEvent('delivery.failed').delivery).toMatchObject({ statusReasonCode: 'gate_closed' })
    expect(sampleEvent('driver.duty_changed').driver).toEqual({ id: 'drv_sample_maya', name: 'Maya R.', onDuty: false })
  })

  it('is of the delivery, id and time that were asked for, and new each time otherwise', () => {
    const options = { eventId: 'evt_1', deliveryId: 'del_9', clientOrderReference: 'A-1', occurredAtMs: 0 }
    expect(sampleEvent('delivery.scheduled', options)).toMatchObject({
      eventId: 'evt_1',
      occurredAt: '1970-01-01T00:00:00.000Z',
      delivery: { deliveryId: 'del_9', clientOrderReference: 'A-1' },
    })
    expect(sampleEvent('driver.created').eventId).not.toBe(sampleEvent('driver.created').eventId)
  })

  it('of an unknown type is refused with the list of known ones', () => {
    expect(() => sampleEvent('delivery.teleported')).toThrow('there is no event type delivery.teleported')
  })
})
