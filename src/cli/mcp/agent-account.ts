import { archivePaths } from '../../archive/index.js'
import { UsageError } from '../../contract/index.js'
import { accountName, ResolvedAccount, type Settings, type SettingsInput } from '../../profiles/index.js'
import type { AccountSession } from '../session/account-session.js'
import { Secrets } from '../webhooks/secrets.js'
import type { AgentAccount } from './accounts.js'
import type { ConfirmationOptions, Confirmations } from './confirmation.js'
import { commandRunner } from './inner-run.js'
import { chosenTools } from './tools/chosen-tools.js'

/** Clients give up on a tool after a minute. */
const commandLimit = '50s'

/** What an agent may do in an account, and what it needs for it. */
export async function agentAccount(
  { profile: name, session }: AccountSession,
  choice: Parameters<typeof chosenTools>[0],
  confirmations: (options: ConfirmationOptions) => Confirmations,
): Promise<AgentAccount> {
  const { context, config, flags } = session
  const secrets = new Secrets(session)
  const settings = await session.provenSettings()
  const { profile, environment, baseUrl } = settings
  const account = { profile, environment, baseUrl, isOwnSandbox: await session.account.isOwnSandbox(settings) }
  const isEmbedded = baseUrl === undefined && account.isOwnSandbox
  const inner = {
    globalWords: [`--timeout=${flags.timeout ?? commandLimit}`],
    account: pinAccount(session.account.choice, session.account.accountInput()),
  }
  const nowMs = () => session.nowMs()
  const dataName = await session.account.dataName()
  return {
    name,
    tools: chosenTools(choice, account),
    tokens: confirmations({ dataDir: config.dataDir, account: dataName, nowMs }),
    context: {
      run: commandRunner(context, { ...inner, isDryRun: choice.readOnly }),
      rehearse: isEmbedded ? commandRunner(context, { ...inner, isDryRun: true }) : undefined,
      account,
      isOneOfSeveral: name !== undefined,
      archive: () => {
        inner.account()
        return archivePaths(config.dataDir, dataName)
      },
      accountFlags: context.accountFlags ?? '',
      secrets: () => secrets.given(),
      foreignSecrets: (known) => secrets.foreign(known),
      nowMs,
    },
  }
}

/**
 * One account for everything inside a process. The returned function gives it to each command, as long as the same would
 * be resolved now.
 *
 * @throws UsageError, from that function, once a profile, the current profile or the project file has changed
 */
function pinAccount(account: ResolvedAccount, input: SettingsInput): () => ResolvedAccount {
  const before = account.settings
  return () => {
    const now = settingsNow(input)
    if ('message' in now) throw changed(`it was ${described(before)}, and now there is none: ${now.message}`)
    if (described(now) !== described(before))
      throw changed(`it was ${described(before)}, and now it is ${described(now)}.`)
    if (now.apiKey !== before.apiKey) throw changed(`${described(before)} has another key now.`)
    return account
  }
}

function changed(how: string): UsageError {
  return new UsageError(`The account changed since dlv mcp started: ${how}`, {
    hint: 'Nothing was sent. Restart the MCP server to use the account as it is now.',
  })
}

function described(settings: Settings): string {
  const { environment, baseUrl = 'embedded sandbox' } = settings
  const name = accountName(settings)
  return name === baseUrl ? `${name} (${environment})` : `${name} (${environment}, ${baseUrl})`
}

function settingsNow(input: SettingsInput): Settings | UsageError {
  try {
    return new ResolvedAccount(input).settings
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}
