import { connectionFailure } from './connection-failure.js'
import { readResponse } from './read-response.js'
import type { Transport } from './transport.js'

/**
 * A service in this process, called through its fetch function: the same typed layer and the same bytes as over the
 * network, without a socket.
 */
export function fetchTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return {
    async send({ method, url, headers, body, signal, maxBytes }) {
      if (signal.aborted) throw signal.reason
      let stop = () => {}
      const aborted = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason)
        signal.addEventListener('abort', stop, { once: true })
      })
      try {
        const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body: copyOf(body) }) })
        const response = await Promise.race([fetch(request), aborted])
        return await readResponse(response, { signal, maxBytes })
      } catch (error) {
        if (signal.aborted) throw error
        throw connectionFailure(error, url)
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

/** `Request` takes bytes on a plain buffer only, not on one that threads share. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
