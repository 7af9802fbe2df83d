import { sayOthers } from '../../cli/accounts/journal-account.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { type EventService, eventService } from '../../cli/events/event-service.js'
import type { WaitingPlace } from '../../cli/output/waiting-line.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { canAnimate } from '../../cli/process/terminal.js'
import { openInspector, pageClient } from '../../cli/ui/inspector.js'
import { attachKeys, listenKeys } from '../../cli/webhooks/hotkeys.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { badAnswersOf, type ListenFlags, listenFlags, parseRoutes } from '../../cli/webhooks/listen-flags.js'
import { openListener, reachAdvice, typesOf } from '../../cli/webhooks/listen-open.js'
import { preparePull } from '../../cli/webhooks/listen-pull.js'
import { expectationOf, listenUntil, waitingNotices } from '../../cli/webhooks/listen-run.js'
import { ListenScreen } from '../../cli/webhooks/listen-screen.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { listenAs, registerWithSandbox, routesOfProject } from '../../cli/webhooks/session-listener.js'
import { UsageError } from '../../contract/index.js'
import type { Listener, ListenerRecord } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { secretCountLine } from '../../render/listener-lines.js'
import { shownUrl } from '../../shared/web-address.js'
import type { Inspector } from '../../ui/index.js'

export default class Listen extends BaseCommand {
  static override summary = 'Receive, verify, store and forward webhooks.'
  static override description =
    'Each webhook is on disk before it is acknowledged. With the local profile, the embedded sandbox posts here automatically, also for commands in other processes. --exec runs its command with DLV_WEBHOOK_URL and DLV_WEBHOOK_SECRET. Exits 130 on Ctrl-C, 143 on SIGTERM, 129 if its terminal is closed, 9 if --expect was not met.'
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --show-response',
    '<%= config.bin %> webhooks listen --pull --since 2h',
    '<%= config.bin %> webhooks listen --journal postgres://dlv@one:5432,two:5432/dlv --admin-port 9090',
    '<%= config.bin %> webhooks listen --answer 500@30% --answer reset@5% --answer-delay 12s@10%',
    "<%= config.bin %> webhooks listen --expect delivery.delivered --within 60s --exec 'npm test'",
    '<%= config.bin %> webhooks listen --jq \'select(.type == "event").eventType\'',
  ]
  static override flags = listenFlags

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    const badAnswers = badAnswersOf(flags)
    const stop = new AbortController()
    const signal = AbortSignal.any([this.session.takeSignals(), stop.signal])
    const secrets = await this.secrets.given(flags['secret-file'], flags['allow-weak-secret'])
    const followed = await this.secrets.followed(secrets)
    const projectRoutes = await routesOfProject(this.session, flags['forward-to'])
    checkRole(flags, projectRoutes)
    const screen = new ListenScreen(this.session.output, {
      types: typesOf(flags.events, this.session.notices),
      forwards: flags['forward-to'] !== undefined || Object.keys(projectRoutes).length > 0,
      unmask: flags.unmask,
      backlog: () => listener.backlog(),
      onFailure: () => stop.abort(),
    })
    const [expected, keys] = [expectationOf(flags, this.session.notices), listenKeys()]
    const onError = (error: unknown) => this.session.notices.warnOf(error)
    const watchers: RecordWatcher[] = [screen, expected, keys]
    const records = heldRecords(watchers)
    this.session.onClose(() => screen.drained())
    const { mark, keepSecret } = await listenAs(this.session, { secrets, followed, journals: this.journals })
    const journal = await this.journals.place()
    const listener = await openListener(this.session.context, flags, {
      secrets: followed,
      account: mark,
      otherSecrets: this.secrets.foreign(secrets),
      journal,
      env: this.session.context.env,
      projectRoutes,
      badAnswers,
      onRecord: (record) => {
        if (record.type === 'event' && record.source === 'webhook') keepSecret(record.secret)
        records.see(withoutAccount(record))
      },
      isBehind: () => screen.isBehind(),
      onFailure: () => stop.abort(),
    })
    this.session.onClose(() => listener.close())
    const targets = parseRoutes(flags['forward-to'] ?? [], projectRoutes, undefined).map(({ url }) => shownUrl(url))
    await sayOthers(listener, this.config.dataDir, this.session.notices)
    for (const text of await waitingNotices(listener, journal, targets)) this.session.notices.notice(text)
    if (badAnswers !== undefined && flags['answer-seed'] === undefined)
      this.session.notices.notice(
        `Failing on purpose; --answer-seed ${badAnswers.seed} chooses the same webhooks again.`,
      )
    const say = (text: string) => this.session.notices.print(text)
    const hands = {
      listener,
      screen,
      style: () => this.session.output.styleNow(),
      unmask: flags.unmask,
      say,
      onError,
      quit: () => stop.abort(),
    }
    const isReceiving = !flags['no-receive']
    const isPosted =
      isReceiving && (await registerWithSandbox(this.session, listener, secrets, this.secrets.isOfSandbox(secrets)))
    const inspector = flags.ui ? await this.showPage(listener, followed) : undefined
    if (inspector !== undefined) watchers.push(inspector)
    const isFetching = flags.pull || flags.since !== undefined
    const fetchMissed = isFetching
      ? await preparePull(flags, {
          service: await this.eventsUntil(signal),
          nowMs: this.session.context.nowMs,
          listener,
          secrets: followed,
          account: await this.session.account.dataName(),
          outage: await this.outage(),
          onError,
          signal,
        })
      : undefined
    records.release(inspector?.url)
    this.session.onClose(attachKeys(this.session.context, keys, hands, this.session.flags['no-input']))
    if (isReceiving && !isPosted && !flags.pull && !this.session.output.isJson)
      this.session.notices.notice(reachAdvice(listener.url, await this.hasOwnSandbox()))
    if (targets.length > 0 && !this.session.output.isJson)
      this.session.notices.notice(await this.secrets.ofApps(secrets))
    await fetchMissed?.()
    const code = await listenUntil(this.session.context, listener, secrets, expected, flags.exec, signal)
    const missing = expected.missing()
    if (code === exitCodes.otherOutcome && missing !== '') this.session.notices.warn(`Timed out: ${missing}.`)
    for (const text of await waitingNotices(listener, journal)) this.session.notices.notice(text)
    const counts = listener.countBySecret()
    if (counts.length > 1) this.session.notices.notice(secretCountLine(counts))
    this.session.endWith(code)
  }

  private async outage() {
    const { Outage } = await import('../../cli/output/outage.js')
    return new Outage(this.session.notices)
  }

  private async eventsUntil(signal: AbortSignal): Promise<EventService> {
    const client = await this.session.client({ signal, limit: 'each', saysWaiting: this.noticedWaits() })
    return eventService(client, this.session.clocks(client))
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

  private async hasOwnSandbox(): Promise<boolean> {
    const settings = await this.session.account.settings({ needsKey: false })
    return settings.baseUrl !== undefined && this.session.account.isOwnSandbox(settings)
  }

  /** Serves the page beside the listener. */
  private async showPage(listener: Listener, secrets: () => readonly NamedSecret[]): Promise<Inspector> {
    const settings = await this.session.account.settings()
    const isEmbedded = settings.baseUrl === undefined
    const sandbox = isEmbedded ? await this.session.account.sandbox() : undefined
    const journal = await this.journals.ifAny()
    const inspector = await openInspector(
      {
        client: await this.session.client({ ...(await pageClient()), limit: 'each' }),
        listener,
        secrets,
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

/** The mark of the account is no business of readers. */
function withoutAccount(record: ListenerRecord): ListenerRecord {
  if (!('account' in record)) return record
  const { account: _, ...shown } = record
  return shown
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
