import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { connect } from 'node:tls'
import type { Client } from '../../client/index.js'
import { proxyFor } from '../../client/internal.js'
import { ApiError, DlvError, isLoopback } from '../../contract/index.js'
import { accountLabel, noProfile, profileFilePath, type Settings } from '../../profiles/index.js'
import { spanText } from '../../render/times.js'
import { parseSecret } from '../../webhooks/index.js'
import { accountKind } from '../command/account-kind.js'
import { fileReasons } from '../process/file-reasons.js'

/** The result of one check. */
export interface Finding {
  check: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  hint: string | null
}

const patienceMs = 5_000
const skewLimitMs = 60_000
const certificateDays = 14
/** What is written to see whether the data directory can be written. */
const trialBytes = 65_536

/** What to check, and the environment to check it in. */
export interface Surroundings {
  settings: Settings
  /** Opens the client of the account; fails if the embedded sandbox cannot be opened. */
  open(): Promise<Client>
  configDir: string
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  nowMs: number
}

/**
 * Checks configuration, network, service, key, clock and secrets, in this order. A problem skips the checks that depend
 * on it, so that one cause is reported once.
 */
export async function* examine(surroundings: Surroundings): AsyncGenerator<Finding> {
  const { settings, configDir, dataDir } = surroundings
  yield versionFinding()
  yield profileFinding(settings)
  yield fileFinding(configDir)
  yield dataFinding(dataDir)
  let isReachable = true
  for await (const finding of networkFindings(surroundings)) {
    yield finding
    isReachable &&= finding.verdict !== 'problem'
  }
  if (isReachable) yield* serviceFindings(surroundings)
  yield secretFinding(settings)
}

/** What the service answers. The clock is judged by several answers: one may have been stored on its way. */
async function* serviceFindings({ settings, open }: Surroundings): AsyncGenerator<Finding> {
  let client: Client | undefined
  const service = await attempt('service', async () => {
    client = await open()
    return serviceFinding(client)
  })
  yield service
  if (client === undefined || service.verdict === 'problem') return
  const asked = client
  const skews = [asked.clockSkewMs()]
  yield await attempt('key', () => keyFinding(asked))
  skews.push(asked.clockSkewMs())
  if (settings.baseUrl !== undefined) {
    yield await attempt('environment', () => environmentFinding(settings, asked))
    skews.push(asked.clockSkewMs())
  }
  const known = skews.filter((skew) => skew !== undefined).sort((one, other) => one - other)
  yield clockFinding(known[Math.floor(known.length / 2)])
}

/** The connection to the service: a proxy, or the name and TLS of the service. */
async function* networkFindings({ settings: { baseUrl }, env, nowMs }: Surroundings): AsyncGenerator<Finding> {
  if (baseUrl === undefined) return
  const proxy = proxyFor(baseUrl, env)
  // Behind a proxy, this machine may not be able to resolve or reach the service.
  if (proxy !== undefined) return yield ok('proxy', `requests go through ${new URL(proxy).host}`)
  const url = new URL(baseUrl)
  const name = await nameFinding(url)
  yield name
  if (name.verdict !== 'problem' && url.protocol === 'https:') yield await tlsFinding(url, nowMs)
}

async function serviceFinding(client: Client): Promise<Finding> {
  const { status } = await client
    .getHealth({}, { maxWaitMs: 1, retries: { maxRetries: 0 } })
    .catch((error: unknown) => {
      // Its limit is stricter than others; that it is enforced shows that the service is there.
      if (error instanceof ApiError && error.status === 429) return { status: undefined }
      throw error
    })
  if (status === undefined) return ok('service', 'answers; GET /health is rate limited right now (HTTP 429)')
  return status === 'healthy' ? ok('service', 'healthy') : warning('service', status, 'dlv health')
}

async function keyFinding(client: Client): Promise<Finding> {
  const { accountType, capabilities } = await client.getCapabilities()
  const can = Object.entries(capabilities).flatMap(([name, value]) => (value === true ? [name] : []))
  const rate = `${capabilities.maxRequestsPerSecond ?? '?'} requests/s`
  return ok('key', `accepted: ${accountType}, ${[...can, rate].join(', ')}`)
}

/** Whether the account is what its profile says: the guard of production follows the profile. */
async function environmentFinding({ environment, profile }: Settings, client: Client): Promise<Finding> {
  const { kind, answer } = await accountKind(client)
  const said = `${environment}; the service treats the key as a ${kind} key (${answer} for a simulation)`
  if (kind === 'unknown')
    return warning('environment', `${environment}; not confirmed by the service (${answer} for a simulation)`, null)
  if (kind === 'live' && environment !== 'production') {
    return problem('environment', said, `dlv profiles add ${profile} --environment production`)
  }
  return ok('environment', said)
}

const ok = (check: string, finding: string): Finding => ({ check, verdict: 'ok', finding, hint: null })
const warning = (check: string, finding: string, hint: string | null): Finding => ({
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

function profileFinding(settings: Settings): Finding {
  const { environment, baseUrl, sources } = settings
  const from = sources.profile === noProfile ? `base URL from ${sources.baseUrl}` : `profile from ${sources.profile}`
  return ok(
    'profile',
    `${accountLabel(settings)} (${environment}), ${baseUrl ?? 'embedded sandbox'}; ${from}, key from ${sources.apiKey}`,
  )
}

function fileFinding(configDir: string): Finding {
  const file = profileFilePath(configDir)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    const reason = whyNothingCanBeMadeIn(configDir)
    return reason === undefined
      ? ok('profiles file', 'not created yet')
      : warning(
          'profiles file',
          `Cannot create ${file}: ${reason}; no profile can be kept.`,
          'Check the permissions of its directory, or set DLV_CONFIG_DIR.',
        )
  }
  const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0
  return isPrivate
    ? ok('profiles file', `${file}, readable only by you`)
    : problem('profiles file', `${file} is readable by others`, `chmod 600 ${file}`)
}

function dataFinding(directory: string): Finding {
  if (!existsSync(directory)) {
    const reason = whyNothingCanBeMadeIn(directory)
    return reason === undefined
      ? ok('data directory', `${directory}, not created yet`)
      : problem(
          'data directory',
          `Cannot create ${directory}: ${reason}.`,
          'Check the permissions of the directories above it, or set DLV_DATA_DIR.',
        )
  }
  const file = join(directory, `.doctor-${randomUUID()}`)
  try {
    // Only a write tells of a full disk, a quota or a file system that is mounted read-only.
    writeFileSync(file, Buffer.alloc(trialBytes), { mode: 0o600, flush: true })
    return ok('data directory', directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
    const hint = isFull ? 'Free some space, or set DLV_DATA_DIR.' : 'Check its permissions, or set DLV_DATA_DIR.'
    return problem('data directory', `Cannot write to ${directory}: ${fileReasons[code ?? ''] ?? code}.`, hint)
  } finally {
    removeIfThere(file)
  }
}

/** Why a directory cannot be made, or nothing in it, judged by the nearest one that exists; `undefined` if it can. */
function whyNothingCanBeMadeIn(directory: string): string | undefined {
  let nearest = directory
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  const trial = join(nearest, `.doctor-${randomUUID()}`)
  try {
    mkdirSync(trial)
    rmdirSync(trial)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return `${fileReasons[code ?? ''] ?? code} (${nearest})`
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It could not be created either.
  }
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
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - nowMs) / 86_400_000)
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

function clockFinding(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return warning('clock', 'unknown: the service sends no Date header', null)
  const off = `this machine's clock is ${spanText(skewMs)} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`
  if (Math.abs(skewMs) < 2_000) return ok('clock', 'agrees with the service')
  return Math.abs(skewMs) > skewLimitMs
    ? problem(
        'clock',
        off,
        'Set the clock of this machine. Webhooks are rejected if it is off by more than five minutes.',
      )
    : ok('clock', off)
}

function secretFinding({ webhookSecrets, baseUrl, profile }: Settings): Finding {
  if (webhookSecrets.length === 0)
    return baseUrl === undefined
      ? ok('webhook secrets', "the embedded sandbox's own")
      : warning(
          'webhook secrets',
          'none',
          profile === noProfile ? 'Set DLV_WEBHOOK_SECRET.' : `dlv profiles secrets add ${profile} FILE`,
        )
  try {
    const warnings = webhookSecrets.flatMap(({ secret }) => parseSecret(secret).warnings)
    const [first] = warnings
    return first === undefined
      ? ok('webhook secrets', `${webhookSecrets.length}, valid`)
      : warning('webhook secrets', first, 'Ask for a longer secret.')
  } catch (error) {
    return problem('webhook secrets', (error as Error).message, error instanceof DlvError ? (error.hint ?? null) : null)
  }
}
