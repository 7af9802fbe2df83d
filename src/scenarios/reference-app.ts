import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { percentDecoded } from '../shared/byte-codes.js'
import { isDeliveryEvent, verify } from '../webhooks/index.js'
import { readBody } from '../webhooks/internal.js'

/** An app that makes no mistake, for a scenario that is played without one. */
interface ReferenceApp {
  url: string
  stateUrl: string
  close(): Promise<void>
}

interface Held {
  status: string
  occurredAt: string
  processed: number
}

const maxBodyBytes = 1_048_576

/** Verifies, dedupes on the event's id and orders by `occurredAt`, in memory, on a free port of this machine. */
export async function referenceApp(secrets: readonly string[]): Promise<ReferenceApp> {
  const seen = new Set<string>()
  const deliveries = new Map<string, Held>()
  const take = (headers: readonly string[], body: Buffer): number => {
    const verdict = verify({ secrets, headers, body })
    if (!verdict.ok) return 401
    const { id, event } = verdict
    if (seen.has(id) || event === undefined || !isDeliveryEvent(event)) return 200
    seen.add(id)
    const { deliveryId, status } = event.delivery
    const held = deliveries.get(deliveryId) ?? { status, occurredAt: event.occurredAt, processed: 0 }
    held.processed++
    if (event.occurredAt >= held.occurredAt) Object.assign(held, { status, occurredAt: event.occurredAt })
    deliveries.set(deliveryId, held)
    return 200
  }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const held = deliveries.get(percentDecoded((request.url ?? '').replace('/state/', '')) ?? '')
      response.writeHead(held === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(held ?? {}))
      return
    }
    const body = await readBody(request, maxBodyBytes)
    response.writeHead(Buffer.isBuffer(body) ? take(request.rawHeaders, body) : 413).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/webhooks`,
    stateUrl: `${origin}/state/{deliveryId}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
