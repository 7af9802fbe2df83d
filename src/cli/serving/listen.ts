import { type DlvError, UsageError } from '../../contract/index.js'
import type { Listener, ListenerRecord } from '../../listener/index.js'
import { secretCountLine } from '../../render/listener-lines.js'
import { targetName } from '../../shared/target-name.js'
import type { Inspector } from '../../ui/index.js'
import { sayOthers } from '../accounts/journal-account.js'
import { type EventService, eventService } from '../events/event-service.js'
import { canReadKeys } from '../input/keyboard.js'
import type { WaitingPlace } from '../output/waiting-line.js'
import { exitCodes } from '../process/exit-codes.js'
import { canAnimate } from '../process/terminal.js'
import type { Session } from '../session/session.js'
import { openInspector, openInspectorOfSeveral, pageClient } from '../ui/inspector.js'
import { attachKeys, listenKeys } from '../webhooks/hotkeys.js'
import { badAnswersOf, type ListenFlags, parseRoutes } from '../webhooks/listen-flags.js'
import { preparePull } from '../webhooks/listen-pull.js'
import {
  expectationOf,
  heldRecords,
  listenUntil,
  openListener,
  reachAdvice,
  typesOf,
  waitingNotices,
} from '../webhooks/listen-run.js'
import { ListenScreen } from '../webhooks/listen-screen.js'
import { type ListenedAccount, ListenedAccounts } from '../webhooks/listened-accounts.js'
import { registerWithSandbox, routesOfProject } from '../webhooks/session-listener.js'
import { pageAccount } from './page-accounts.js'

/**
 * `webhooks listen`: find out whose events are taken, open the listener, say what waits, let senders and the page reach it,
 * fetch what was missed, and listen until a signal, the end of `--exec`, or what `--expect` waits for. No record is shown
 * before the ready line.
 */
export async function listen(
  session: Session,
  profiles: readonly string[] | undefined,
  flags: ListenFlags,
): Promise<void> {
  const run = await openRun(session, profiles, flags)
  const { listener, served, expected, signal } = run
  await sayWaiting(run)
  const posted = await register(run)
  const inspector = flags.ui ? await showPage(run) : undefined
  if (inspector !== undefined) run.watch((record) => inspector.see(served.shown(record)))
  const isFetching = flags.pull || flags.since !== undefined
  const fetchings = isFetching ? await Promise.all(served.accounts.map((one) => fetching(run, one))) : []
  run.release(inspector?.url)
  takeKeys(run)
  await sayReach(run, posted)
  await Promise.all(fetchings.map((fetchMissed) => fetchMissed()))
  const code = await listenUntil(session.context, listener, served.variable, expected, flags.exec, signal)
  await sayEnd(run, code)
  session.endWith(code)
}

/** A listener that is open, with the accounts that it serves and those who are told of its records. */
interface ListenRun {
  session: Session
  flags: ListenFlags
  served: ListenedAccounts
  listener: Listener
  /** Where the journal is: of a shared one, nothing is said to wait. */
  journal: ReturnType<ListenedAccounts['listenerParts']>['journal']
  screen: ListenScreen
  expected: ReturnType<typeof expectationOf>
  keys: ReturnType<typeof listenKeys>
  badAnswers: ReturnType<typeof badAnswersOf>
  /** The time in which the journal cannot be written. */
  journalOutage: ReturnType<typeof journalOutageOf>
  /** Names of the targets of forwards. */
  targets: readonly string[]
  signal: AbortSignal
  stop(): void
  /** Adds one who is told of records from now on. */
  watch(see: (record: ListenerRecord) => void): void
  /** Shows the records so far; `uiUrl` is the address of the page, which the ready record names. */
  release(uiUrl: string | undefined): void
}

async function openRun(
  session: Session,
  profiles: readonly string[] | undefined,
  flags: ListenFlags,
): Promise<ListenRun> {
  const { notices } = session
  const badAnswers = badAnswersOf(flags)
  const stop = new AbortController()
  const signal = AbortSignal.any([session.takeSignals(), stop.signal])
  const served = await ListenedAccounts.open(session, profiles, flags)
  const { accounts, areSeveral } = served
  const projectRoutes = await routesOfProject(accounts[0]?.session ?? session, flags['forward-to'])
  checkRole(flags, projectRoutes)
  const screen = new ListenScreen(session.output, {
    types: typesOf(flags.events, notices),
    forwards: flags['forward-to'] !== undefined || Object.keys(projectRoutes).length > 0,
    unmask: flags.unmask,
    profiles: areSeveral ? accounts.map(({ name }) => name) : [],
    backlog: () => listener.backlog(),
    onFailure: () => stop.abort(),
  })
  const [expected, keys] = [expectationOf(flags, notices), listenKeys()]
  const hasKeys = canReadKeys(session.context, session.flags['no-input'])
  const watchers: RecordWatcher[] = [{ see: (record) => screen.see(served.shown(record)) }, expected]
  if (hasKeys) watchers.push(keys)
  const records = heldRecords<ListenerRecord>()
  session.onClose(() => screen.drained())
  const parts = served.listenerParts()
  const journalOutage = journalOutageOf(session)
  const listener = await openListener(session.context, flags, {
    ...parts,
    env: session.context.env,
    projectRoutes,
    routeAccounts: accounts,
    badAnswers,
    onRecord: (record) => {
      served.seen(record)
      records.see(record)
    },
    isBehind: () => screen.isBehind(),
    onFailure: () => stop.abort(),
    onOutage: journalOutage.told,
  })
  session.onClose(() => listener.close())
  session.onClose((error) => served.close(error))
  const routes = parseRoutes(flags['forward-to'] ?? [], projectRoutes, undefined, accounts)
  const [targets, journal] = [routes.map(({ url }) => targetName(url)), parts.journal]
  const watch = (see: RecordWatcher['see']) => void watchers.push({ see })
  const release = (uiUrl: string | undefined) =>
    records.release((record) => {
      const shown = record.type === 'ready' && uiUrl !== undefined ? { ...record, uiUrl } : record
      for (const watcher of watchers) watcher.see(shown)
    })
  const tools = { stop: () => stop.abort(), watch, release }
  const parties = { screen, expected, keys, badAnswers, journalOutage, targets }
  return { session, flags, served, listener, journal, signal, ...parties, ...tools }
}

/** Says once when the journal cannot be written, and when it can again; what says it is loaded then. */
function journalOutageOf({ notices }: Session) {
  let isAway = false
  let outage: Promise<{ began(error: unknown, over: string, meanwhile: string): void; ended(): void }> | undefined
  return {
    isUnderWay: () => isAway,
    told: (failure: DlvError | undefined) => {
      isAway = failure !== undefined
      outage ??= import('../output/outage.js').then(({ Outage }) => new Outage(notices))
      void outage.then((known) => {
        if (failure === undefined) known.ended()
        else known.began(failure, 'The journal can be written again', 'Webhooks are answered 503 until it can')
      })
    },
  }
}

/** What waits in the journal from before, and what is done on purpose. */
async function sayWaiting({ session, flags, listener, journal, badAnswers, targets }: ListenRun): Promise<void> {
  const { notices, config } = session
  await sayOthers(listener, config.dataDir, notices)
  for (const text of await waitingNotices(listener, journal, targets)) notices.notice(text)
  if (badAnswers !== undefined && flags['answer-seed'] === undefined)
    notices.notice(`Failing on purpose; --answer-seed ${badAnswers.seed} chooses the same webhooks again.`)
}

/** Lets the sandboxes of this user post here, and says for each account whether one does. */
async function register({ flags, listener, served }: ListenRun): Promise<boolean[]> {
  const posted: boolean[] = []
  for (const account of flags['no-receive'] ? [] : served.accounts)
    posted.push(await registerWithSandbox(listener, account))
  return posted
}

function takeKeys({ session, flags, served, listener, screen, keys, stop }: ListenRun): void {
  const { notices, output } = session
  const hands = {
    listener,
    screen,
    style: () => output.styleNow(),
    unmask: flags.unmask,
    say: (text: string) => notices.print(text),
    onError: (error: unknown) => notices.warnOf(error),
    counts: () => secretCountLine(served.named(listener.countBySecret())),
    quit: stop,
  }
  session.onClose(attachKeys(session.context, keys, hands, session.flags['no-input']))
}

/** How senders reach this listener, and which secrets the apps behind it need. */
async function sayReach(
  { session, flags, served, listener, targets }: ListenRun,
  posted: readonly boolean[],
): Promise<void> {
  if (session.output.isJson) return
  const { accounts } = served
  if (posted.includes(false) && !flags.pull)
    session.notices.notice(reachAdvice(listener.url, await haveOwnSandbox(accounts)))
  if (targets.length === 0) return
  for (const { session: own, secretsOf, secrets } of accounts) own.notices.notice(await secretsOf.ofApps(secrets))
}

async function sayEnd({ session, served, listener, journal, expected }: ListenRun, code: number): Promise<void> {
  const { notices } = session
  const missing = expected.missing()
  if (code === exitCodes.otherOutcome && missing !== '') notices.warn(`Timed out: ${missing}.`)
  for (const text of await waitingNotices(listener, journal)) notices.notice(text)
  const counts = listener.countBySecret()
  if (counts.length > 1) notices.notice(secretCountLine(served.named(counts)))
}

/** Prepares to fetch an account's events, by its own client and from its own position. */
async function fetching({ flags, listener, signal, session: run, journalOutage }: ListenRun, account: ListenedAccount) {
  const { session, mark, followed } = account
  const { Outage } = await import('../output/outage.js')
  return preparePull(flags, {
    service: await eventsUntil(run, session, signal),
    nowMs: session.context.nowMs,
    listener,
    secrets: followed,
    account: mark,
    outage: new Outage(session.notices),
    onError: (error) => {
      // That the journal cannot be written is said once.
      if (!journalOutage.isUnderWay()) session.notices.warnOf(error)
    },
    signal,
  })
}

async function eventsUntil(run: Session, session: Session, signal: AbortSignal): Promise<EventService> {
  const client = await session.client({ signal, limit: 'each', saysWaiting: noticedWaits(run) })
  return eventService(client, session.clocks(client))
}

/** Each wait is a line among the records: one that is drawn over would break them. */
function noticedWaits({ context, notices }: Session): WaitingPlace | false {
  let isSaid = false
  const place = {
    show: (text: string) => {
      if (!isSaid) notices.notice(text)
      isSaid = true
    },
    clear: () => {
      isSaid = false
    },
  }
  return canAnimate(context) && place
}

async function haveOwnSandbox(accounts: readonly ListenedAccount[]): Promise<boolean> {
  for (const { session } of accounts) {
    const settings = await session.account.settings({ needsKey: false })
    if (settings.baseUrl !== undefined && !(await session.account.isOwnSandbox(settings))) return false
  }
  return true
}

/** Serves the page beside the listener: that of the account, or of all that are listened for. */
async function showPage(run: ListenRun): Promise<Inspector> {
  const inspector = run.served.areSeveral ? await pageOfSeveral(run) : await pageOfOne(run)
  run.session.onClose(() => inspector.close())
  return inspector
}

async function pageOfSeveral({ session, listener, served, flags }: ListenRun): Promise<Inspector> {
  const all = served.accounts.map(async (listened) =>
    pageAccount(listened.session, { profile: listened.name, journal: flags.journal, listened, listener }),
  )
  const accounts = (await Promise.all(all)).map(({ account }) => account)
  return openInspectorOfSeveral({ accounts, unopened: [], notices: session.notices }, { orFreePort: true })
}

async function pageOfOne({ session, listener, served }: ListenRun): Promise<Inspector> {
  const [account] = served.accounts
  const settings = await session.account.settings()
  const isEmbedded = settings.baseUrl === undefined
  const sandbox = isEmbedded ? await session.account.sandbox() : undefined
  const journal = await account?.journals.ifAny()
  return openInspector(
    {
      client: await session.client({ ...(await pageClient()), limit: 'each' }),
      listener,
      secrets: account?.followed ?? (() => []),
      ...(journal === undefined ? {} : { journal }),
      ...(sandbox === undefined ? {} : { sandbox, control: sandbox.steer }),
    },
    { settings, dataName: await session.account.dataName(), config: session.config, notices: session.notices },
    { orFreePort: true },
  )
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
