/** What must not compile: each mistake is one line. Checked by `types.test.ts` and `.ci/matrix`. */
import { ApiError, type Client, createClient, type Delivery, DlvError, extra, type ItemOf } from 'dlv-cli/client'
import type { DeliveryCreate, DeliveryStatus, WebhookEvent } from 'dlv-cli/contract'
import type { RunningSandbox } from 'dlv-cli/sandbox'
import { fetchReceiver, isDeliveryEvent, sampleEvent, verify } from 'dlv-cli/webhooks'

export async function mistakes(
  client: Client,
  d: Delivery,
  e: WebhookEvent,
  order: DeliveryCreate,
  sandbox: RunningSandbox,
) {
  // @ts-expect-error 1: a misspelt property of a delivery
  d.satus
  // @ts-expect-error 2: a misspelt property below it
  d.dropoff?.contatName
  // @ts-expect-error 3: a misspelt amount
  d.pricing?.tipAmount
  // @ts-expect-error 4: a misspelt property of a driver
  d.driver?.phone
  // @ts-expect-error 5: a property that only quotes have
  d.quoteId
  // @ts-expect-error 6: what may be null is not checked
  d.driver.name
  // @ts-expect-error 7: a time is a text
  d.createdAt?.getTime()
  // @ts-expect-error 8: a misspelt property of an event
  e.evnetType
  // @ts-expect-error 9: not every event has a delivery
  e.delivery
  // @ts-expect-error 10: a misspelt event type
  if (e.eventType === 'delivery.deliverd') return
  if (e.eventType === 'delivery.delivered') {
    // @ts-expect-error 11: a delivery event has no driver
    e.driver.name
    // @ts-expect-error 12: a misspelt property of its delivery
    e.delivery.stauts
  }
  if (e.eventType === 'driver.duty_changed') {
    // @ts-expect-error 13: a driver event has no delivery
    e.delivery.status
  }
  if (e.eventType === 'installation.access_policy_changed') {
    // @ts-expect-error 14: it is a number
    e.affectedDeliveryCount.trim()
  }
  if (isDeliveryEvent(e)) {
    // @ts-expect-error 15: a delivery event is about no installation
    e.installation
  }
  // @ts-expect-error 16: a status that cannot be simulated
  await client.simulateDelivery({ deliveryId: d.deliveryId, body: { advanceTo: 'deliverd' } })
  // @ts-expect-error 17: a status that cannot be listed
  await client.listDeliveries({ query: { from: new Date(), status: 'deliverd' } })
  // @ts-expect-error 18: always 400: neither a time nor a reference
  await client.listDeliveries({ query: { status: 'delivered' } })
  // @ts-expect-error 19: always 400: no query
  await client.listDeliveries()
  // @ts-expect-error 20: always 400, page by page
  for await (const item of client.each('listDeliveries')) item.status
  // @ts-expect-error 21: a misspelt parameter
  await client.listEvents({ query: { form: new Date() } })
  // @ts-expect-error 22: a number is no time
  await client.listEvents({ query: { since: Date.now() } })
  // @ts-expect-error 23: a delivery needs its id
  await client.getDelivery({})
  // @ts-expect-error 24: the id is below deliveryId
  await client.getDelivery('del_1')
  // @ts-expect-error 25: a misspelt operation
  await client.createDelivry({ body: order })
  // @ts-expect-error 26: an order needs a body
  await client.createDelivery({ idempotencyKey: 'k' })
  // @ts-expect-error 27: an order needs a reference
  await client.createDelivery({ body: { pickup: order.pickup, dropoff: order.dropoff } })
  // @ts-expect-error 28: an order needs a recipient
  await client.createDelivery({ body: { ...order, dropoff: { address: '1 Main St' } } })
  // @ts-expect-error 29: a misspelt field of an order
  await client.createDelivery({ body: { ...order, tipAmount: 300 } })
  // @ts-expect-error 30: a misspelt mode
  await client.createDelivery({ body: { ...order, timeWindows: { deliveryMode: 'schedule' } } })
  // @ts-expect-error 31: a key for an operation that takes none
  await client.updateDelivery({ deliveryId: d.deliveryId, body: {}, idempotencyKey: 'k' })
  // @ts-expect-error 32: only paged operations have items
  client.each('listDrivers')
  // @ts-expect-error 33: a list item has no dropoff
  const none: ItemOf<'listDeliveries'>['dropoff'] = null
  // @ts-expect-error 34: a client needs an address
  createClient({ apiKey: 'k' })
  // @ts-expect-error 35: a client needs options
  createClient()
  // @ts-expect-error 36: a misspelt option
  createClient({ baseUrl: 'https://api.example.com/v1', timeout: 5_000 })
  try {
    await client.getHealth()
  } catch (error) {
    // @ts-expect-error 37: not every error of the package has a status
    if (error instanceof DlvError) error.status
    // @ts-expect-error 38: an error of the service has no reason
    if (error instanceof ApiError) error.reason
    // @ts-expect-error 39: no error is of this kind
    if (error instanceof DlvError && error.kind === 'http') return
  }
  // @ts-expect-error 40: a receiver needs secrets
  fetchReceiver({ onEvent: () => {} })
  // @ts-expect-error 41: verify takes bytes
  verify({ secrets: 'whsec_', headers: {}, body: '{}' })
  // @ts-expect-error 42: a span is a text with a unit
  await sandbox.clock.advance(2)
  // @ts-expect-error 43: a misspelt field of a rule
  await sandbox.faults.set([{ probabilty: 0.5 }])
  // @ts-expect-error 44: what a newer service adds is unknown
  extra(d).newField.length
  // @ts-expect-error 45: a driver event has a driver alone
  sampleEvent('driver.created').delivery
  // @ts-expect-error 46: a status is no number
  const status: DeliveryStatus = 3
  return [status, none]
}
