import { ConnectionError } from '../../contract/index.js'
import { connectionFailure } from './connection-failure.js'
import type { Transport } from './transport.js'
import { tooLarge } from './unpack.js'

/**
 * A service in this process, called through its fetch function: the same typed layer and the same bytes as over the
 * network, without a socket.
 */
export function fetchTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return {
    async send({ method, url, headers, body, signal, maxBytes }) {
      if (signal.aborted) throw signal.reason
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      try {
        const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body: copyOf(body) }) })
        const response = await Promise.race([fetch(request), aborted])
        const bytes = new Uint8Array(await Promise.race([response.arrayBuffer(), aborted]))
        if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
        return { status: response.status, headers: response.headers, body: bytes }
      } catch (error) {
        if (signal.aborted || error instanceof ConnectionError) throw error
        throw connectionFailure(error, url)
      }
    },
  }
}

/** `Request` takes bytes on a plain buffer only, not on one that threads share. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
