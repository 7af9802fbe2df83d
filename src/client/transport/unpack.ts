import { promisify } from 'node:util'
import { ConnectionError } from '../../contract/index.js'
import { connectionFailure } from './connection-failure.js'
import { tooLarge } from './read-response.js'
import type { TransportReply, TransportRequest } from './transport.js'

/**
 * Undoes `Content-Encoding`, the last coding first. The limit counts unpacked bytes: a bomb is stopped while it
 * unfolds, not after.
 *
 * @throws ConnectionError `too-large`, or `truncated` if the packed bytes are damaged
 */
async function unpack(body: Uint8Array, contentEncoding: string | null, maxBytes: number): Promise<Uint8Array> {
  const codings = (contentEncoding ?? '').toLowerCase().split(',')
  const packed = codings.map((coding) => coding.trim()).filter((coding) => coding !== '' && coding !== 'identity')
  if (packed.length === 0 || body.byteLength === 0) return body
  // Loaded only for a packed answer. The standalone program cannot import while it runs.
  const zlib = process.getBuiltinModule('node:zlib')
  const unpackers: Readonly<
    Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>
  > = {
    gzip: promisify(zlib.gunzip),
    'x-gzip': promisify(zlib.gunzip),
    deflate: promisify(zlib.inflate),
    br: promisify(zlib.brotliDecompress),
  }
  let bytes = body
  for (const coding of packed.slice(-3).reverse()) {
    const unpackOne = unpackers[coding]
    if (unpackOne === undefined)
      throw new ConnectionError(`The answer is packed as "${coding}", which was not asked for`, {
        reason: 'not-the-service',
      })
    try {
      bytes = await unpackOne(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      throw isTooLarge ? tooLarge(maxBytes, error) : damaged(error)
    }
  }
  return bytes
}

function damaged(cause: unknown): ConnectionError {
  return new ConnectionError('The packed answer was damaged or cut short', { reason: 'truncated', cause })
}

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
