/**
 * A minimal server for both command lines and the bare loops: fixed responses and no rules, so that only the clients are
 * measured. `--events N` is the number of events that it reports.
 */
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({ options: { events: { type: 'string', default: '0' } } })
const total = Number(flags.events)

const delivery = {
  deliveryId: 'del_bench',
  clientOrderReference: 'BENCH-1',
  status: 'delivered',
  statusHistory: ['accepted', 'driver_assigned', 'delivered'].map((status) => ({
    status,
    occurredAt: '2026-03-02T15:00:00.000Z',
  })),
  pickup: { storeReference: 'STORE-001', businessName: 'Sandbox Market #01' },
  dropoff: {
    address: '418 Ramsey Street, Fayetteville, NC 28301',
    contactName: 'Dana Whitfield',
    contactPhone: '+19105550147',
  },
  pricing: { currency: 'USD', deliveryFeeCents: 865, tipAmountCents: 400, totalPriceCents: 1265 },
  trackingUrl: 'http://127.0.0.1/track/del_bench',
  createdAt: '2026-03-02T15:00:00.000Z',
  updatedAt: '2026-03-02T15:41:00.000Z',
}
const deliveryBody = Buffer.from(JSON.stringify(delivery))
const customerBody = Buffer.from(JSON.stringify({ id: 'cus_bench', object: 'customer', name: 'Dana Whitfield' }))

function eventPage(from: number, limit: number): Buffer {
  const events = []
  for (let index = from; index < Math.min(from + limit, total); index++) {
    const eventId = `evt_${String(index).padStart(10, '0')}`
    const occurredAt = new Date(1_772_000_000_000 + index).toISOString()
    events.push({
      eventId,
      eventType: 'delivery.delivered',
      occurredAt,
      livemode: false,
      deliveryId: 'del_bench',
      deliveryAttempts: 1,
      lastDeliveryStatus: 'delivered',
      lastAttemptAt: occurredAt,
      data: {
        eventId,
        eventType: 'delivery.delivered',
        occurredAt,
        previousStatus: 'driver_at_dropoff',
        livemode: false,
        delivery,
      },
    })
  }
  const next = from + limit
  return Buffer.from(JSON.stringify({ events, nextCursor: next < total ? String(next) : null }))
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  let status = 200
  let body: Uint8Array = deliveryBody
  if (url.pathname.startsWith('/v1/')) body = customerBody
  else if (url.pathname.endsWith('/events'))
    body = eventPage(Number(url.searchParams.get('cursor') ?? 0), Number(url.searchParams.get('limit') ?? 50))
  else if (request.method === 'POST') status = 201
  request.resume()
  request.on('end', () => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-request-id': 'req_bench',
      ratelimit: 'default;r=99999;t=1',
      'ratelimit-policy': 'default;q=100000;w=1',
    })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ port, baseUrl: `http://127.0.0.1:${port}/delivery/v1` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
