import type { Dispatcher, Pool } from 'undici'
import { joinBytes } from '../../shared/byte-codes.js'
import { oldNode } from '../../shared/node-errors.js'
import { type ProxyEnvironment, proxyFor } from '../../shared/proxy/proxy-for.js'
import { connectionFailure } from './connection-failure.js'
import { readHeaders, tooLarge } from './read-response.js'
import type { HeaderReader, Transport, TransportReply, TransportRequest } from './transport.js'
import type { TunnelPool } from './tunnel-pool.js'
import { unpacked } from './unpack.js'

/** Options for reaching the network. */
export interface NetworkOptions {
  /** Connections to one origin at most; more requests than that wait. Default 128. */
  connections?: number | undefined
  /** Milliseconds to make a connection. Default 10,000. */
  connectTimeoutMs?: number
  /** The source of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default `process.env`. */
  environment?: ProxyEnvironment | undefined
  /** Where requests will go: variables that name no usable proxy for it are refused at once. */
  baseUrl?: string | undefined
}

/**
 * The network, by undici: HTTP/1.1 with keep-alive, no redirects followed, no retries, proxies from the environment
 * with loopback always direct. The deadline is the caller's signal; undici's own limits are off, since its body
 * timeout starts again with each byte and its size limit counts packed bytes.
 */
export function networkTransport(options: NetworkOptions = {}): Transport {
  const environment = options.environment ?? process.env
  assertUsableProxy(options)
  const routes = new Map<string, Promise<Route>>()
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
  async function open(origin: string): Promise<Route> {
    const proxy = proxyFor(origin, environment)
    if (proxy !== undefined) {
      const [{ default: Client }, { TunnelPool }] = await Promise.all([
        import('undici/lib/dispatcher/client.js'),
        import('./tunnel-pool.js'),
      ])
      const { connections, connectTimeout: connectTimeoutMs, ...rest } = settings
      return { tunnels: new TunnelPool({ origin, proxy, connections, connectTimeoutMs, settings: rest, Client }) }
    }
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
    return { dispatcher: new Pool(origin, settings) }
  }

  function routeTo(origin: string): Promise<Route> {
    const known = routes.get(origin)
    if (known !== undefined) return known
    const opened = open(origin).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ERR_UNKNOWN_BUILTIN_MODULE' ? oldNode() : error
    })
    routes.set(origin, opened)
    return opened
  }

  async function targetOf(url: string): Promise<Target> {
    const { origin, pathname, search } = new URL(url)
    const target = { origin, path: pathname + search, route: await routeTo(origin) }
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
      const opened = [...routes.values()]
      routes.clear()
      last = undefined
      await Promise.allSettled(
        opened.map(async (opening) => {
          const route = await opening
          await ('tunnels' in route ? route.tunnels.destroy() : route.dispatcher.destroy())
        }),
      )
    },
  }
}

/** @throws UsageError if a variable names a proxy for the base URL that cannot be used */
function assertUsableProxy({ baseUrl, environment = process.env }: NetworkOptions): void {
  if (baseUrl !== undefined) proxyFor(baseUrl, environment)
}

/** Connections to an origin: direct, or through a proxy. */
type Route = { dispatcher: Dispatcher } | { tunnels: TunnelPool }

/** The route of requests to one address. */
interface Target {
  origin: string
  path: string
  route: Route
}

/** One request and its whole answer, read into memory up to the limit. */
function exchange(
  { origin, path, route }: Target,
  { method, headers, body, signal, maxBytes }: TransportRequest,
): Promise<TransportReply> {
  return new Promise<TransportReply>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const send = (dispatcher: Dispatcher, done?: () => void) => {
      const answer = new Answer({ signal, maxBytes }, resolve, reject, done)
      dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, answer)
    }
    if ('dispatcher' in route) send(route.dispatcher)
    else route.tunnels.request({ signal, dispatch: send, reject })
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
    /** Called when the connection is free again. */
    private readonly done: () => void = () => undefined,
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
    this.done()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.limits.signal.removeEventListener('abort', this.#abort)
    this.reject(error)
    this.done()
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
