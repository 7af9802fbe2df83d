import type { ClientOptions } from '../../client/index.js'
import type { AccountRecord } from '../../profiles/index.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { type IdentifiedBy, identifiedAccount } from './identify.js'

/** The parts of a command that an account is identified with. */
interface CommandParts {
  context: Pick<ProcessContext, 'env' | 'nowMs' | 'cwd'>
  config: { dataDir: string; configDir: string; userAgent: string }
  notices: Pick<Notices, 'notice'>
  limits: Pick<ClientOptions, 'timeoutMs' | 'attemptTimeoutMs'>
  /** The settings with the key of the keychain. */
  withKey(): Promise<IdentifiedBy>
}

const limitMs = 10_000

/** The account that the settings of a command lead to; asks the service only about a key that is not known yet. */
export function accountOfCommand(settings: IdentifiedBy, parts: CommandParts): Promise<AccountRecord> {
  const { context, config, notices } = parts
  return identifiedAccount(settings, {
    dataDir: config.dataDir,
    configDir: config.configDir,
    nowMs: context.nowMs,
    notice: (text) => notices.notice(text),
    withKey: parts.withKey,
    ask: (account, by) => ask(account, by, parts),
  })
}

async function ask(
  account: AccountRecord,
  { baseUrl, apiKey }: IdentifiedBy,
  { context, config, limits }: CommandParts,
) {
  const [{ createClient }, { askService }] = await Promise.all([
    import('../../client/index.js'),
    import('./ask-service.js'),
  ])
  const client = createClient({
    baseUrl: baseUrl ?? '',
    apiKey,
    userAgent: config.userAgent,
    environment: context.env,
    timeoutMs: limitMs,
    maxWaitMs: 1_000,
    retries: { maxRetries: 1 },
    ...limits,
  })
  try {
    return await askService(client, account, config.dataDir, context)
  } finally {
    await client.close()
  }
}
