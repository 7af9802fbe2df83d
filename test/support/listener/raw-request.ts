import { connect } from 'node:net'

interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

/** Sends a request byte for byte, with headers that no HTTP client would send, and reads the whole answer. */
export function sendRaw(
  url: string,
  request: { method?: string; path?: string; headers: [string, string][]; body: Uint8Array; chunked?: boolean },
): Promise<RawAnswer> {
  const { hostname, port, pathname, host } = new URL(url)
  const hasHost = request.headers.some(([name]) => name.toLowerCase() === 'host')
  const lines = [
    `${request.method ?? 'POST'} ${request.path ?? pathname} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: ${host}`]),
    'Connection: close',
    request.chunked === true ? 'Transfer-Encoding: chunked' : `Content-Length: ${request.body.length}`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''), () => {
      socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
      socket.write(request.chunked === true ? chunks(request.body) : request.body)
    })
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('error', (error) => (pieces.length > 0 ? resolve(parse(Buffer.concat(pieces))) : reject(error)))
    socket.on('close', () => resolve(parse(Buffer.concat(pieces))))
  })
}

/** All that a server says to these bytes, which are latin1, until it ends the connection. */
export async function spoken(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''))
  socket.write(Buffer.from(bytes, 'latin1'))
  let said = ''
  for await (const piece of socket) said += piece
  return said
}

function chunks(body: Uint8Array): Buffer {
  const half = Math.floor(body.length / 2)
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0)
  const written = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  )
  return Buffer.concat([...written, Buffer.from('0\r\n\r\n')])
}

function parse(bytes: Buffer): RawAnswer {
  const [head = '', ...rest] = bytes.toString().split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines
    .map((line) => line.split(/:\s*(.*)/s))
    .map(([name = '', value = '']): [string, string] => [name.toLowerCase(), value])
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body: rest.join('\r\n\r\n') }
}
