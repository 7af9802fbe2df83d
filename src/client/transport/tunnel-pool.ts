import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { ConnectionError } from '../../contract/index.js'
import { brokenTunnel, type TunnelTarget } from '../../shared/proxy/proxy-error.js'
import type { ForwardProxy } from '../../shared/proxy/proxy-for.js'
import { openTunnel, secureTunnel } from '../../shared/proxy/tunnel.js'

/** A request that is dispatched on a tunnel, or told why there is none. */
interface TunnelUser {
  /** Ends the wait for a tunnel. */
  signal: AbortSignal
  /** Sends the request; `done` is called when the tunnel is free again. */
  dispatch(dispatcher: Dispatcher, done: () => void): void
  reject(error: unknown): void
}

interface TunnelPoolOptions {
  origin: string
  proxy: ForwardProxy
  connections: number
  connectTimeoutMs: number
  settings: Client.Options
  /** undici's class, loaded on demand. */
  Client: typeof Client
}

/** A proxy that refuses for good is not asked again for so long: wrong passwords lock accounts. */
const refusalMs = 60_000
/** After a tunnel could not be opened, the open ones have to do for so long. */
const ceilingMs = 10_000

/**
 * Tunnels through a proxy to one origin. A request gets whichever tunnel is free first: while it waits for one it has not
 * been sent. Until a first tunnel has been opened there is one attempt at a time, so that a proxy that refuses hears one
 * CONNECT, however many requests wait.
 */
export class TunnelPool {
  readonly #target: TunnelTarget
  readonly #waiting = new Set<TunnelUser>()
  readonly #idle: Client[] = []
  readonly #open = new Set<Client>()
  readonly #closing = new AbortController()
  #opening = 0
  #isProven = false
  #refusal: { error: unknown; untilMs: number } | undefined
  #ceiling: { tunnels: number; untilMs: number } | undefined

  constructor(private readonly options: TunnelPoolOptions) {
    const { hostname, port } = new URL(options.origin)
    this.#target = { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || 443) }
  }

  request(user: TunnelUser): void {
    if (this.#refusal !== undefined && this.#refusal.untilMs > performance.now()) {
      user.reject(this.#refusal.error)
      return
    }
    const waiting: TunnelUser = {
      signal: user.signal,
      dispatch(dispatcher, done) {
        user.signal.removeEventListener('abort', giveUp)
        user.dispatch(dispatcher, done)
      },
      reject(error) {
        user.signal.removeEventListener('abort', giveUp)
        user.reject(error)
      },
    }
    const giveUp = () => {
      if (this.#waiting.delete(waiting)) user.reject(this.#waitedInVain(user.signal.reason))
    }
    user.signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.add(waiting)
    this.#serve()
  }

  async destroy(): Promise<void> {
    this.#closing.abort(new ConnectionError('The client was closed', { reason: 'aborted' }))
    await Promise.allSettled([...this.#open].map((tunnel) => tunnel.destroy()))
  }

  /** Gives free tunnels to requests that wait, and opens tunnels for the rest. */
  #serve(): void {
    for (const user of this.#waiting) {
      const tunnel = this.#idle.pop()
      if (tunnel === undefined) break
      this.#waiting.delete(user)
      user.dispatch(tunnel, () => {
        if (!this.#open.has(tunnel)) return
        this.#idle.push(tunnel)
        this.#serve()
      })
    }
    const wanted = this.#isProven ? this.#waiting.size : Math.min(1, this.#waiting.size)
    const room = this.#limit() - this.#open.size
    while (this.#opening < Math.min(wanted, room)) this.#openOne()
  }

  #limit(): number {
    const { connections } = this.options
    if (this.#ceiling === undefined || this.#ceiling.untilMs <= performance.now()) return connections
    return Math.min(connections, this.#ceiling.tunnels)
  }

  #openOne(): void {
    this.#opening++
    this.#connect().then(
      (tunnel) => {
        this.#opening--
        this.#isProven = true
        this.#open.add(tunnel)
        this.#idle.push(tunnel)
        this.#serve()
      },
      (error: unknown) => {
        this.#opening--
        this.#failed(error)
      },
    )
  }

  async #connect(): Promise<Client> {
    const { Client, origin, settings } = this.options
    let unused: Socket | undefined = await this.#openSocket()
    const tunnel: Client = new Client(origin, {
      ...settings,
      // A request that is given to a tunnel as the other side closes it gets another one.
      connect: (_, callback) => {
        const socket = unused?.destroyed === false ? Promise.resolve(unused) : this.#openSocket()
        unused = undefined
        // undici sends nothing on a socket that it is given within this call.
        socket.then((opened) => callback(null, opened), callbackError(callback))
      },
    })
    const forget = () => {
      this.#open.delete(tunnel)
      const at = this.#idle.indexOf(tunnel)
      if (at >= 0) this.#idle.splice(at, 1)
      void tunnel.close().catch(() => {})
      this.#serve()
    }
    tunnel.on('disconnect', forget)
    tunnel.on('connectionError', forget)
    return tunnel
  }

  async #openSocket(): Promise<Socket> {
    const { proxy, connectTimeoutMs: timeoutMs } = this.options
    const socket = await openTunnel(proxy, this.#target, { timeoutMs, signal: this.#closing.signal })
    return secureTunnel(socket, proxy, this.#target, { timeoutMs })
  }

  /** Requests that wait go on waiting while there are tunnels; otherwise each is told. */
  #failed(error: unknown): void {
    const isFinal = error instanceof ConnectionError && error.reason === 'proxy-refused'
    if (this.#open.size > 0) {
      this.#ceiling = { tunnels: this.#open.size, untilMs: performance.now() + ceilingMs }
      this.#serve()
      return
    }
    if (isFinal) this.#refusal = { error, untilMs: performance.now() + refusalMs }
    this.#isProven = false
    if (this.#opening > 0 && !isFinal) return
    for (const user of this.#waiting) {
      this.#waiting.delete(user)
      user.reject(error)
    }
  }

  /** The reason for a wait that ended: a timeout here is no lost answer. */
  #waitedInVain(reason: unknown): unknown {
    if (!(reason instanceof ConnectionError) || reason.reason !== 'timeout') return reason
    return brokenTunnel(
      this.options.proxy,
      this.#target,
      `opened no tunnel to ${this.#target.host} in the time that was left`,
      'It may be at its limit of connections.',
      reason,
    )
  }
}

function callbackError(callback: (error: Error, socket: null) => void): (error: unknown) => void {
  return (error) => callback(error instanceof Error ? error : new Error(String(error)), null)
}
