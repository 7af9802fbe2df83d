import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { agentAccount } from '../cli/mcp/agent-account.js'
import { unmaskFlag } from '../cli/webhooks/flags.js'

export default class Mcp extends BaseCommand {
  static override summary = 'Serve tools for agents: the Model Context Protocol over stdio.'
  static override description =
    'Started by an agent, not by hand. Tools read deliveries, events and webhooks; on the embedded sandbox, and on a served one of this user, they also write and control it. Elsewhere they write only with --allow-writes. What costs money is confirmed by a person, or with a preview and a token if the agent cannot ask; on production only by a person. Personal data is masked. Of several accounts (-P a,b) reads ask all or the one that they name, and what changes something names one.'
  static override examples = [
    'claude mcp add dlv -- <%= config.bin %> mcp',
    '<%= config.bin %> mcp -P acme --read-only',
    '<%= config.bin %> mcp -P acme-sandbox --allow-writes --tools read,write',
    '<%= config.bin %> mcp -P acme,bolt',
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

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp)
    const { confirmations } = await import('../cli/mcp/confirmation.js')
    const choice = { readOnly: flags['read-only'], allowWrites: flags['allow-writes'], groups: flags.tools?.split(',') }
    const accounts = await this.openAccounts((account) => agentAccount(account, choice, confirmations))
    if (accounts.length === 0) return
    if (this.session.context.stdin.isTTY)
      this.session.notices.notice('Waiting for an agent on standard input. Press Ctrl-C to stop.')
    const signal = this.session.takeSignals()
    const { serveAgents } = await import('../cli/mcp/serve.js')
    const { version } = this.config
    await serveAgents(this.session.context, signal, { version, accounts, unmask: flags.unmask })
  }
}
