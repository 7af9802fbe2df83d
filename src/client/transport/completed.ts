import { connectionFailure } from './connection-failure.js'
import type { TransportReply, TransportRequest } from './transport.js'
import { unpack } from './unpack.js'

/** An exchange with its answer unpacked, and its failure in clear words. */
export async function completed(
  { url, maxBytes }: TransportRequest,
  exchange: () => Promise<TransportReply>,
): Promise<TransportReply> {
  try {
    return await unpacked(await exchange(), maxBytes)
  } catch (error) {
    throw connectionFailure(error, url)
  }
}

/** An answer without its content encoding; not a promise if it has none. */
export function unpacked(reply: TransportReply, maxBytes: number): TransportReply | Promise<TransportReply> {
  const coding = reply.headers.get('content-encoding')
  return coding === null ? reply : unpack(reply.body, coding, maxBytes).then((body) => ({ ...reply, body }))
}
