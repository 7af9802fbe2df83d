import { describe, expect, it } from 'vitest'
import { maskedBody, unmaskedBody } from '../../src/ui/server/events/masked-body.js'
import { fieldChanges } from '../../src/ui/server/events/verdict.js'

const body = `{ "eventId":"evt_1",
  "delivery": {"dropoff":{"contactName":"Dana Whitfield","contactPhone":"+19105550147"},"note":"Dana W\\u0068itfield"}, "n": 1.50 }`

describe('A body with names and phones masked', () => {
  it('keeps its spaces, escapes and numbers', () => {
    expect(maskedBody(body)).toBe(
      body.replace('Dana Whitfield', 'D*** W********').replace('+19105550147', '+1*******147'),
    )
  })

  it('shows no name whose letters were escaped', () => {
    const escaped = '{"delivery":{"dropoff":{"contactName":"D\\u0061na Whitfield"}}}'
    expect(maskedBody(escaped)).toBe('{"delivery":{"dropoff":{"contactName":"D*** W********"}}}')
  })

  it('masks phones in what is not JSON', () => {
    expect(maskedBody('call +19105550147 {')).toBe('call +1*******147 {')
  })

  it('is sent as the original if nothing was edited, and with the original names if other things were', () => {
    const masked = maskedBody(body)
    expect(unmaskedBody(masked, body)).toBe(body)
    const edited = JSON.parse(unmaskedBody(masked.replace('evt_1', 'evt_2'), body))
    expect(edited).toMatchObject({
      eventId: 'evt_2',
      delivery: { dropoff: { contactName: 'Dana Whitfield', contactPhone: '+19105550147' } },
    })
    const renamed = JSON.parse(unmaskedBody(masked.replace('D*** W********', 'Kim Lee'), body))
    expect(renamed.delivery.dropoff).toEqual({ contactName: 'Kim Lee', contactPhone: '+19105550147' })
  })

  it('tells two people with the same mask apart', () => {
    const two = '{"a":{"contactName":"Sam Ode"},"b":{"contactName":"Sue Oak"},"id":1}'
    expect(JSON.parse(unmaskedBody(maskedBody(two).replace('"id":1', '"id":2'), two))).toEqual({
      a: { contactName: 'Sam Ode' },
      b: { contactName: 'Sue Oak' },
      id: 2,
    })
  })
})

describe('What changed between two snapshots', () => {
  it('is told field by field, also for what is new or gone as a whole', () => {
    expect(
      fieldChanges(
        { status: 'accepted', pricing: { tip: 1 }, gone: { a: 1 }, list: [1, 2] },
        { status: 'delivered', pricing: { tip: 1 }, driver: { name: 'K*', location: { latitude: 1 } }, list: [1] },
      ),
    ).toEqual([
      { path: 'status', before: 'accepted', after: 'delivered' },
      { path: 'gone.a', before: '1', after: null },
      { path: 'list.1', before: '2', after: null },
      { path: 'driver.name', before: null, after: 'K*' },
      { path: 'driver.location.latitude', before: null, after: '1' },
    ])
  })
})
