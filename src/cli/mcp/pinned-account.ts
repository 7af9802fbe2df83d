import { UsageError } from '../../contract/index.js'
import { accountName, ResolvedAccount, type Settings, type SettingsInput } from '../../profiles/index.js'

/**
 * One account for everything inside a process. The returned function gives it to each command, as long as the same would
 * be resolved now.
 *
 * @throws UsageError, from that function, once a profile, the current profile or the project file has changed
 */
export function pinAccount(account: ResolvedAccount, input: SettingsInput): () => ResolvedAccount {
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
