import { request as httpRequest, type IncomingMessage } from 'node:http'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'
import { ConnectionError } from '../dlv-error.js'
import { clearTimeout, setTimeout } from '../timers.js'
import { addressOf, brokenTunnel, proxyFailure, refusedTunnel, type TunnelTarget } from './proxy-error.js'
import { authorizationOf, credentialsOf, type ForwardProxy } from './proxy-for.js'
import { openSocks5, SocksRefusal } from './socks5.js'

/** Limits of opening a tunnel. */
interface TunnelOptions {
  /** For everything up to the proxy's answer, in milliseconds. */
  timeoutMs: number
  /** Ends the attempt. */
  signal?: AbortSignal | undefined
}

/** A refusal's page is read for its title up to here, and for no longer than this. */
const pageMaxBytes = 65_536
const pageMs = 500

/**
 * Opens a tunnel through a proxy: a socket to the target on which nothing has been sent yet.
 *
 * @throws ConnectionError `proxy` or `proxy-refused` whatever goes wrong: the target was not reached, and nothing was
 *   sent to it
 */
export async function openTunnel(proxy: ForwardProxy, target: TunnelTarget, options: TunnelOptions): Promise<Socket> {
  const attempt = new AbortController()
  const giveUp = () => attempt.abort(options.signal?.reason)
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', giveUp, { once: true })
  const timer = setTimeout(() => attempt.abort(silent(proxy, target, options.timeoutMs)), options.timeoutMs)
  try {
    const open = proxy.url.protocol.startsWith('socks') ? socksTunnel : connectTunnel
    return await open(proxy, target, attempt.signal)
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    throw proxyFailure(proxy, target, attempt.signal.aborted ? attempt.signal.reason : error)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', giveUp)
  }
}

function silent(proxy: ForwardProxy, target: TunnelTarget, timeoutMs: number): ConnectionError {
  return brokenTunnel(
    proxy,
    target,
    `gave no answer to CONNECT ${addressOf(target)} within ${timeoutMs / 1_000} s`,
    'It may be at its limit of connections, or wait for the service in vain.',
  )
}

/** TLS to the target on a tunnel, or on any other socket. Nothing of a request has been sent when it fails. */
export function secureTunnel(
  socket: Socket,
  proxy: ForwardProxy,
  target: TunnelTarget,
  { timeoutMs, ...options }: ConnectionOptions & { timeoutMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Without a name for SNI, Node compares the certificate with `host`, and with "localhost" if that is missing.
    const servername = isIP(target.host) === 0 ? { servername: target.host } : {}
    const secure = tlsConnect({ socket, host: target.host, ALPNProtocols: ['http/1.1'], ...servername, ...options })
    const fail = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      secure.destroy()
      socket.destroy()
      reject(isCut(error) ? cutTunnel(proxy, target, error) : error)
    }
    const timer = setTimeout(() => fail(silent(proxy, target, timeoutMs)), timeoutMs)
    secure.once('error', fail)
    secure.once('secureConnect', () => {
      clearTimeout(timer)
      secure.off('error', fail)
      resolve(secure)
    })
  })
}

function isCut({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'EPROTO' || code?.startsWith('ERR_SSL') === true
}

/** Some proxies answer 200 before they have reached the target. */
function cutTunnel(proxy: ForwardProxy, target: TunnelTarget, cause: Error): ConnectionError {
  return brokenTunnel(
    proxy,
    target,
    `opened a tunnel to ${addressOf(target)} that broke before TLS was set up`,
    'It may not reach the service.',
    cause,
  )
}

async function connectTunnel(proxy: ForwardProxy, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const { response, socket, head } = await askForTunnel(proxy, target, signal)
  const { statusCode: status = 0, headers } = response
  if (status >= 200 && status < 300) {
    if (head.length > 0) socket.unshift(head)
    return socket as Socket
  }
  const body = await pageOf(socket, head, headers['content-length'])
  socket.destroy()
  throw refusedTunnel(proxy, target, { status, headers, body })
}

function askForTunnel(
  proxy: ForwardProxy,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<{ response: IncomingMessage; socket: Duplex; head: Buffer }> {
  const path = addressOf(target)
  const basic = authorizationOf(proxy)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method: 'CONNECT',
      path,
      headers: { host: path, ...(basic && { 'proxy-authorization': basic }) },
      createConnection: () => socketTo(proxy),
      signal,
    })
    request.once('error', reject)
    request.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    request.once('connect', (response, socket, head) => {
      socket.on('error', () => {})
      resolve({ response, socket, head })
    })
    request.once('response', (response) => {
      // Not emitted for CONNECT by today's Node; a tunnel it would not be.
      response.destroy()
      reject(new Error(`HTTP ${response.statusCode} without a tunnel`))
    })
    request.end()
  })
}

/** A connection to the proxy itself. */
export function socketTo(proxy: ForwardProxy): Socket {
  const host = proxy.url.hostname.replace(/^\[(.+)\]$/, '$1')
  const address = { host, port: proxy.port, noDelay: true, keepAlive: true }
  if (proxy.url.protocol !== 'https:') return netConnect(address)
  return tlsConnect({ ...address, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) })
}

async function socksTunnel(proxy: ForwardProxy, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const socket = socketTo(proxy)
  const giveUp = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await openSocks5(socket, target, credentialsOf(proxy))
    return socket
  } catch (error) {
    socket.destroy()
    if (!(error instanceof SocksRefusal)) throw error
    throw new ConnectionError(
      `The proxy ${proxy.host} (${proxy.variable}) refused a tunnel to ${addressOf(target)}: ${error.message}`,
      { reason: error.isFinal ? 'proxy-refused' : 'proxy', hint: 'Nothing was sent.', cause: error },
    )
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** The beginning of the page that came with a refusal. */
function pageOf(socket: Duplex, head: Buffer, contentLength: string | undefined): Promise<string> {
  const wanted = Math.min(pageMaxBytes, contentLength === undefined ? pageMaxBytes : Number(contentLength) || 0)
  return new Promise((resolve) => {
    const chunks = [head]
    let length = head.length
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    }
    const timer = setTimeout(done, pageMs)
    if (length >= wanted) return done()
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length >= wanted) done()
    })
    socket.once('end', done)
    socket.once('close', done)
  })
}
