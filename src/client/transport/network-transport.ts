import type { Dispatcher, Pool } from 'undici'
import { joinBytes } from '../../shared/join-bytes.js'
import { oldNode } from '../../shared/old-node.js'
import { connectionFailure } from './connection-failure.js'
import { type ProxyEnvironment, proxyFor } from './proxy.js'
import { tooLarge } from './read-response.js'
import { readHeaders } from './reply-headers.js'
import type { HeaderReader, Transport, TransportReply, TransportRequest } from './transport.js'
import { unpacked } from './unpack.js'

/** Options for reaching the network. */
export interface NetworkOptions {
  /** Connections to one origin at most; more requests than that wait. Default 128. */
  connections?: number | undefined
  /** Milliseconds to make a connection. Default 10,000. */
  connectTimeoutMs?: number
  /** The source of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default `process.env`. */
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
  let last: { url: string; target: Target } | undefined
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
    const opened = open(origin).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ERR_UNKNOWN_BUILTIN_MODULE' ? oldNode() : error
    })
    dispatchers.set(origin, opened)
    return opened
  }

  async function targetOf(url: string): Promise<Target> {
    const { origin, pathname, search } = new URL(url)
    const target = { origin, path: pathname + search, dispatcher: await dispatcherOf(origin) }
    last = { url, target }
    return target
  }

  return {
    async send(request) {
      try {
        return await exchange(last?.url === request.url ? last.target : await targetOf(request.url), request)
      } catch (error) {
        throw connectionFailure(error, request.url)
      }
    },
    async close() {
      const opened = [...dispatchers.values()]
      dispatchers.clear()
      last = undefined
      await Promise.allSettled(opened.map(async (dispatcher) => (await dispatcher).destroy()))
    },
  }
}

/** The route of requests to one address: direct, or through a proxy. */
interface Target {
  origin: string
  path: string
  dispatcher: Dispatcher
}

/** One request and its whole answer, read into memory up to the limit. */
function exchange(
  { origin, path, dispatcher }: Target,
  { method, headers, body, signal, maxBytes }: TransportRequest,
): Promise<TransportReply> {
  return new Promise<TransportReply>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const answer = new Answer({ signal, maxBytes }, resolve, reject)
    dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, answer)
  })
}

/** Gathers the answer to one request. */
class Answer implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: HeaderReader = readHeaders({})
  #received = 0
  readonly #chunks: Buffer[] = []

  constructor(
    private readonly limits: Pick<TransportRequest, 'signal' | 'maxBytes'>,
    private readonly resolve: (reply: TransportReply | Promise<TransportReply>) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    limits.signal.addEventListener('abort', this.#abort, { once: true })
  }

  readonly #abort = () => {
    const { reason } = this.limits.signal
    this.#controller?.abort(asError(reason))
    this.reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const { signal } = this.limits
    if (signal.aborted) controller.abort(asError(signal.reason))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = readHeaders(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#received > this.limits.maxBytes) controller.abort(tooLarge(this.limits.maxBytes))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.limits.signal.removeEventListener('abort', this.#abort)
    const body = joinBytes(this.#chunks)
    this.resolve(unpacked({ status: this.#status, headers: this.#headers, body }, this.limits.maxBytes))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.limits.signal.removeEventListener('abort', this.#abort)
    this.reject(error)
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
