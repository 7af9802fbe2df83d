import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { ConnectionError, UsageError } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { dayMs } from '../../shared/durations.js'
import { type ForwardProxy, proxyFor } from '../../shared/proxy/proxy-for.js'
import { openTunnel, secureTunnel } from '../../shared/proxy/tunnel.js'
import { escapeControls, sentence } from '../../shared/texts.js'
import { isUntrusted, tlsRemedy, tlsWords } from '../../shared/tls-problems.js'
import { isLoopback } from '../../shared/web-address.js'
import { type Finding, ok, problem, warning } from './finding.js'

const patienceMs = 5_000
const certificateDays = 14

/** The way to the service: a proxy, or the name and TLS of the service. Nothing for the embedded sandbox. */
export async function* networkFindings(
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): AsyncGenerator<Finding> {
  if (baseUrl === undefined) return
  const url = new URL(baseUrl)
  const proxy = proxyOrFault(baseUrl, env)
  // Behind a proxy, this machine may not be able to resolve or reach the service.
  if (proxy instanceof UsageError) return yield problem('proxy', `${proxy.message}.`, proxy.hint ?? null)
  if (proxy !== undefined) return yield* proxyFindings(proxy, url, nowMs)
  const name = await nameFinding(url)
  yield name
  if (name.verdict !== 'problem' && url.protocol === 'https:') yield await tlsFinding(url, nowMs)
}

function proxyOrFault(baseUrl: string, env: Readonly<Record<string, string | undefined>>) {
  try {
    return proxyFor(baseUrl, env)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** What the proxy answers to CONNECT, and who answers behind the tunnel. */
async function* proxyFindings(proxy: ForwardProxy, { hostname, port }: URL, nowMs: number): AsyncGenerator<Finding> {
  const target = { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || 443) }
  const name = `${proxy.host} (${proxy.variable})`
  try {
    const tunnel = await openTunnel(proxy, target, { timeoutMs: patienceMs })
    yield ok('proxy', `requests go through ${name}, which opened a tunnel to ${target.host}:${target.port}`)
    // A certificate that is not trusted is looked at, to say whose it is.
    const secure = await secureTunnel(tunnel, proxy, target, { timeoutMs: patienceMs, rejectUnauthorized: false })
    yield certificateFinding(secure as TLSSocket, nowMs)
    secure.destroy()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    yield problem('proxy', `${error.message}.`, error instanceof ConnectionError ? (error.hint ?? null) : null)
  }
}

function certificateFinding(socket: TLSSocket, nowMs: number): Finding {
  const { issuer, valid_to } = socket.getPeerCertificate()
  const by = issuer?.O ?? issuer?.CN ?? 'an unknown authority'
  if (!socket.authorized) {
    const code = String(socket.authorizationError)
    const isForOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    return problem(
      'TLS',
      `The certificate behind the proxy, issued by ${escapeControls(String(by))}, is not trusted: ${code}.`,
      isUntrusted(code)
        ? 'If the proxy reads TLS, set NODE_EXTRA_CA_CERTS to the file of its authority.'
        : tlsRemedy(isForOther ? 'altnames' : code.toLowerCase().replaceAll('_', ' ')),
    )
  }
  return validityFinding(socket, valid_to, nowMs)
}

function validityFinding(socket: TLSSocket, validTo: string, nowMs: number): Finding {
  const days = Math.floor((Date.parse(validTo) - nowMs) / dayMs)
  const said = `${socket.getProtocol() ?? 'TLS'}, certificate valid for ${days} more ${days === 1 ? 'day' : 'days'}`
  return days < certificateDays ? warning('TLS', said, 'Ask the operator of the service to renew it.') : ok('TLS', said)
}

async function nameFinding({ hostname }: URL): Promise<Finding> {
  if (isLoopback(hostname)) return ok('name', `${hostname} is this machine`)
  try {
    const { address } = await lookup(hostname)
    return ok('name', `${hostname} resolves to ${address}`)
  } catch (error) {
    return problem(
      'name',
      `Cannot resolve ${hostname}: ${(error as Error).message}.`,
      'Check the base URL and the network connection.',
    )
  }
}

function tlsFinding({ hostname, port }: URL, nowMs: number): Promise<Finding> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[(.+)\]$/, '$1')
    // A TLS server name cannot be an IP address.
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port: Number(port || 443), ...servername, timeout: patienceMs })
    const settle = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('secureConnect', () => {
      settle(validityFinding(socket, socket.getPeerCertificate().valid_to, nowMs))
    })
    socket.once('timeout', () =>
      settle(
        problem(
          'TLS',
          `No response from ${hostname} within 5 s.`,
          'Check for a firewall between this machine and the service.',
        ),
      ),
    )
    socket.once('error', (error) => settle(problem('TLS', sentence(tlsWords(error.message)), tlsRemedy(error.message))))
  })
}
