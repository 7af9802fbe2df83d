import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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
export class Receiver {
  readonly received: Received[] = []
  behaviour: Behaviour = () => 204

  private constructor(private readonly server: Server) {}

  static async start(behaviour?: Behaviour): Promise<Receiver> {
    const server = createServer()
    const receiver = new Receiver(server)
    if (behaviour !== undefined) receiver.behaviour = behaviour
    server.on('request', (incoming, outgoing) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('end', async () => {
        const body = Buffer.concat(chunks)
        const received = { headers: incoming.headers, body, event: JSON.parse(body.toString()) }
        receiver.received.push(received)
        const answer = await receiver.behaviour(received, receiver.received.length)
        if (answer === 'reset') incoming.socket.destroy()
        else if (answer !== 'hang') {
          outgoing.writeHead(answer, answer >= 300 && answer < 400 ? { Location: receiver.url } : {})
          outgoing.end()
        }
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`
  }

  get types(): string[] {
    return this.received.map(({ event }) => event.eventType)
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }
}
