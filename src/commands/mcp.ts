import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { commandRunner } from '../cli/mcp/inner-run.js'
import { chosenTools } from '../cli/mcp/tools/index.js'
import { unmaskFlag } from '../cli/webhooks/flags.js'
import { Secrets } from '../cli/webhooks/secrets.js'
import { UsageError } from '../contract/index.js'
import { accountName, ResolvedAccount, type Settings, type SettingsInput } from '../profiles/index.js'

/** Clients give up on a tool after a minute. */
const commandLimit = '50s'

export default class Mcp extends BaseCommand {
  static override summary = 'Serve tools for agents: the Model Context Protocol over stdio.'
  static override description =
    'Started by an agent, not by hand. Tools read deliveries, events and webhooks; on the embedded sandbox, and on a served one of this user, they also write and control it. Elsewhere they write only with --allow-writes. What costs money is confirmed by a person, or with a preview and a token if the agent cannot ask; on production only by a person. Personal data is masked.'
  static override examples = [
    'claude mcp add dlv -- <%= config.bin %> mcp',
    '<%= config.bin %> mcp -P acme --read-only',
    '<%= config.bin %> mcp -P acme-sandbox --allow-writes --tools read,write',
  ]
  static override flags = {
    'read-only': Flags.boolean({ summary: 'Only tools that change nothing', exclusive: ['allow-writes'] }),
    'allow-writes': Flags.boolean({ summary: 'Also tools that create, change and cancel' }),
    tools: Flags.string({
      summary: 'Only these groups: read, write, sandbox',
      helpValue: 'GROUP,…',
      exclusive: ['read-only'],
    }),
    ...unmaskFlag,
  }

  private secrets!: Secrets

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp)
    this.secrets = new Secrets(this.session)
    const settings = await this.session.provenSettings()
    const { profile, environment, baseUrl } = settings
    const account = { profile, environment, baseUrl, isOwnSandbox: await this.session.account.isOwnSandbox(settings) }
    const isEmbedded = baseUrl === undefined && account.isOwnSandbox
    const readOnly = flags['read-only']
    const tools = chosenTools(
      { readOnly, allowWrites: flags['allow-writes'], groups: flags.tools?.split(',') },
      account,
    )
    const inner = {
      globalWords: [`--timeout=${this.session.flags.timeout ?? commandLimit}`],
      account: pinAccount(this.session.account.choice, this.session.account.accountInput()),
    }
    if (this.session.context.stdin.isTTY)
      this.session.notices.notice('Waiting for an agent on standard input. Press Ctrl-C to stop.')
    const signal = this.session.takeSignals()
    const [{ serveAgents }, { confirmations }] = await Promise.all([
      import('../cli/mcp/serve.js'),
      import('../cli/mcp/confirmation.js'),
    ])
    const nowMs = () => this.session.nowMs()
    await serveAgents(this.session.context, signal, {
      version: this.config.version,
      tools,
      unmask: flags.unmask,
      tokens: confirmations({
        dataDir: this.config.dataDir,
        account: await this.session.account.dataName(),
        nowMs,
      }),
      context: {
        run: commandRunner(this.session.context, { ...inner, isDryRun: readOnly }),
        rehearse: isEmbedded ? commandRunner(this.session.context, { ...inner, isDryRun: true }) : undefined,
        account,
        accountFlags: this.session.context.accountFlags ?? '',
        secrets: () => this.secrets.given(),
        foreignSecrets: (known) => this.secrets.foreign(known),
        nowMs,
      },
    })
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
