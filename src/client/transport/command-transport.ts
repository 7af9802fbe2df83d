import { proxyFor } from '../../shared/proxy/proxy-for.js'
import { type NetworkOptions, networkTransport } from './network-transport.js'
import { plainConnections } from './plain-exchange.js'
import type { Transport, TransportReply, TransportRequest } from './transport.js'
import { completed } from './unpack.js'

/** Loading undici pays off after this many requests. */
const few = 5

/**
 * The network for a process that usually sends a request or two and ends. Loading undici takes longer than all that
 * such a process does otherwise, so its first requests go by `node:http`. With the sixth request, or as soon as two are
 * under way at once, undici takes over; a proxy is undici's from the start.
 */
export function commandTransport(options: NetworkOptions = {}): Transport {
  const environment = options.environment ?? process.env
  const first = plainConnections(options.connectTimeoutMs ?? 10_000)
  const further = networkTransport(options)
  let sent = 0
  let isBusy = false
  const isForUndici = (url: string) => ++sent > few || isBusy || proxyFor(url, environment) !== undefined

  async function sendPlainly(request: TransportRequest): Promise<TransportReply> {
    isBusy = true
    try {
      return await completed(request, () => first.exchange(request))
    } finally {
      isBusy = false
    }
  }

  return {
    send: async (request) => (isForUndici(request.url) ? further.send(request) : sendPlainly(request)),
    async close() {
      first.close()
      await further.close?.()
    },
  }
}
