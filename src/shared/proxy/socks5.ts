import type { Socket } from 'node:net'
import type { TunnelTarget } from './proxy-error.js'

/** Replies to CONNECT by their code, RFC 1928, section 6. */
const replies: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'the connection took too long',
  7: 'command not supported',
  8: 'address type not supported',
}

/** The SOCKS proxy said no. */
export class SocksRefusal extends Error {
  constructor(
    message: string,
    /** Another attempt gets the same answer. */
    readonly isFinal: boolean,
  ) {
    super(message)
  }
}

/** Asks a SOCKS 5 proxy for a tunnel on a connection to it; the proxy resolves the name. */
export async function openSocks5(
  socket: Socket,
  { host, port }: TunnelTarget,
  credentials: { user: string; password: string } | undefined,
): Promise<void> {
  const methods = credentials === undefined ? [0] : [0, 2]
  socket.write(Uint8Array.from([5, methods.length, ...methods]))
  const [version, method] = await read(socket, 2)
  if (version !== 5) throw new SocksRefusal('it does not speak SOCKS 5', false)
  if (method === 2 && credentials !== undefined) await logIn(socket, credentials)
  else if (method !== 0) throw new SocksRefusal('it wants a user name and password', true)
  const name = Buffer.from(host)
  socket.write(
    Buffer.concat([Uint8Array.from([5, 1, 0, 3, name.length]), name, Uint8Array.from([port >> 8, port & 255])]),
  )
  const [, reply = 1, , type] = await read(socket, 4)
  if (reply !== 0) throw new SocksRefusal(replies[reply] ?? `reply ${reply}`, reply === 2)
  const [length = 0] = type === 3 ? await read(socket, 1) : [type === 4 ? 16 : 4]
  await read(socket, length + 2)
}

/** RFC 1929. */
async function logIn(socket: Socket, { user, password }: { user: string; password: string }): Promise<void> {
  const [name, secret] = [Buffer.from(user).subarray(0, 255), Buffer.from(password).subarray(0, 255)]
  socket.write(Buffer.concat([Uint8Array.from([1, name.length]), name, Uint8Array.from([secret.length]), secret]))
  const [, status] = await read(socket, 2)
  if (status !== 0) throw new SocksRefusal('it does not accept the user name and password', true)
}

/** Exactly this number of bytes; the rest stays in the socket. */
function read(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const take = () => {
      const bytes = socket.read(length) as Buffer | null
      if (bytes !== null) settle(() => resolve(bytes))
    }
    const settle = (finish: () => void) => {
      socket.off('readable', take).off('error', fail).off('close', ended).off('end', ended)
      finish()
    }
    const fail = (error: Error) => settle(() => reject(error))
    const ended = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    socket.on('readable', take).on('error', fail).on('close', ended).on('end', ended)
    take()
  })
}
