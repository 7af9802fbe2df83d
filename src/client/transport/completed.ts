import { connectionFailure } from './connection-failure.js'
import type { TransportReply, TransportRequest } from './transport.js'
import { unpack } from './unpack.js'

/** An exchange with its answer unpacked, and its failure in clear words. */
export async function completed(
  { url, maxBytes }: TransportRequest,
  exchange: () => Promise<TransportReply>,
): Promise<TransportReply> {
  try {
    const reply = await exchange()
    const coding = reply.headers.get('content-encoding')
    return coding === null ? reply : { ...reply, body: await unpack(reply.body, coding, maxBytes) }
  } catch (error) {
    throw connectionFailure(error, url)
  }
}
