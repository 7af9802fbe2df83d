import { type JsonServer, startJsonServer } from '../cli/json-server.js'

export const pageRows = 100

/**
 * Starts a service with so many deliveries that no pipe holds them: it answers every request with the page its cursor
 * asks for. `urlLength` makes rows as long as a test needs them.
 */
export function serveManyDeliveries(rowCount: number, urlLength = 20): Promise<JsonServer> {
  return startJsonServer((path) => {
    const first = Number(new URL(path, 'http://localhost').searchParams.get('cursor') ?? 0)
    const deliveries = Array.from({ length: pageRows }, (_, index) => ({
      deliveryId: `del_${first + index}`,
      clientOrderReference: `ORDER-${first + index}`,
      status: 'accepted',
      createdAt: '2026-03-02T15:00:00Z',
      updatedAt: '2026-03-02T15:00:00Z',
      trackingUrl: 'http://127.0.0.1/'.padEnd(urlLength, 'x'),
    }))
    const next = first + pageRows
    return JSON.stringify({ deliveries, ...(next < rowCount ? { nextCursor: String(next) } : {}) })
  })
}
