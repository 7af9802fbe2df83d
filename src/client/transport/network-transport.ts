import type { Dispatcher, Pool } from 'undici'
import { completed } from './completed.js'
import { type ProxyEnvironment, proxyFor } from './proxy.js'
import { readHeaders } from './reply-headers.js'
import { tooLarge } from './too-large.js'
import type { Transport, TransportReply, TransportRequest } from './transport.js'

/** How the network is reached. */
export interface NetworkOptions {
  /** Connections to one origin at most; more requests than that wait. Default 128. */
  connections?: number
  /** Milliseconds to make a connection. Default 10,000. */
  connectTimeoutMs?: number
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read. Default `process.env`. */
  environment?: ProxyEnvironment | undefined
}

/**
 * The network, by undici: HTTP/1.1 with keep-alive, no redirects followed, no retries, proxies from the environment
 * with loopback always direct. The deadline is the caller's signal; undici's own limits are off, since its body
 * timeout starts again with each byte and its size limit counts packed bytes.
 */
export function networkTransport(options: NetworkOptions = {}): Transport {
  const environment = options.environment ?? process.env
  const dispatchers = new Map<string, Promise<Dispatcher>>()
  /** The address that was sent to last, taken apart: a run sends to one address all the time. */
  let last: { url: string; origin: string; path: string; dispatcher: Dispatcher } | undefined
  const settings = {
    allowH2: false,
    connections: options.connections ?? 128,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: options.connectTimeoutMs ?? 10_000,
  } satisfies Pool.Options

  /** Loads undici only when a request is sent: a command that fails before that does not pay for it. */
  async function open(origin: string): Promise<Dispatcher> {
    const proxy = proxyFor(origin, environment)
    if (proxy !== undefined) {
      const [{ default: ProxyAgent }, { default: AnyDispatcher }, { default: connect }] = await Promise.all([
        import('undici/lib/dispatcher/proxy-agent.js'),
        import('undici/lib/dispatcher/dispatcher.js'),
        import('undici/lib/api/api-connect.js'),
      ])
      // Only the package's index gives this method to its classes.
      Object.assign(AnyDispatcher.prototype, { connect })
      return new ProxyAgent({ ...settings, uri: proxy, proxyTls: { allowH2: false }, requestTls: { allowH2: false } })
    }
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
    return new Pool(origin, settings)
  }

  function dispatcherOf(origin: string): Promise<Dispatcher> {
    const known = dispatchers.get(origin)
    if (known !== undefined) return known
    const opened = open(origin)
    dispatchers.set(origin, opened)
    return opened
  }

  return {
    send(request) {
      return completed(request, async () => {
        if (last?.url !== request.url) {
          const { origin, pathname, search } = new URL(request.url)
          last = { url: request.url, origin, path: pathname + search, dispatcher: await dispatcherOf(origin) }
        }
        return exchange(last.dispatcher, last.origin, last.path, request)
      })
    },
    async close() {
      const opened = [...dispatchers.values()]
      dispatchers.clear()
      last = undefined
      await Promise.allSettled(opened.map(async (dispatcher) => (await dispatcher).destroy()))
    },
  }
}

/** One request and its whole answer, read into memory up to the limit. */
function exchange(
  dispatcher: Dispatcher,
  origin: string,
  path: string,
  request: TransportRequest,
): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    const { signal, maxBytes } = request
    if (signal.aborted) return reject(signal.reason)
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let headers: TransportReply['headers'] = readHeaders({})
    let received = 0
    const chunks: Buffer[] = []
    const abort = () => {
      controller?.abort(asError(signal.reason))
      settle(() => reject(signal.reason))
    }
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', abort)
      finish()
    }
    signal.addEventListener('abort', abort, { once: true })
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (signal.aborted) started.abort(asError(signal.reason))
      },
      onResponseStart(_, statusCode, responseHeaders) {
        if (statusCode < 200) return
        status = statusCode
        headers = readHeaders(responseHeaders)
      },
      onResponseData(current, chunk) {
        received += chunk.length
        if (received > maxBytes) current.abort(tooLarge(maxBytes))
        else chunks.push(chunk)
      },
      onResponseEnd() {
        const [only] = chunks
        const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, received)
        settle(() => resolve({ status, headers, body }))
      },
      onResponseError(_, error) {
        settle(() => reject(error))
      },
    }
    dispatcher.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
      },
      handler,
    )
  })
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
