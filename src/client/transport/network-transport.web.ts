import { ConnectionError } from '../../contract/index.js'
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
          ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
        })
        if (response.type === 'opaqueredirect') throw redirected()
        return await readResponse(response, { signal, maxBytes })
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw connectionFailure(error, url)
      }
    },
  }
}

/** Browsers hide where a redirect leads to. */
function redirected(): ConnectionError {
  return new ConnectionError('Answered with a redirect, which was not followed', {
    reason: 'redirect',
    hint: 'Set the base URL to the service itself; the key is never sent to another place.',
  })
}
