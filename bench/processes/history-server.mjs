/**
 * A service whose only work is to list events: deliveries of the last 29 days with ten events each, by position and time,
 * without a database. `--deliveries N`; `--brief` leaves two events of each; `--limit N` allows so many requests a second
 * and refuses the rest with 429.
 * `GET /bench` tells how many requests came, how many were refused, and when the first and the last were.
 */
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '1000' },
    brief: { type: 'boolean', default: false },
    limit: { type: 'string' },
  },
})
const deliveries = Number(flags.deliveries)
const limit = flags.limit === undefined ? undefined : Number(flags.limit)
const between = [
  ...['driver_assigned', 'driver_enroute_to_pickup', 'driver_at_pickup', 'pickup_complete'],
  ...['driver_enroute_to_dropoff', 'location', 'location', 'driver_at_dropoff'],
]
const steps = ['accepted', ...(flags.brief ? [] : between), 'delivered']
const total = deliveries * steps.length
const periodMs = 29 * 86_400_000
const endMs = Date.now() - 60_000
const startMs = endMs - periodMs
/** The time of an event by its position: deliveries follow each other. */
const stepMs = periodMs / total
const timeOf = (index) => startMs + Math.floor(index * stepMs)

/** Of two hundred deliveries one has stopped for good, which makes it a problem. */
const lastStep = (delivery) => (delivery % 200 === 7 ? delivery % 9 : steps.length - 1)

function recordOf(index) {
  const delivery = Math.floor(index / steps.length)
  const step = Math.min(index % steps.length, lastStep(delivery))
  const at = new Date(timeOf(index)).toISOString()
  const first = delivery * steps.length
  const isLocation = steps[step] === 'location'
  const reached = steps.slice(0, step + 1).filter((name) => name !== 'location')
  const deliveryId = `del_${String(delivery).padStart(8, '0')}`
  const createdAt = new Date(timeOf(first)).toISOString()
  const history = reached.map((status, place) => ({
    status,
    occurredAt: new Date(timeOf(first + place)).toISOString(),
  }))
  const eta = new Date(timeOf(first) + 45 * 60_000).toISOString()
  const driver = {
    id: `drv_${delivery % 400}`,
    name: `Driver ${delivery % 400}`,
    vehicleDescription: 'Yellow Kia Soul',
  }
  const location = { lat: 35.05, lng: -78.88, updatedAt: at }
  const event = {
    eventId: `evt_${String(index).padStart(9, '0')}`,
    eventType: isLocation ? 'delivery.driver_location_updated' : `delivery.${steps[step]}`,
    occurredAt: at,
    livemode: false,
  }
  return {
    ...event,
    deliveryId,
    deliveryAttempts: 1,
    lastDeliveryStatus: 'delivered',
    lastAttemptAt: at,
    data: {
      ...event,
      previousStatus: reached.at(-2) ?? null,
      eta: { dropoff: eta },
      delivery: {
        deliveryId,
        clientOrderReference: `ORDER-${delivery}`,
        status: reached.at(-1),
        statusHistory: history,
        pickup: { storeReference: `STORE-${String(delivery % 40).padStart(3, '0')}`, businessName: 'Sandbox Market' },
        dropoff: {
          address: { line1: `${delivery} Ramsey Street`, city: 'Fayetteville', state: 'NC', postalCode: '28301' },
          contactName: `Dana ${delivery}`,
          contactPhone: `+1910${String(5_000_000 + delivery)}`,
          instructions: 'Side door. Please ring twice.',
        },
        pricing: { currency: 'USD', deliveryFeeCents: 865, tipAmountCents: 400, totalPriceCents: 1265 },
        ...(step === 0 ? {} : { driver: isLocation ? { ...driver, location } : driver }),
        trackingUrl: `http://127.0.0.1/track/${deliveryId}`,
        createdAt,
        updatedAt: at,
      },
    },
  }
}

function page(query) {
  const indexOf = (time) => Math.max(0, Math.ceil((Date.parse(time) - startMs) / stepMs))
  const until = query.get('until')
  const end = until === null ? total : Math.min(total, indexOf(until))
  const from = query.has('cursor') ? Number(query.get('cursor')) : indexOf(query.get('since') ?? '')
  const next = Math.min(end, from + Number(query.get('limit') ?? 50))
  const events = []
  for (let index = from; index < next; index++) events.push(recordOf(index))
  return { events, nextCursor: next < end ? String(next) : null }
}

const times = []
let refused = 0
let window = { second: 0, used: 0 }

function isRefused() {
  if (limit === undefined) return false
  const second = Math.floor(Date.now() / 1000)
  if (window.second !== second) window = { second, used: 0 }
  return ++window.used > limit
}

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost')
  const isBench = url.pathname === '/bench'
  if (!isBench) times.push(Date.now())
  let status = 200
  let answer = { status: 'healthy' }
  if (isBench) answer = { requests: times.length, refused, times: times.splice(0) }
  else if (isRefused()) {
    refused++
    status = 429
    answer = { error: { code: 'RATE_LIMITED', message: 'Too many requests.' } }
  } else if (url.pathname.endsWith('/events')) answer = page(url.searchParams)
  else if (url.pathname.endsWith('/deliveries')) answer = { deliveries: [], nextCursor: null }
  const body = Buffer.from(JSON.stringify(answer))
  const quota = limit ?? 100_000
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': 'req_bench',
    ratelimit: `default;r=${Math.max(0, quota - window.used)};t=1`,
    'ratelimit-policy': `default;q=${quota};w=1`,
    ...(status === 429 ? { 'retry-after': '1' } : {}),
  })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  process.stdout.write(
    `${JSON.stringify({ baseUrl: `http://127.0.0.1:${port}/delivery/v1`, benchUrl: `http://127.0.0.1:${port}/bench` })}\n`,
  )
})
process.once('SIGTERM', () => process.exit(0))
