import type { Client } from '../../client/index.js'
import { DlvError } from '../../contract/index.js'
import { accountLabel, noProfile, type Settings } from '../../profiles/index.js'
import { checkedSecret } from '../input/secrets.js'
import { dataFinding, fileFinding } from './disk-checks.js'
import { type Finding, ok, problem, warning } from './finding.js'
import { networkFindings } from './network-checks.js'
import { serviceFindings } from './service-checks.js'

/** The account to check, and where. */
interface Surroundings {
  settings: Settings
  /** Opens the client of the account; fails if the embedded sandbox cannot be opened. */
  open(): Promise<Client>
  configDir: string
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  nowMs: number
}

/**
 * Checks the program, the profile, its files, the network, the service with key and clock, and the secrets. A problem
 * skips the checks that depend on it, so that one cause is reported once.
 */
export async function* examine({
  settings,
  open,
  configDir,
  dataDir,
  env,
  nowMs,
}: Surroundings): AsyncGenerator<Finding> {
  yield versionFinding()
  yield profileFinding(settings)
  yield fileFinding(configDir)
  yield dataFinding(dataDir)
  let isReachable = true
  for await (const finding of networkFindings(settings, env, nowMs)) {
    yield finding
    isReachable &&= finding.verdict !== 'problem'
  }
  if (isReachable) yield* serviceFindings(settings, open)
  yield secretFinding(settings)
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
    const warnings = webhookSecrets.flatMap((named) => checkedSecret(named).warnings)
    const [first] = warnings
    return first === undefined
      ? ok('webhook secrets', `${webhookSecrets.length}, valid`)
      : warning('webhook secrets', first, 'Ask for a longer secret.')
  } catch (error) {
    return problem('webhook secrets', (error as Error).message, error instanceof DlvError ? (error.hint ?? null) : null)
  }
}
