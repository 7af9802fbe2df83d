import { connectionFailure } from './connection-failure.js'
import type { NetworkOptions } from './network-transport.js'
import { readResponse } from './read-response.js'
import type { Transport } from './transport.js'

/** The network by the platform's `fetch`: workers, Deno, browsers. Connections and proxies are the platform's own. */
export function networkTransport(_options: NetworkOptions = {}): Transport {
  return {
    async send({ method, url, headers, body, signal, maxBytes }) {
      if (signal.aborted) throw signal.reason
      try {
        const response = await fetch(url, {
          method,
          headers,
          redirect: 'manual',
          signal,
          body: body as Uint8Array<ArrayBuffer> | undefined,
        })
        return await readResponse(response, { signal, maxBytes })
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw connectionFailure(error, url)
      }
    },
  }
}
