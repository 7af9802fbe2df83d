import { lookup } from 'node:dns/promises'
import { statSync } from 'node:fs'
import { connect } from 'node:tls'
import type { Client } from '../../client/index.js'
import { DlvError, isLoopback } from '../../contract/index.js'
import { profileFilePath, type Settings } from '../../profiles/index.js'
import { spanText } from '../../render/times.js'
import { parseSecret } from '../../webhooks/index.js'

/** One thing that was looked at. */
export interface Finding {
  check: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  hint: string | null
}

const patienceMs = 5_000
const skewLimitMs = 60_000
const certificateDays = 14

/** Looks at everything between this machine and an answer: version, profile, name, TLS, service, clock, key, secrets. */
export async function* examine(
  settings: Settings,
  client: Client,
  configDir: string,
  nowMs: number,
): AsyncGenerator<Finding> {
  yield versionFinding()
  yield profileFinding(settings)
  yield fileFinding(configDir)
  if (settings.baseUrl !== undefined) {
    const url = new URL(settings.baseUrl)
    yield await nameFinding(url)
    if (url.protocol === 'https:') yield await tlsFinding(url, nowMs)
  }
  yield await attempt('service', async () => {
    const { status } = await client.getHealth()
    return status === 'healthy'
      ? ok('service', 'answers, healthy')
      : warning('service', `answers, ${status}`, 'dlv health')
  })
  yield await attempt('key', async () => {
    const { accountType, capabilities } = await client.getCapabilities()
    const can = Object.entries(capabilities).flatMap(([name, value]) => (value === true ? [name] : []))
    return ok(
      'key',
      `accepted: ${accountType}, ${can.join(', ')}, ${capabilities.maxRequestsPerSecond ?? '?'} requests/s`,
    )
  })
  yield clockFinding(client.clockSkewMs())
  yield secretFinding(settings)
}

const ok = (check: string, finding: string): Finding => ({ check, verdict: 'ok', finding, hint: null })
const warning = (check: string, finding: string, hint: string): Finding => ({
  check,
  verdict: 'warning',
  finding,
  hint,
})
const problem = (check: string, finding: string, hint: string | null): Finding => ({
  check,
  verdict: 'problem',
  finding,
  hint,
})

async function attempt(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof DlvError) return problem(check, error.message, error.hint ?? null)
    throw error
  }
}

function versionFinding(): Finding {
  return ok('version', `Node ${process.versions.node} on ${process.platform} ${process.arch}`)
}

function profileFinding({ profile, environment, baseUrl, sources }: Settings): Finding {
  return ok(
    'profile',
    `${profile} (${environment}), ${baseUrl ?? 'embedded sandbox'}; profile from ${sources.profile}, key from ${sources.apiKey}`,
  )
}

function fileFinding(configDir: string): Finding {
  const file = profileFilePath(configDir)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return ok('profiles file', 'none yet')
  const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0
  return isPrivate
    ? ok('profiles file', `${file}, for you alone`)
    : problem('profiles file', `${file} can be read by others`, `chmod 600 ${file}`)
}

async function nameFinding({ hostname }: URL): Promise<Finding> {
  if (isLoopback(hostname)) return ok('name', `${hostname} is this machine`)
  try {
    const { address } = await lookup(hostname)
    return ok('name', `${hostname} is ${address}`)
  } catch (error) {
    return problem(
      'name',
      `${hostname} cannot be resolved: ${(error as Error).message}`,
      'Check the base address and the network.',
    )
  }
}

function tlsFinding({ hostname, port }: URL, nowMs: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: patienceMs })
    const settle = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('secureConnect', () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - nowMs) / 86_400_000)
      const said = `${socket.getProtocol() ?? 'TLS'}, the certificate holds for ${days} more days`
      settle(days < certificateDays ? warning('TLS', said, 'Tell whoever runs the service.') : ok('TLS', said))
    })
    socket.once('timeout', () => settle(problem('TLS', 'no answer in time', 'Does a firewall stand in between?')))
    socket.once('error', (error) =>
      settle(problem('TLS', error.message, 'Behind a company proxy, name its certificate in NODE_EXTRA_CA_CERTS.')),
    )
  })
}

function clockFinding(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return warning('clock', 'the service gave no time to compare with', 'Nothing to do.')
  const off = `this machine's clock is ${spanText(skewMs)} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`
  if (Math.abs(skewMs) < 2_000) return ok('clock', 'agrees with the service')
  return Math.abs(skewMs) > skewLimitMs
    ? problem('clock', off, 'Set the clock: webhooks are refused beyond five minutes.')
    : ok('clock', off)
}

function secretFinding({ webhookSecrets, baseUrl, profile }: Settings): Finding {
  if (webhookSecrets.length === 0)
    return baseUrl === undefined
      ? ok('webhook secrets', "the embedded sandbox's own")
      : warning('webhook secrets', 'none', `dlv profiles add ${profile} --webhook-secret-file FILE`)
  try {
    const warnings = webhookSecrets.flatMap(({ secret }) => parseSecret(secret).warnings)
    const [first] = warnings
    return first === undefined
      ? ok('webhook secrets', `${webhookSecrets.length}, well-formed`)
      : warning('webhook secrets', first, 'Ask for a longer one.')
  } catch (error) {
    return problem('webhook secrets', (error as Error).message, error instanceof DlvError ? (error.hint ?? null) : null)
  }
}
