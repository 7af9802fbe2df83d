import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { proxyFor } from '../../client/internal.js'
import { isLoopback } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { dayMs } from '../../shared/durations.js'
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
  const proxy = proxyFor(baseUrl, env)
  // Behind a proxy, this machine may not be able to resolve or reach the service.
  if (proxy !== undefined) return yield ok('proxy', `requests go through ${new URL(proxy).host}`)
  const url = new URL(baseUrl)
  const name = await nameFinding(url)
  yield name
  if (name.verdict !== 'problem' && url.protocol === 'https:') yield await tlsFinding(url, nowMs)
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
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - nowMs) / dayMs)
      const said = `${socket.getProtocol() ?? 'TLS'}, certificate valid for ${days} more days`
      settle(
        days < certificateDays ? warning('TLS', said, 'Ask the operator of the service to renew it.') : ok('TLS', said),
      )
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
    socket.once('error', (error) =>
      settle(
        problem('TLS', `${error.message}.`, 'Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate.'),
      ),
    )
  })
}
