import type { Client } from '../../client/index.js'
import { ApiError, DlvError } from '../../contract/index.js'
import { isSandboxKey, noProfile, type Settings } from '../../profiles/index.js'
import { spanText } from '../../shared/durations.js'
import { accountKind, kindByEvents } from '../session/account-kind.js'
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
  let checkedAheadMs: number | undefined
  const service = await attempt('service', async () => {
    client = await open()
    const { finding, checkedMs } = await serviceFinding(client, settings)
    const localMs = (client.serviceNowMs() ?? 0) - (client.clockSkewMs() ?? 0)
    if (checkedMs !== undefined && localMs > 0) checkedAheadMs = checkedMs - localMs
    return finding
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
  const date = known[Math.floor(known.length / 2)]
  yield clockFinding(date, checkedAheadMs)
  yield* serviceTimeFinding({ checkedAt: checkedAheadMs, date })
}

/** The service's health, and the time of its own clock, which that of a sandbox may be moved from. */
async function serviceFinding(
  client: Client,
  { baseUrl }: Settings,
): Promise<{ finding: Finding; checkedMs: number | undefined }> {
  const answer = await client.getHealth({}, { maxWaitMs: 1, retries: { maxRetries: 0 } }).catch((error: unknown) => {
    // Its limit is stricter than others; that it is enforced shows that the service is there.
    if (error instanceof ApiError && error.status === 429) return { status: undefined, checkedAt: undefined }
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
  const checkedMs = Date.parse(answer?.checkedAt ?? '')
  return { finding: healthFinding(answer, baseUrl), checkedMs: Number.isNaN(checkedMs) ? undefined : checkedMs }
}

function healthFinding(answer: { status: string | undefined } | undefined, baseUrl: string | undefined): Finding {
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

/**
 * Whether the account is what its profile says: the guard of production follows the profile. A production account is only
 * read; elsewhere a delivery that does not exist is simulated.
 */
async function environmentFinding({ environment, profile, apiKey = '' }: Settings, client: Client): Promise<Finding> {
  const isProduction = environment === 'production'
  const { kind, answer } = await (isProduction ? kindByEvents(client) : accountKind(client))
  const source = isProduction ? `${answer} in its events` : `${answer} for a simulation`
  const other =
    profile === noProfile
      ? 'Set DLV_ENVIRONMENT=sandbox, or the production key.'
      : `dlv profiles add ${profile} --environment sandbox, or with the production key`
  if (kind === 'unknown' && isProduction)
    return isSandboxKey(apiKey)
      ? warning('environment', `${environment}; ${answer}, and the key begins as a sandbox's do`, other)
      : ok('environment', `${environment}; not confirmed by the service (${answer})`)
  if (kind === 'unknown')
    return warning('environment', `${environment}; not confirmed by the service (${source})`, null)
  const said = `${environment}; the service treats the key as a ${kind} key (${source})`
  if (kind === 'live' && !isProduction)
    return problem('environment', said, `dlv profiles add ${profile} --environment production`)
  if (kind === 'test' && isProduction)
    return warning('environment', `${said}: orders are asked about as on production, and no driver comes`, other)
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

/**
 * This machine's clock beside the service's, by the `Date` of its answers. Where that is off and the service's own
 * `checkedAt` is not, something in front of it has set the header.
 */
function clockFinding(skewMs: number | undefined, checkedAheadMs: number | undefined): Finding {
  if (skewMs === undefined) return warning('clock', 'unknown: the service sends no Date header', null)
  if (Math.abs(skewMs) > skewLimitMs && checkedAheadMs !== undefined && Math.abs(checkedAheadMs) < sameClockMs) {
    const date = `the Date of its answers is ${spanText(skewMs)} ${skewMs > 0 ? 'ahead' : 'behind'}`
    return warning(
      'clock',
      `agrees with the service's checkedAt; ${date}`,
      'Check the clock of what is in front of the service.',
    )
  }
  const off = `this machine's clock is ${spanText(skewMs)} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`
  if (Math.abs(skewMs) < 2_000) return ok('clock', 'agrees with the service, by the Date of its answers')
  return Math.abs(skewMs) > skewLimitMs
    ? problem(
        'clock',
        off,
        'Set the clock of this machine. Webhooks are rejected if it is off by more than five minutes.',
      )
    : ok('clock', off)
}

/** A `Date` has whole seconds, and an answer takes its time. */
const sameClockMs = 5_000

/**
 * The service's own clock, if it is another one than that of its answers: a sandbox's was moved.
 *
 * @param aheadMs by how much `checkedAt` is ahead of this machine's clock, and the `Date` of answers
 */
function* serviceTimeFinding(aheadMs: { checkedAt: number | undefined; date: number | undefined }): Generator<Finding> {
  const { checkedAt, date = 0 } = aheadMs
  const movedMs = (checkedAt ?? date) - date
  if (Math.abs(movedMs) < sameClockMs) return
  const moved = `checkedAt is ${spanText(movedMs)} ${movedMs > 0 ? 'ahead of' : 'behind'} Date`
  yield ok('service time', `${moved}; times such as 1h go by it`)
}
