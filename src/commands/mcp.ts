import { Flags } from '@oclif/core'
import { commandRunner } from '../cli/mcp/inner-run.js'
import { pinAccount } from '../cli/mcp/pinned-account.js'
import { chosenTools } from '../cli/mcp/tools/index.js'
import { unmaskFlag } from '../cli/webhooks/flags.js'
import { WebhookCommand } from '../cli/webhooks/webhook-command.js'

/** Clients give up on a tool after a minute. */
const commandLimit = '50s'

export default class Mcp extends WebhookCommand {
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

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp)
    const settings = await this.provenSettings()
    const { profile, environment, baseUrl } = settings
    const account = { profile, environment, baseUrl, isOwnSandbox: await this.isOwnSandbox(settings) }
    const isEmbedded = baseUrl === undefined && account.isOwnSandbox
    const readOnly = flags['read-only']
    const tools = chosenTools(
      { readOnly, allowWrites: flags['allow-writes'], groups: flags.tools?.split(',') },
      account,
    )
    const inner = {
      globalWords: [`--timeout=${this.globalFlags.timeout ?? commandLimit}`],
      account: pinAccount(this.account, this.accountInput()),
    }
    if (this.context.stdin.isTTY) this.notices.notice('Waiting for an agent on standard input. Press Ctrl-C to stop.')
    const signal = this.takeSignals()
    const { serveAgents } = await import('../cli/mcp/serve.js')
    await serveAgents(this.context, signal, {
      version: this.config.version,
      tools,
      unmask: flags.unmask,
      context: {
        run: commandRunner(this.context, { ...inner, isDryRun: readOnly }),
        rehearse: isEmbedded ? commandRunner(this.context, { ...inner, isDryRun: true }) : undefined,
        account,
        accountFlags: this.context.accountFlags ?? '',
        secrets: () => this.secrets(),
        foreignSecrets: (known) => this.foreignSecrets(known),
        nowMs: () => this.nowMs(),
      },
    })
  }
}
