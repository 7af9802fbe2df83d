/** Posts signed events over many connections and prints the rate and the 99th percentile of the latency. */
import { createHmac } from 'node:crypto'
import { exchange, requestText } from './keep-alive.mjs'

const [, , address, count, connections, run] = process.argv
const secret = Buffer.from(process.env.DLV_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const url = new URL(address)
const timestamp = String(Math.floor(Date.now() / 1000))

const requests = Array.from({ length: Number(count) }, (_, index) => {
  const eventId = `evt_${run}_${index}`
  const body = JSON.stringify({
    eventId,
    eventType: 'delivery.driver_assigned',
    occurredAt: new Date().toISOString(),
    previousStatus: 'accepted',
    livemode: false,
    delivery: {
      deliveryId: `del_${run}_${index % 500}`,
      clientOrderReference: `LOAD-${index}`,
      status: 'driver_assigned',
      pickup: { storeReference: 'STORE-001', businessName: 'Sandbox Market #01' },
      dropoff: {
        address: '418 Ramsey Street, Fayetteville, NC 28301',
        contactName: 'Dana Whitfield',
        contactPhone: '+19105550147',
      },
      pricing: { currency: 'USD', deliveryFeeCents: 865, tipAmountCents: 400, totalPriceCents: 1265 },
    },
  })
  const signature = createHmac('sha256', secret).update(`${eventId}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return Buffer.from(requestText('POST', url, headers, body))
})

const latenciesMs = new Float64Array(requests.length)
let refused = 0
const seconds = await exchange(
  url,
  Number(connections),
  requests.length,
  (index) => requests[index],
  (index, status, ms) => {
    latenciesMs[index] = ms
    if (status >= 300) refused++
  },
)
latenciesMs.sort()
process.stdout.write(
  `${JSON.stringify({ perSecond: requests.length / seconds, p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)], refused })}\n`,
)
