import { sayOthers } from '../../cli/accounts/journal-account.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { type EventService, eventService } from '../../cli/events/event-service.js'
import type { WaitingPlace } from '../../cli/output/waiting-line.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { canAnimate } from '../../cli/process/terminal.js'
import type { Session } from '../../cli/session/session.js'
import { openInspector, pageClient } from '../../cli/ui/inspector.js'
import { attachKeys, listenKeys } from '../../cli/webhooks/hotkeys.js'
import { badAnswersOf, type ListenFlags, listenFlags, parseRoutes } from '../../cli/webhooks/listen-flags.js'
import { openListener, reachAdvice, typesOf } from '../../cli/webhooks/listen-open.js'
import { preparePull } from '../../cli/webhooks/listen-pull.js'
import { expectationOf, listenUntil, waitingNotices } from '../../cli/webhooks/listen-run.js'
import { ListenScreen } from '../../cli/webhooks/listen-screen.js'
import { type ListenedAccount, ListenedAccounts } from '../../cli/webhooks/listened-accounts.js'
import { registerWithSandbox, routesOfProject } from '../../cli/webhooks/session-listener.js'
import { UsageError } from '../../contract/index.js'
import type { Listener, ListenerRecord } from '../../listener/index.js'
import { secretCountLine } from '../../render/listener-lines.js'
import { targetName } from '../../shared/target-name.js'
import type { Inspector } from '../../ui/index.js'

export default class Listen extends BaseCommand {
  static override summary = 'Receive, verify, store and forward webhooks.'
  static override description =
    "Each webhook is on disk before it is acknowledged. With the local profile, the embedded sandbox posts here automatically, also for commands in other processes. --exec runs its command with DLV_WEBHOOK_URL and DLV_WEBHOOK_SECRET. Several accounts (-P a,b) share the address: an event belongs to the account whose secret verifies it, is kept in that account's journal and forwarded as its. Exits 130 on Ctrl-C, 143 on SIGTERM, 129 if its terminal is closed, 9 if --expect was not met."
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --show-response',
    '<%= config.bin %> webhooks listen --pull --since 2h',
    "<%= config.bin %> webhooks listen -P acme,bolt --forward-to acme:http://localhost:3000/acme --forward-to 'bolt:delivery.*=http://localhost:3000/bolt'",
    '<%= config.bin %> webhooks listen --journal postgres://dlv@one:5432,two:5432/dlv --admin-port 9090',
    '<%= config.bin %> webhooks listen --answer 500@30% --answer reset@5% --answer-delay 12s@10%',
    "<%= config.bin %> webhooks listen --expect delivery.delivered --within 60s --exec 'npm test'",
    '<%= config.bin %> webhooks listen --jq \'select(.type == "event").eventType\'',
  ]
  static override flags = listenFlags

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    const { notices } = this.session
    const badAnswers = badAnswersOf(flags)
    const stop = new AbortController()
    const signal = AbortSignal.any([this.session.takeSignals(), stop.signal])
    const served = await ListenedAccounts.open(this.session, this.profiles, flags)
    const { accounts, areSeveral } = served
    const projectRoutes = await routesOfProject(accounts[0]?.session ?? this.session, flags['forward-to'])
    checkRole(flags, projectRoutes)
    const screen = new ListenScreen(this.session.output, {
      types: typesOf(flags.events, notices),
      forwards: flags['forward-to'] !== undefined || Object.keys(projectRoutes).length > 0,
      unmask: flags.unmask,
      profiles: areSeveral ? accounts.map(({ name }) => name) : [],
      backlog: () => listener.backlog(),
      onFailure: () => stop.abort(),
    })
    const [expected, keys] = [expectationOf(flags, notices), listenKeys()]
    const onError = (error: unknown) => notices.warnOf(error)
    const watchers: RecordWatcher[] = [{ see: (record) => screen.see(served.shown(record)) }, expected, keys]
    const records = heldRecords(watchers)
    this.session.onClose(() => screen.drained())
    const parts = served.listenerParts()
    const listener = await openListener(this.session.context, flags, {
      ...parts,
      env: this.session.context.env,
      projectRoutes,
      routeAccounts: accounts,
      badAnswers,
      onRecord: (record) => {
        served.seen(record)
        records.see(record)
      },
      isBehind: () => screen.isBehind(),
      onFailure: () => stop.abort(),
    })
    this.session.onClose(() => listener.close())
    this.session.onClose((error) => served.close(error))
    const targets = parseRoutes(flags['forward-to'] ?? [], projectRoutes, undefined, accounts).map(({ url }) =>
      targetName(url),
    )
    await sayOthers(listener, this.config.dataDir, notices)
    for (const text of await waitingNotices(listener, parts.journal, targets)) notices.notice(text)
    if (badAnswers !== undefined && flags['answer-seed'] === undefined)
      notices.notice(`Failing on purpose; --answer-seed ${badAnswers.seed} chooses the same webhooks again.`)
    const hands = {
      listener,
      screen,
      style: () => this.session.output.styleNow(),
      unmask: flags.unmask,
      say: (text: string) => notices.print(text),
      onError,
      counts: () => secretCountLine(served.named(listener.countBySecret())),
      quit: () => stop.abort(),
    }
    const isReceiving = !flags['no-receive']
    const posted: boolean[] = []
    for (const account of isReceiving ? accounts : []) posted.push(await registerWithSandbox(listener, account))
    const inspector = flags.ui ? await this.showPage(listener, accounts[0]) : undefined
    if (inspector !== undefined) watchers.push({ see: (record) => inspector.see(served.shown(record)) })
    const isFetching = flags.pull || flags.since !== undefined
    const fetching = isFetching
      ? await Promise.all(accounts.map((one) => this.fetching(flags, listener, one, signal)))
      : []
    records.release(inspector?.url)
    this.session.onClose(attachKeys(this.session.context, keys, hands, this.session.flags['no-input']))
    if (isReceiving && posted.includes(false) && !flags.pull && !this.session.output.isJson)
      notices.notice(reachAdvice(listener.url, await this.haveOwnSandbox(accounts)))
    if (targets.length > 0 && !this.session.output.isJson)
      for (const { session, secretsOf, secrets } of accounts) session.notices.notice(await secretsOf.ofApps(secrets))
    await Promise.all(fetching.map((fetchMissed) => fetchMissed()))
    const code = await listenUntil(this.session.context, listener, served.variable, expected, flags.exec, signal)
    const missing = expected.missing()
    if (code === exitCodes.otherOutcome && missing !== '') notices.warn(`Timed out: ${missing}.`)
    for (const text of await waitingNotices(listener, parts.journal)) notices.notice(text)
    const counts = listener.countBySecret()
    if (counts.length > 1) notices.notice(secretCountLine(served.named(counts)))
    this.session.endWith(code)
  }

  /** Prepares to fetch an account's events, by its own client and from its own position. */
  private async fetching(flags: ListenFlags, listener: Listener, account: ListenedAccount, signal: AbortSignal) {
    const { session, mark, followed } = account
    const { Outage } = await import('../../cli/output/outage.js')
    return preparePull(flags, {
      service: await this.eventsUntil(session, signal),
      nowMs: session.context.nowMs,
      listener,
      secrets: followed,
      account: mark,
      outage: new Outage(session.notices),
      onError: (error) => session.notices.warnOf(error),
      signal,
    })
  }

  private async eventsUntil(session: Session, signal: AbortSignal): Promise<EventService> {
    const client = await session.client({ signal, limit: 'each', saysWaiting: this.noticedWaits() })
    return eventService(client, session.clocks(client))
  }

  /** Each wait is a line among the records: one that is drawn over would break them. */
  private noticedWaits(): WaitingPlace | false {
    let isSaid = false
    const place = {
      show: (text: string) => {
        if (!isSaid) this.session.notices.notice(text)
        isSaid = true
      },
      clear: () => {
        isSaid = false
      },
    }
    return canAnimate(this.session.context) && place
  }

  private async haveOwnSandbox(accounts: readonly ListenedAccount[]): Promise<boolean> {
    for (const { session } of accounts) {
      const settings = await session.account.settings({ needsKey: false })
      if (settings.baseUrl !== undefined && !(await session.account.isOwnSandbox(settings))) return false
    }
    return true
  }

  /** Serves the page beside the listener. */
  private async showPage(listener: Listener, account: ListenedAccount | undefined): Promise<Inspector> {
    const settings = await this.session.account.settings()
    const isEmbedded = settings.baseUrl === undefined
    const sandbox = isEmbedded ? await this.session.account.sandbox() : undefined
    const journal = await account?.journals.ifAny()
    const inspector = await openInspector(
      {
        client: await this.session.client({ ...(await pageClient()), limit: 'each' }),
        listener,
        secrets: account?.followed ?? (() => []),
        ...(journal === undefined ? {} : { journal }),
        ...(sandbox === undefined ? {} : { sandbox, control: sandbox.steer }),
      },
      { settings, dataName: await this.session.account.dataName(), config: this.config, notices: this.session.notices },
      { orFreePort: true },
    )
    this.session.onClose(() => inspector.close())
    return inspector
  }
}

/** A listener that does not receive has to forward what others have taken. */
function checkRole(flags: ListenFlags, projectRoutes: Readonly<Record<string, string>>): void {
  if (!flags['no-receive']) return
  if (flags['forward-to'] === undefined && Object.keys(projectRoutes).length === 0)
    throw new UsageError('--no-receive leaves nothing to do without a target.', { hint: 'Add --forward-to URL.' })
}

interface RecordWatcher {
  see(record: ListenerRecord): void
}

/** Delays records until a reader of the ready line cannot miss an event. */
function heldRecords(watchers: readonly RecordWatcher[]) {
  let held: ListenerRecord[] | undefined = []
  const show = (record: ListenerRecord) => {
    for (const watcher of watchers) watcher.see(record)
  }
  return {
    see(record: ListenerRecord) {
      if (held === undefined) show(record)
      else held.push(record)
    },
    /** `uiUrl` is the address of the page, which the ready record names. */
    release(uiUrl: string | undefined) {
      const early = held ?? []
      held = undefined
      for (const record of early) show(record.type === 'ready' && uiUrl !== undefined ? { ...record, uiUrl } : record)
    },
  }
}
