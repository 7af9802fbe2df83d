import { describe, expect, it } from 'vitest'
import type { ContractError, SignatureError, WebhookEvent } from '../../../src/contract/index.js'
import {
  isDeliveryEvent,
  newSecret,
  type ReceiverOptions,
  sampleEvent,
  sendEvent,
  testReceiver,
} from '../../../src/webhooks/index.js'

/** Starts an app with its receiver at `/hooks`, among other routes that parse JSON; its origin. */
export type Framework = (options: ReceiverOptions) => Promise<string>

const secret = newSecret()

/** What a receiver promises, whatever it is mounted in. */
export function describeReceivers(frameworks: Record<string, Framework>): void {
  describe.each(Object.entries(frameworks))('the receiver in %s', (_, start) => {
    it('passes every conformance case', async () => {
      const newest = new Map<string, string>()
      const origin = await start({
        secrets: [newSecret(), secret],
        onEvent(event) {
          const order = (isDeliveryEvent(event) && event.delivery.clientOrderReference) || ''
          if ((newest.get(order) ?? '') > event.occurredAt) return 'outdated'
          newest.set(order, event.occurredAt)
          return undefined
        },
      })
      const report = await testReceiver({ url: `${origin}/hooks`, secret, concurrency: 8 })
      expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
    })

    it('hands over the event once, answers 500 where the handler throws, and takes it again', async () => {
      const events: WebhookEvent[] = []
      const errors: unknown[] = []
      const origin = await start({
        secrets: secret,
        onEvent(event) {
          events.push(event)
          if (events.length === 1) throw new Error('the database is away')
        },
        onError: (...error) => errors.push(error),
      })
      const event = sampleEvent('delivery.delivered')
      const send = async () => {
        const sent = await sendEvent({ url: `${origin}/hooks`, secrets: [secret], body: JSON.stringify(event) })
        return sent.answered ? [sent.status, sent.headers['dlv-outcome']] : []
      }
      expect([await send(), await send(), await send()]).toEqual([
        [500, undefined],
        [200, 'processed'],
        [200, 'duplicate'],
      ])
      expect(events).toEqual([event, event])
      expect(errors).toEqual([[new Error('the database is away'), event.eventId]])
    })

    it('acknowledges a signed webhook that is no event, and tells onError what is wrong with which', async () => {
      const told: unknown[] = []
      const types: string[] = []
      const origin = await start({
        secrets: secret,
        onEvent: ({ eventType }) => void types.push(eventType),
        onError: (error, id) => told.push([id, ...(error as ContractError).issues]),
      })
      const { delivery: _, ...bare } = sampleEvent('delivery.delivered', { eventId: 'evt_1' })
      const bodies = [
        [],
        { foo: 1 },
        { ...bare, occurredAt: undefined },
        { ...bare, occurredAt: 1_772_463_600, eventType: null },
        bare,
        { ...bare, delivery: 'del_1' },
        { ...bare, eventType: 'driver.duty_changed' },
        { ...bare, eventType: 'delivery.teleported', future: true },
      ]
      for (const body of bodies)
        expect(
          await sendEvent({ url: `${origin}/hooks`, secrets: secret, body: JSON.stringify(body), id: 'evt_1' }),
        ).toMatchObject({ status: 200, headers: { 'dlv-outcome': body === bodies.at(-1) ? 'processed' : 'ignored' } })
      expect(told).toEqual([
        ['evt_1', 'the body is an array'],
        ['evt_1', 'eventId is missing', 'eventType is missing', 'occurredAt is missing'],
        ['evt_1', 'occurredAt is missing'],
        ['evt_1', 'eventType is null', 'occurredAt is a number'],
        ['evt_1', 'delivery is missing'],
        ['evt_1', 'delivery is a string'],
        ['evt_1', 'driver is missing'],
      ])
      expect(types).toEqual(['delivery.teleported'])
    })

    it('tells why it refused, and leaves other routes their JSON', async () => {
      const refusals: (string | undefined)[][] = []
      const onRejected = ({ reason, hint }: SignatureError) => refusals.push([reason, hint])
      const origin = await start({ secrets: secret, onEvent: () => {}, onRejected })
      await sendEvent({ url: `${origin}/hooks`, secrets: [newSecret()], body: '{}' })
      await sendEvent({ url: `${origin}/hooks`, secrets: [secret], body: 'no JSON' })
      expect(refusals).toEqual([
        ['no_matching_signature', expect.stringContaining('explainFailure')],
        ['not_json', undefined],
      ])
      const answer = await fetch(`${origin}/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"a": 1}',
      })
      expect(await answer.json()).toEqual({ a: 1 })
    })
  })
}
