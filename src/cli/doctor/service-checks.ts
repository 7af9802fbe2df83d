import type { Client } from '../../client/index.js'
import { ApiError, DlvError } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { spanText } from '../../render/times.js'
import { accountKind } from '../session/account-kind.js'
import { type Finding, ok, problem, warning } from './finding.js'

const skewLimitMs = 60_000

/**
 * The service's health, the key, the environment and the clock. The clock is judged by several answers: one may have
 * been stored on its way.
 *
 * @param open opens the client of the account; fails if the embedded sandbox cannot be opened
 */
export async function* serviceFindings(settings: Settings, open: () => Promise<Client>): AsyncGenerator<Finding> {
  let client: Client | undefined
  const service = await attempt('service', async () => {
    client = await open()
    return serviceFinding(client, settings)
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

async function serviceFinding(client: Client, { baseUrl }: Settings): Promise<Finding> {
  const answer = await client.getHealth({}, { maxWaitMs: 1, retries: { maxRetries: 0 } }).catch((error: unknown) => {
    // Its limit is stricter than others; that it is enforced shows that the service is there.
    if (error instanceof ApiError && error.status === 429) return { status: undefined }
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
  if (answer === undefined) {
    const hint = 'Check the path of the base URL: that of the Delivery Service ends in /delivery/v1.'
    return problem('service', `${baseUrl}/health is not found (HTTP 404)`, hint)
  }
  const { status } = answer
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
  if (kind === 'test' && environment === 'production') return warning('environment', said, null)
  return ok('environment', said)
}

async function attempt(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof DlvError) return problem(check, error.message, error.hint ?? null)
    throw error
  }
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
