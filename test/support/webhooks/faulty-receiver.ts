import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { verify } from '../../../src/webhooks/index.js'
import { startHttpServer } from '../http-server.js'

/** What can be wrong with a receiver; one at a time. */
export type ReceiverFault =
  | 'no check'
  | 'parse first'
  | 'reads Latin-1'
  | 'decodes each piece'
  | 'no dedupe'
  | 'no tolerance'
  | 'slow'
  | '500 on unknown types'
  | 'order by arrival'
  | 'first signature only'
  | 'small body limit'

export interface ReceiverOptions {
  secret: string
  fault?: ReceiverFault
  /** How it shows what it did. */
  shows: 'outcome header' | 'outcome body' | 'state' | 'nothing'
}

interface Held {
  status: string
  occurredAt: string
  processed: number
}

/** A receiver as an integrator would write it, with at most one fault. */
export async function startTestReceiver(options: ReceiverOptions): Promise<{ url: string; stateUrl: string }> {
  const { fault } = options
  const seen = new Set<string>()
  const deliveries = new Map<string, Held>()

  async function receive(request: IncomingMessage, response: ServerResponse) {
    const pieces = await piecesOf(request, fault === 'small body limit' ? 100_000 : 2_000_000)
    if (pieces === undefined) return answer(response, 413, {})
    const arrived = Buffer.concat(pieces)
    if (fault === 'slow') await pause(300)
    const body = reread(pieces, fault)
    const verdict = verify({
      secrets: [options.secret],
      headers: fault === 'first signature only' ? withFirstSignature(request.rawHeaders) : request.rawHeaders,
      body,
      ...(fault === 'no tolerance' ? { toleranceSeconds: 1e9 } : {}),
    })
    if (!verdict.ok && fault !== 'no check') return answer(response, 401, {})
    const event = JSON.parse(arrived.toString())
    if (fault === '500 on unknown types' && event.eventType === 'delivery.teleported') return answer(response, 500, {})
    if (seen.has(event.eventId) && fault !== 'no dedupe') return tell(response, 'duplicate')
    seen.add(event.eventId)
    return tell(response, apply(event))
  }

  function apply(event: { occurredAt: string; delivery: { deliveryId: string; status: string } }): string {
    const { deliveryId, status } = event.delivery
    const held = deliveries.get(deliveryId)
    if (held !== undefined && event.occurredAt < held.occurredAt && fault !== 'order by arrival') return 'outdated'
    deliveries.set(deliveryId, { status, occurredAt: event.occurredAt, processed: (held?.processed ?? 0) + 1 })
    return 'processed'
  }

  function tell(response: ServerResponse, outcome: string) {
    if (options.shows === 'outcome header') response.setHeader('dlv-outcome', outcome)
    answer(response, 200, options.shows === 'outcome body' ? { outcome } : {})
  }

  const origin = await startHttpServer((request, response) => {
    if (request.method !== 'GET') {
      receive(request, response).catch(() => answer(response, 400, {}))
      return
    }
    const held = deliveries.get((request.url ?? '').slice('/state/'.length))
    answer(response, 200, held ?? {})
  })
  return { url: `${origin}/hooks`, stateUrl: `${origin}/state/{deliveryId}` }
}

/** The bytes that are verified: with some faults not those that arrived. */
function reread(pieces: Buffer[], fault: ReceiverFault | undefined): Buffer {
  const whole = Buffer.concat(pieces)
  if (fault === 'parse first') return Buffer.from(JSON.stringify(JSON.parse(whole.toString())))
  if (fault === 'reads Latin-1') return Buffer.from(whole.toString('latin1'))
  if (fault === 'decodes each piece') return Buffer.from(pieces.map(String).join(''))
  return whole
}

async function piecesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer[] | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request) {
    length += piece.length
    if (length <= maxBytes) pieces.push(piece)
  }
  return length > maxBytes ? undefined : pieces
}

function withFirstSignature(rawHeaders: string[]): string[] {
  return rawHeaders.map((text) => (text.includes('v1,') || text.includes('v2,') ? (text.split(' ')[0] ?? '') : text))
}

function answer(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
