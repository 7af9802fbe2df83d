/** Posts signed events over many connections and prints the rate and the 99th percentile of the latency. */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'

const [, , url, count, connections, run] = process.argv
const secret = Buffer.from(process.env.DLV_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 })
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
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  }
})

const latenciesMs = []
let next = 0
let refused = 0
async function worker() {
  while (next < requests.length) {
    const { body, headers } = requests[next++]
    const began = performance.now()
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body })
    await answer.body.dump()
    latenciesMs.push(performance.now() - began)
    if (answer.statusCode >= 300) refused++
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, worker))
const seconds = (performance.now() - began) / 1000
latenciesMs.sort((a, b) => a - b)
await pool.close()
process.stdout.write(
  `${JSON.stringify({ perSecond: requests.length / seconds, p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)], refused })}\n`,
)
