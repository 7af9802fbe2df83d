import { expect, test } from 'vitest'
import { createClient, createOnce, findByReference } from '../../src/client/index.js'
import { hurriedClock } from '../support/client/hurried-clock.js'
import { serveScripted } from '../support/client/scripted-server.js'
import { reply } from '../support/client/scripted-service.js'
import { testOrder } from '../support/orders.js'

const { server } = serveScripted()
const open = () => createClient({ baseUrl: server.baseUrl, apiKey: 'key', clock: hurriedClock() })

test('an answer about another delivery or driver is refused, by reads and writes', async () => {
  const client = open()
  const { deliveryId } = await client.createDelivery({ body: testOrder('R-1'), idempotencyKey: 'k-1' })
  const other = { deliveryId: 'del_other', status: 'cancelled', livemode: false, emittedEvents: [] }
  server.always = (turn) => turn.send(reply(200, { ...other, id: 'drv_other', name: 'Max', status: 'active' }))
  const calls = [
    client.getDelivery({ deliveryId }),
    client.cancelDelivery({ deliveryId, idempotencyKey: 'k-2' }),
    client.updateDelivery({ deliveryId, body: { tipAmountCents: 100 } }),
    client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }),
    client.getDriver({ driverId: 'drv_1' }),
  ]
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('about another one') },
    })
  expect(server.service.cancellations).toBe(0)
})

test('another installation, the events of another delivery and the delivery or quotes of another order are refused', async () => {
  const client = open()
  const about = { deliveryId: 'del_other', clientOrderReference: 'OTHER', status: 'accepted', code: 'FTOTHER' }
  const event = { eventId: 'evt_1', eventType: 'delivery.accepted', occurredAt: '2026-03-02T15:00:00Z', data: {} }
  const events = [
    { ...event, deliveryId: 'del_1' },
    { ...event, deliveryId: 'del_other' },
  ]
  const answer = { ...about, name: 'Other', quotes: [], events, nextCursor: null }
  server.always = (turn) => turn.send(reply(200, answer))
  const order = { order: testOrder('R-1'), idempotencyKey: 'k-1', bodyHash: '' }
  const calls = [
    client.getInstallation({ installationCode: 'FTBRAGG' }),
    client.listEvents({ query: { deliveryId: 'del_1' } }),
    client.createQuote({ body: testOrder('R-1') }),
    client.createDelivery({ body: testOrder('R-1'), idempotencyKey: 'k-2' }),
    createOnce(client, order, { record: () => [{ wasSent: false }] }),
  ]
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('about another one') },
    })
})

test('an answer that spells the id in capitals is taken as before', async () => {
  server.always = (turn) => turn.send(reply(200, { deliveryId: 'DEL_1', status: 'accepted' }))
  expect(await open().getDelivery({ deliveryId: 'del_1' })).toMatchObject({ deliveryId: 'DEL_1' })
})

test('a list of one reference that has another order, as a cache that ignores queries gives it, is refused', async () => {
  const client = open()
  const listed = (...clientOrderReferences: (string | null)[]) => {
    const deliveries = clientOrderReferences.map((clientOrderReference, index) => ({
      ...{ deliveryId: `del_${index}`, clientOrderReference, status: 'accepted' },
      ...{ createdAt: '2026-03-02T15:00:00Z', updatedAt: '2026-03-02T15:00:00Z' },
    }))
    server.always = (turn) => turn.send(reply(200, { deliveries, nextCursor: null }))
    return client.listDeliveries({ query: { clientOrderReference: 'MINE' } })
  }
  const refusal = 'listDeliveries is about another one: clientOrderReference is'
  for (const references of [['OTHER'], ['MINE', 'OTHER'], ['MINE-2'], ['']]) {
    await expect(listed(...references), references.join()).rejects.toThrow(refusal)
    await expect(findByReference(client, 'MINE'), references.join()).rejects.toThrow(refusal)
  }
  expect((await listed('mine', null)).deliveries).toHaveLength(2)
})
