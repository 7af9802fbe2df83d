import { hash } from 'node:crypto'
import { verify } from '../../../src/webhooks/index.js'
import { startHttpServer } from '../http-server.js'

/** A mistake of an app, planted to be found. */
export type Bug = 'dedup off' | 'clock check off' | 'order ignored' | 'first signature only' | 'drops failures'

/** An integrator's app with a state that can be asked for, and what it was sent. */
export async function startSmallApp(secret: string, bug?: Bug) {
  const seen = new Set<string>()
  const state = new Map<string, { status: string; occurredAt: string; processed: number }>()
  const arrived: { id: string; deliveryId: string; text: string; signatures: number }[] = []
  const take = (headers: Record<string, string>, body: Buffer): number => {
    const signatures = (headers['webhook-signature'] ?? '').split(' ')
    const checked = bug === 'first signature only' ? { ...headers, 'webhook-signature': signatures[0] ?? '' } : headers
    const toleranceSeconds = bug === 'clock check off' ? 1e9 : 300
    const verdict = verify({ secrets: [secret], headers: checked, body, toleranceSeconds })
    if (!verdict.ok) return 401
    const text = body.toString()
    const { eventId, occurredAt, delivery } = JSON.parse(text)
    arrived.push({ id: eventId, deliveryId: delivery.deliveryId, text, signatures: signatures.length })
    if (bug === 'drops failures' && delivery.status === 'failed') return 500
    if (seen.has(eventId) && bug !== 'dedup off') return 200
    seen.add(eventId)
    const held = state.get(delivery.deliveryId) ?? { status: '', occurredAt: '', processed: 0 }
    held.processed++
    if (bug === 'order ignored' || occurredAt >= held.occurredAt) {
      held.status = delivery.status
      held.occurredAt = occurredAt
    }
    state.set(delivery.deliveryId, held)
    return 200
  }
  const origin = await startHttpServer((request, response) => {
    if (request.method === 'GET') {
      const held = state.get((request.url ?? '').split('/').at(-1) ?? '')
      response.writeHead(held === undefined ? 404 : 200).end(JSON.stringify(held ?? {}))
      return
    }
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () =>
      response.writeHead(take(request.headers as Record<string, string>, Buffer.concat(pieces))).end(),
    )
  })
  /** What arrived for each delivery, in order, without what was repeated. */
  const fingerprint = () => {
    const byDelivery = Map.groupBy(arrived, ({ deliveryId }) => deliveryId)
    const lines = [...byDelivery].map(([id, events]) => [id, ...new Set(events.map(({ text }) => text))].join('\n'))
    return hash('sha256', lines.sort().join('\n'), 'hex')
  }
  return {
    arrived,
    fingerprint,
    flags: ['--target', `${origin}/hooks`, '--state-url', `${origin}/state/{deliveryId}`],
  }
}
