import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'

/** A proxy that tunnels every name to one port of this machine, and keeps what it saw. */
export interface ConnectProxy {
  url: string
  seen: string[]
  /** Everything that went through it, in either direction. */
  bytes: Buffer[]
  close(): void
}

export async function startConnectProxy(targetPort: () => number): Promise<ConnectProxy> {
  const seen: string[] = []
  const bytes: Buffer[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    bytes.push(Buffer.from(JSON.stringify(request.headers)))
    response.writeHead(502).end()
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`)
    const onward = connect(targetPort(), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    sockets.add(onward)
    for (const [from, to] of [[socket, onward] as const, [onward, socket] as const]) {
      from.on('data', (chunk: Buffer) => {
        bytes.push(chunk)
        to.write(chunk)
      })
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    bytes,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Lets this process trust a certificate for the rest of the test, as NODE_EXTRA_CA_CERTS does for a new process. */
export function trustForTest(certificate: string): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate])
  onTestFinished(() => setDefaultCACertificates(before))
}
