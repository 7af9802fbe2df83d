import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AccountRecord,
  accountName,
  ResolvedAccount,
  type Settings,
  type SettingsInput,
} from '../../profiles/index.js'
import type { Sandbox } from '../../sandbox/index.js'
import type { KnownOrders, OrderTexts, SentLedger } from '../../sent/index.js'
import type { IdentifiedBy } from '../accounts/identify.js'
import { isSet } from '../process/colour.js'
import { canAsk } from '../process/terminal.js'
import { embeddedFile, isNoticeDue, openEmbedded } from './embedded-sandbox.js'
import type { ProofPlace } from './own-sandbox.js'
import type { SessionTools } from './tools.js'

/** The account of a command: its settings, its sandbox if it is a local one, its orders on this machine. */
export class Account {
  /** Prints notices of the embedded sandbox; a command whose output is read by a shell turns them off. */
  saysEmbedded = true
  private resolved: ResolvedAccount | undefined
  private readonly said = new Set<string>()
  private embedded: Promise<Sandbox> | undefined
  private ownSandbox: Promise<boolean> | undefined
  private openedSent: Promise<SentLedger> | undefined

  constructor(private readonly session: SessionTools) {}

  /** The settings of the account; its key is looked up only if it is needed. */
  async settings({ needsKey = true }: { needsKey?: boolean | undefined } = {}): Promise<Settings> {
    const settings = needsKey ? await this.choice.withKey() : this.choice.settings
    this.sayOnce(settings.warnings, (text) => this.session.notices.warn(text))
    this.sayOnce(settings.notices, (text) => this.session.notices.notice(text))
    return settings
  }

  private sayOnce(texts: readonly string[], print: (text: string) => void): void {
    for (const text of texts) if (!this.said.has(text)) print(text)
    for (const text of texts) this.said.add(text)
  }

  /** The account, which is resolved once; a command inside another one uses the other's. */
  get choice(): ResolvedAccount {
    this.resolved ??= this.session.context.account?.() ?? new ResolvedAccount(this.accountInput())
    return this.resolved
  }

  /** The flags, variables and directories that decide the account. */
  accountInput(): SettingsInput {
    return {
      flags: { profile: this.session.flags.profile, baseUrl: this.session.flags['base-url'], output: undefined },
      env: this.session.context.env,
      cwd: this.session.context.cwd,
      configDir: this.session.config.configDir,
    }
  }

  /** The account itself, whatever name led to it. @throws UndecidedAccountError if a new key cannot be asked whose it is */
  async identity(): Promise<AccountRecord> {
    return this.identityOf(await this.settings({ needsKey: false }))
  }

  /** The account that settings lead to. */
  async identityOf(settings: IdentifiedBy): Promise<AccountRecord> {
    const by = settings.apiKey ?? ''
    if (this.identified?.by !== by) {
      const { accountOfCommand } = await import('../accounts/command-account.js')
      const { context, config, notices } = this.session
      const [limits, withKey] = [this.session.timeLimits(), () => this.settings()]
      this.identified = { by, account: accountOfCommand(settings, { context, config, notices, limits, withKey }) }
    }
    return this.identified.account
  }

  /** Takes an account that a listener has found otherwise. */
  takeIdentity(account: AccountRecord): void {
    this.identified = { by: this.identified?.by ?? '', account: Promise.resolve(account) }
  }

  private identified: { by: string; account: Promise<AccountRecord> } | undefined

  /** The name that the account's data is kept under. */
  async dataName(): Promise<string> {
    return (await this.identity()).dataName
  }

  /** What was sent for the account from this machine. What a command adds is written when it ends. */
  async ledger(): Promise<SentLedger> {
    const { dataName } = await this.identityOf(await this.settings())
    return this.openSent(dataName)
  }

  /** The same, unless nothing was ever sent from this machine. */
  async ledgerIfAny(): Promise<SentLedger | undefined> {
    return existsSync(this.sentFile) ? this.openSent(await this.dataName()) : undefined
  }

  /** What is known of the orders that were sent from this machine. */
  async knownOrders(): Promise<KnownOrders | undefined> {
    return (await this.ledgerIfAny())?.read()
  }

  /** The words of an order that was sent from this machine: in the archive, or waiting for it. */
  async sentTexts(reference: string): Promise<OrderTexts> {
    const [{ archivedTexts, archivePaths }, { waitingTexts, withLaterTexts }] = await Promise.all([
      import('../../archive/index.js'),
      import('../../sent/index.js'),
    ])
    const account = await this.dataName()
    try {
      const archived = archivedTexts(archivePaths(this.session.config.dataDir, account), reference)
      return withLaterTexts(archived, waitingTexts(this.sentFile, account, reference))
    } catch (error) {
      if (!(error instanceof Error && ('errcode' in error || 'kind' in error))) throw error
      this.session.notices.warnOf(error)
      return {}
    }
  }

  private openSent(account: string): Promise<SentLedger> {
    this.openedSent ??= import('./sent-ledger.js').then(({ openSentLedger }) => {
      const { context, notices } = this.session
      const ledger = openSentLedger(this.sentFile, account, { nowMs: context.nowMs, notices })
      this.session.onClose(() => ledger.close())
      return ledger
    })
    return this.openedSent
  }

  private get sentFile(): string {
    return join(this.session.config.dataDir, 'orders.db')
  }

  /** Whether the service is a sandbox of this user: the embedded one, or a served one that has proved it. */
  isOwnSandbox(settings: Settings): Promise<boolean> {
    this.ownSandbox ??= import('./own-sandbox.js').then(({ isOwnSandbox }) => isOwnSandbox(settings, this.proofPlace))
    return this.ownSandbox
  }

  /** The location of the secret with which a served sandbox proves that it belongs to this user. */
  get proofPlace(): ProofPlace {
    return { env: this.session.context.env, dataDir: this.session.config.dataDir }
  }

  /** The sandbox of the `local` profile, in this process; a notice says that it is not the real service. */
  sandbox(options: { replaceDamaged?: boolean } = {}): Promise<Sandbox> {
    this.embedded ??= openEmbedded(this.session.config.dataDir, options).then((sandbox) => {
      this.session.onClose(() => sandbox.close())
      if (sandbox.damagedFile !== undefined)
        this.session.notices.warn(`The sandbox file was damaged; it was kept as ${sandbox.damagedFile}.`)
      this.noticeEmbedded()
      if (!sandbox.isServed) this.session.output.markPagesUnserved()
      return sandbox
    })
    return this.embedded
  }

  /** Prints once a day that this is not the real service. */
  noticeEmbedded(): void {
    if (!this.saysEmbedded || isSet(this.session.context.env.DLV_NO_NOTICE)) return
    const file = embeddedFile(this.session.config.dataDir)
    if (!isNoticeDue(`${file}.notice`, this.session.nowMs())) return
    this.session.notices.notice(`Using the embedded sandbox, without network (${file}). Shown once a day.`)
  }

  /**
   * Asks on a production profile before something that costs money or cannot be undone; `--yes` confirms it.
   *
   * @param details what the question adds in parentheses; without a terminal, where the error shows the question, it must
   * send nothing
   * @param isAsked whether to ask on a sandbox too
   */
  async confirmOnProduction(
    what: string,
    yes: boolean,
    details?: (isAsked: boolean) => Promise<string>,
    isAsked = false,
  ): Promise<boolean> {
    const settings = await this.settings()
    const isProduction = settings.environment === 'production'
    if (yes || !(isProduction || isAsked)) return true
    const more = await details?.(canAsk(this.session.context, this.session.flags['no-input']))
    const text = `${what}${more ? ` (${more})` : ''}${isProduction ? ` on production (${accountName(settings)})` : ''}?`
    return this.session.confirmed(text, { undone: 'Nothing was sent.' })
  }
}
