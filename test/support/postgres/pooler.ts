import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { onTestFinished } from 'vitest'

/** One session with the server, given to whoever begins a transaction next. */
interface ServerSession {
  socket: Socket
  client: Socket | undefined
  unread: Buffer
}

const typeAndLength = 5

/** A message of the protocol: its type, and its own length in front of its content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(typeAndLength)
  head.write(type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

function int32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeInt32BE(value, 4 * at)
  return bytes
}

/** A pooler in transaction mode in front of a server, as PgBouncer is one; gone after the test. Returns its port. */
export async function startTransactionPooler(serverUrl: string): Promise<number> {
  const idle: ServerSession[] = []
  const waiting: { client: Socket; bytes: Buffer }[] = []

  async function open(): Promise<void> {
    const client = new pg.Client({ connectionString: serverUrl })
    client.on('error', () => {})
    await client.connect()
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.removeAllListeners('data')
    const session: ServerSession = { socket: stream, client: undefined, unread: Buffer.alloc(0) }
    stream.on('data', (bytes: Buffer) => {
      session.client?.write(bytes)
      session.unread = Buffer.concat([session.unread, bytes])
      while (session.unread.length >= typeAndLength) {
        const length = session.unread.readInt32BE(1) + 1
        if (session.unread.length < length) break
        // Ready for the next query, and outside a transaction.
        const isFree = session.unread[0] === 0x5a && session.unread[typeAndLength] === 0x49
        session.unread = session.unread.subarray(length)
        if (isFree) release(session)
      }
    })
    stream.on('error', () => {})
    idle.push(session)
    onTestFinished(() => void stream.destroy())
  }

  function release(session: ServerSession) {
    session.client = undefined
    const next = waiting.shift()
    if (next === undefined) idle.push(session)
    else lend(session, next.client, next.bytes)
  }

  function lend(session: ServerSession, client: Socket, bytes: Buffer) {
    session.client = client
    session.socket.write(bytes)
  }

  const lent: ServerSession[] = []
  await open()
  await open()
  lent.push(...idle)
  const server = createServer((client) => {
    let isGreeted = false
    client.on('error', () => {})
    client.on('data', (bytes: Buffer) => {
      if (!isGreeted) {
        isGreeted = true
        const [hello, key, ready] = [
          message('R', int32(0)),
          message('K', int32(12_345, 1)),
          message('Z', Buffer.from('I')),
        ]
        client.write(Buffer.concat([hello, key, ready]))
        return
      }
      // Good-bye: the session stays with the pooler.
      if (bytes[0] === 0x58) return
      const own = lent.find((session) => session.client === client)
      const free = own ?? idle.pop()
      if (free === undefined) waiting.push({ client, bytes })
      else lend(free, client, bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
