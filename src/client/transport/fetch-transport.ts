import { UsageError } from '../../contract/index.js'
import { connectionFailure } from './connection-failure.js'
import { readResponse } from './read-response.js'
import type { Transport } from './transport.js'

/**
 * Sends requests by a fetch function instead of sockets of its own. Without an argument it is the global `fetch` as it is
 * when a request is sent, so that what replaces it, such as msw, sees the client's requests. The function of a service in
 * this process, such as `(request) => sandbox.fetch(request)`, needs no socket. Redirects are not followed.
 *
 * @throws UsageError if what is given is no function
 */
export function fetchTransport(
  fetch: (request: Request) => Promise<Response> = (request) => globalThis.fetch(request),
): Transport {
  if (typeof fetch !== 'function') throw new UsageError('fetchTransport takes a fetch function')
  return {
    async send({ method, url, headers, body, signal, maxBytes }) {
      if (signal.aborted) throw signal.reason
      let stop = () => {}
      const aborted = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason)
        signal.addEventListener('abort', stop, { once: true })
      })
      try {
        const request = new Request(url, {
          method,
          headers,
          redirect: 'manual',
          signal,
          body: body && copyOf(body),
        })
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
