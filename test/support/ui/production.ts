import { startHttpServer } from '../http-server.js'

/** A service that answers reads like an account with one delivery to an installation whose policy changed, and notes everything else. */
export async function countingService(): Promise<{
  baseUrl: string
  writes: string[]
  reads: string[]
  /** Answers each request with a 503. */
  isAway: boolean
  /** Its events are of before the last hour. */
  isQuiet: boolean
}> {
  const writes: string[] = []
  const reads: string[] = []
  const at = new Date(Date.now() - 600_000).toISOString()
  const after = new Date(Date.now() - 300_000).toISOString()
  const delivery = {
    deliveryId: 'del_1',
    clientOrderReference: 'LIVE-1',
    status: 'driver_assigned',
    dropoff: { installation: { code: 'FTBRAGG' } },
    statusHistory: [{ status: 'accepted', occurredAt: at }],
    pricing: { currency: 'USD', deliveryFeeCents: 900, totalPriceCents: 900, cancellationFeeCents: 300 },
    createdAt: at,
    updatedAt: at,
  }
  const event = {
    eventId: 'evt_1',
    eventType: 'delivery.driver_assigned',
    occurredAt: at,
    livemode: true,
    deliveryId: 'del_1',
    deliveryAttempts: 1,
    lastDeliveryStatus: 'failed',
    lastAttemptAt: at,
    data: { eventId: 'evt_1', eventType: 'delivery.driver_assigned', occurredAt: at, livemode: true, delivery },
  }
  const code = 'FTBRAGG'
  const change = {
    eventId: 'evt_2',
    eventType: 'installation.access_policy_changed',
    occurredAt: after,
    livemode: true,
  }
  const changed = ['fpconLevel']
  const policyEvent = { ...change, data: { ...change, changed, affectedDeliveryCount: 1, installation: { code } } }
  const installation = { code, name: 'Fort Bragg', branch: 'army', state: 'NC', acceptingDeliveries: true }
  const answers: readonly (readonly [RegExp, unknown])[] = [
    [/^\/deliveries\/[^/]+$/, delivery],
    [/^\/deliveries$/, { deliveries: [delivery], nextCursor: null }],
    [/^\/events$/, { events: [event, policyEvent], nextCursor: null }],
    [/^\/installations$/, { installations: [installation], nextCursor: null }],
    [/^\/installations\/[^/]+$/, { ...installation, gates: [], fpconLevel: 'bravo' }],
    [/^\/capabilities$/, { accountType: 'marketplace', capabilities: { returns: true, cancellationFees: true } }],
    [/^\/drivers$|^\/teams$/, []],
    [/^\/health$/, { status: 'healthy' }],
  ]
  const service = { baseUrl: '', writes, reads, isAway: false, isQuiet: false }
  const origin = await startHttpServer((request, response) => {
    const { method = '', url = '' } = request
    const path = new URL(url, 'http://service').pathname.replace('/delivery/v1', '')
    request.resume()
    ;(method === 'GET' ? reads : writes).push(`${method} ${path}`)
    if (service.isAway) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '3' })
      response.end(JSON.stringify({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Away.', requestId: 'req_2' } }))
      return
    }
    const quiet = service.isQuiet && path === '/events' ? { events: [], nextCursor: null } : undefined
    const answer = quiet ?? answers.find(([pattern]) => pattern.test(path))?.[1]
    response.writeHead(answer === undefined || method !== 'GET' ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: { code: 'NOT_FOUND', message: 'no', requestId: 'req_1' } }))
  })
  service.baseUrl = `${origin}/delivery/v1`
  return service
}
