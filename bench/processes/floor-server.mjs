/**
 * The least that a durable service in Node can do for these two requests: `node:http`, a zod schema, and the rows that the
 * sandbox writes, in one transaction in SQLite. It has no rules, limits, log or webhooks.
 */
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

const database = new DatabaseSync(process.argv[2])
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE deliveries (delivery_id TEXT PRIMARY KEY, reference TEXT, record TEXT);
  CREATE INDEX deliveries_by_reference ON deliveries (reference);
  CREATE TABLE events (seq INTEGER PRIMARY KEY, delivery_id TEXT, body TEXT);
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID`)
const insertDelivery = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?)')
const insertEvent = database.prepare('INSERT INTO events (delivery_id, body) VALUES (?, ?)')
const insertKey = database.prepare('INSERT INTO idempotency VALUES (?, ?)')
const oneDelivery = database.prepare('SELECT record FROM deliveries WHERE delivery_id = ?')

const text = z.string().max(500)
const Order = z.object({
  clientOrderReference: text,
  pickup: z.object({ storeReference: text }),
  dropoff: z.object({
    address: z.object({ line1: text, city: text, state: text, postalCode: z.string().regex(/^\d{5}$/) }),
    contactName: text,
    contactPhone: z.string().regex(/^\+\d{8,15}$/),
    instructions: text.optional(),
  }),
  timeWindows: z.record(z.string(), z.unknown()),
  package: z.record(z.string(), z.unknown()),
  verification: z.record(z.string(), z.unknown()).optional(),
  handling: z.record(z.string(), z.unknown()).optional(),
  tipAmountCents: z.int().nonnegative().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
})

let count = 0
function create(order, key) {
  const deliveryId = `del_${String(++count).padStart(26, '0')}`
  const now = new Date().toISOString()
  const { clientOrderReference, pickup, dropoff, tipAmountCents } = order
  const record = JSON.stringify({
    deliveryId,
    clientOrderReference,
    status: 'accepted',
    statusHistory: [{ status: 'accepted', occurredAt: now }],
    pickup,
    dropoff,
    pricing: { currency: 'USD', deliveryFeeCents: 865, tipAmountCents, totalPriceCents: 865 + tipAmountCents },
    createdAt: now,
    updatedAt: now,
  })
  database.exec('BEGIN IMMEDIATE')
  insertDelivery.run(deliveryId, clientOrderReference, record)
  insertEvent.run(deliveryId, record)
  insertKey.run(key, record)
  database.exec('COMMIT')
  return record
}

function respond(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const found = oneDelivery.get(request.url.slice(request.url.lastIndexOf('/') + 1))
    respond(response, found === undefined ? 404 : 200, found?.record ?? '{}')
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const order = Order.safeParse(JSON.parse(Buffer.concat(chunks).toString()))
    if (order.success) respond(response, 201, create(order.data, request.headers['idempotency-key']))
    else respond(response, 422, JSON.stringify(order.error.issues))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}/delivery/v1` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
