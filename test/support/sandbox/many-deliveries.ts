import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const pageRows = 100

/** A service with so many deliveries that no pipe holds them. */
export interface ManyDeliveries {
  /** What leads the program there. */
  env: NodeJS.ProcessEnv
  /** How many pages were asked for. */
  readonly requests: number
  close(): void
}

/**
 * Starts one on loopback that answers every request with the page its cursor asks for. `urlLength` makes rows as long as
 * a test needs them.
 */
export async function serveManyDeliveries(rowCount: number, urlLength = 20): Promise<ManyDeliveries> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    const first = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? 0)
    const deliveries = Array.from({ length: pageRows }, (_, index) => ({
      deliveryId: `del_${first + index}`,
      clientOrderReference: `ORDER-${first + index}`,
      status: 'accepted',
      createdAt: '2026-03-02T15:00:00Z',
      updatedAt: '2026-03-02T15:00:00Z',
      trackingUrl: 'http://127.0.0.1/'.padEnd(urlLength, 'x'),
    }))
    const next = first + pageRows
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ deliveries, ...(next < rowCount ? { nextCursor: String(next) } : {}) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: { DLV_BASE_URL: `http://127.0.0.1:${port}/delivery/v1`, DLV_API_KEY: 'key' },
    get requests() {
      return requests
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
