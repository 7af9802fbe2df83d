import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { journalFlag } from '../cli/journal/place.js'
import { openPrivateUrl } from '../cli/process/open-url.js'
import { embeddedControl, servedControl } from '../cli/sandbox/control.js'
import { type InspectedParts, openInspector, pageClient } from '../cli/ui/inspector.js'
import { Journals } from '../cli/webhooks/journals.js'
import { openListener } from '../cli/webhooks/listen-open.js'
import { Secrets } from '../cli/webhooks/secrets.js'
import { listenAs, registerWithSandbox, routesOfProject } from '../cli/webhooks/session-listener.js'
import { UsageError } from '../contract/index.js'
import type { JournalReader, ListenerRecord } from '../listener/index.js'
import { accountLabel, type Settings } from '../profiles/index.js'
import { card } from '../render/card.js'
import { paint } from '../render/style.js'

export default class Ui extends BaseCommand {
  static override summary = 'Show deliveries, webhooks and the sandbox in the browser.'
  static override description =
    'Serves a page on this machine until Ctrl-C. With nothing configured, it shows the embedded sandbox and receives its webhooks. With a profile, it shows that account; a production account is read-only. The URL contains a token, without which nothing is answered. With -o json, the first line on stdout is the ready line with the URL.'
  static override examples = [
    '<%= config.bin %> ui --open',
    '<%= config.bin %> ui --port 0 -o json',
    '<%= config.bin %> ui -P acme',
  ]
  static override flags = {
    port: Flags.integer({ char: 'p', summary: 'Port; 0 for any free port', default: 4040, min: 0, max: 65_535 }),
    open: Flags.boolean({ summary: 'Open the page in the browser' }),
    ...journalFlag,
  }

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<void> {
    const { flags } = await this.parse(Ui)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    const signal = this.session.takeSignals()
    const settings = await this.session.provenSettings()
    const seen: ListenerRecord[] = []
    let see = (record: ListenerRecord): void => void seen.push(record)
    const parts = await this.parts(flags.journal !== undefined, (record) => see(record))
    const { config, notices } = this.session
    const inspector = await openInspector(
      parts,
      { settings, dataName: await this.session.account.dataName(), config, notices },
      { port: flags.port },
    )
    this.session.onClose(() => inspector.close())
    see = inspector.see
    for (const record of seen) see(record)
    await this.announce(inspector.url, parts, settings)
    if (flags.open)
      this.session.onClose(
        openPrivateUrl(this.session.context, new URL(inspector.url), this.config.dataDir, (reason) =>
          this.session.notices.notice(`${reason}; open the URL yourself.`),
        ),
      )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  /** The parts of the page, by the profile. */
  private async parts(isJournalNamed: boolean, onRecord: (record: ListenerRecord) => void): Promise<InspectedParts> {
    const settings = await this.session.account.settings()
    const client = await this.session.client({ ...(await pageClient()), limit: 'each' })
    const journal = isJournalNamed ? await this.journals.open() : undefined
    if (settings.baseUrl === undefined) return { client, ...(await this.embeddedParts(journal, onRecord)) }
    const shown = journal ?? (await this.journals.ifAny())
    return {
      client,
      secrets: await this.secrets.followed(settings.webhookSecrets),
      ...(shown === undefined ? {} : { journal: shown }),
      ...(await this.localControl(settings)),
    }
  }

  /** The embedded sandbox, and a listener registered with it unless another process has the journal. */
  private async embeddedParts(journal: JournalReader | undefined, onRecord: (record: ListenerRecord) => void) {
    const sandbox = await this.session.account.sandbox()
    const control = embeddedControl(sandbox)
    const secrets = await this.secrets.given()
    const followed = await this.secrets.followed(secrets)
    const parts = { control, secrets: followed, sandbox }
    sandbox.startOutbox()
    if (journal !== undefined) return { ...parts, journal }
    const { mark } = await listenAs(this.session, { secrets, followed, journals: this.journals })
    try {
      const listener = await openListener(
        this.session.context,
        {},
        {
          secrets: followed,
          account: mark,
          otherSecrets: this.secrets.foreign(secrets),
          journal: await this.journals.place(),
          env: this.session.context.env,
          projectRoutes: await routesOfProject(this.session),
          routeAccounts: [],
          onRecord,
        },
      )
      this.session.onClose(() => listener.close())
      await registerWithSandbox(listener, { session: this.session, mark, secrets, secretsOf: this.secrets })
      const reader = await this.journals.ifAny()
      return { ...parts, listener, ...(reader === undefined ? {} : { journal: reader }) }
    } catch (error) {
      const others = error instanceof UsageError ? await this.journals.ifAny() : undefined
      if (others === undefined) throw error
      this.session.notices.notice(`Not receiving webhooks here: ${error instanceof Error ? error.message : ''}`)
      return { ...parts, journal: others }
    }
  }

  /** The control API, if the service is a served sandbox of this user. */
  private async localControl(settings: Settings): Promise<Pick<InspectedParts, 'control'>> {
    const { baseUrl } = settings
    if (baseUrl === undefined || !(await this.session.account.isOwnSandbox(settings))) return {}
    return { control: await servedControl(baseUrl, this.session.account.proofPlace) }
  }

  private async announce(url: string, { listener }: InspectedParts, settings: Settings): Promise<void> {
    const account = accountLabel(settings)
    if (this.session.output.isJson || !this.session.output.style.terminal)
      return this.session.output.record({ type: 'ready', url })
    await this.session.output.text(
      card(
        paint(this.session.output.style, 'green', 'The page is ready.'),
        [
          ['Open', url, 'whole'],
          ['Account', settings.environment === 'production' ? `${account}, read-only` : account],
          ...(listener === undefined ? [] : [['Webhooks', listener.url] as [string, string]]),
          ['Stop', 'Ctrl-C'],
        ],
        this.session.output.style,
      ),
    )
  }
}
