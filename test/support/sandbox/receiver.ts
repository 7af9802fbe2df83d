import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { startHttpServer } from '../http-server.js'

/** A webhook as it came in. */
export interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
  event: { eventId: string; eventType: string; occurredAt: string } & Record<string, unknown>
}

/** What a receiver does with the n-th webhook, counted from 1: a status, or nothing at all. */
type Answer = number | 'hang' | 'reset'
export type Behaviour = (received: Received, count: number) => Answer | Promise<Answer>

/** A webhook receiver on loopback that keeps all that it gets. */
export interface Receiver {
  url: string
  received: Received[]
  behaviour: Behaviour
  readonly types: string[]
}

/** Starts one, gone after the test, or when another hook of vitest says so. */
export async function startTestReceiver(
  behaviour: Behaviour = () => 204,
  whenOver: (end: () => void) => void = onTestFinished,
): Promise<Receiver> {
  const received: Received[] = []
  const receiver: Receiver = {
    url: '',
    received,
    behaviour,
    get types() {
      return received.map(({ event }) => event.eventType)
    },
  }
  const origin = await startHttpServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const one = { headers: incoming.headers, body, event: JSON.parse(body.toString()) }
    received.push(one)
    const answer = await receiver.behaviour(one, received.length)
    if (answer === 'reset') incoming.socket.destroy()
    else if (answer !== 'hang')
      outgoing.writeHead(answer, answer >= 300 && answer < 400 ? { Location: receiver.url } : {}).end()
  }, whenOver)
  receiver.url = `${origin}/hooks`
  return receiver
}
