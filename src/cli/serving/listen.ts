import { type DlvError, UsageError } from '../../contract/index.js'
import type { Listener } from '../../listener/index.js'
import { secretCountLine } from '../../render/listener-lines.js'
import { targetName } from '../../shared/target-name.js'
import type { Inspector } from '../../ui/index.js'
import { sayOthers } from '../accounts/journal-account.js'
import { rowErrorInFlags } from '../errors/flag-words.js'
import type { EventService } from '../events/event-service.js'
import type { WaitingPlace } from '../output/waiting-line.js'
import { exitCodes } from '../process/exit-codes.js'
import { canAnimate } from '../process/terminal.js'
import type { Session } from '../session/session.js'
import { openInspector } from '../ui/inspector.js'
import { ListenAudience } from '../webhooks/listen-audience.js'
import { badAnswersOf, type ListenFlags, parseRoutes } from '../webhooks/listen-flags.js'
import { preparePull } from '../webhooks/listen-pull.js'
import { listenUntil, openListener, reachAdvice, waitingNotices } from '../webhooks/listen-run.js'
import { type ListenedAccount, ListenedAccounts } from '../webhooks/listened-accounts.js'
import { registerWithSandbox, routesOfProject } from '../webhooks/listener-account.js'
import { pageAccount } from './page-accounts.js'

/**
 * `webhooks listen`: find out whose events are taken and where they are forwarded, open the listener, say what waits from
 * before, let senders and the page reach it, show its records from the ready line on, fetch what was missed, and listen
 * until a signal, the end of `--exec`, or what `--expect` waits for.
 */
export async function listen(
  session: Session,
  profiles: readonly string[] | undefined,
  flags: ListenFlags,
): Promise<void> {
  const run = await prepareRun(session, profiles, flags)
  const { audience, served } = run
  const listener = await open(run)
  await sayWaiting(run, listener)
  const posted = await register(run, listener)
  const page = flags.ui ? await showPage(run, listener) : undefined
  const isFetching = flags.pull || flags.since !== undefined
  const fetchings = isFetching ? await Promise.all(served.accounts.map((one) => fetching(run, listener, one))) : []
  audience.release(page)
  audience.takeKeys(listener)
  await sayReach(run, listener, posted)
  await Promise.all(fetchings.map((fetchMissed) => fetchMissed()))
  const code = await listenUntil(session.context, listener, served.variable, audience.expected, flags.exec, run.signal)
  await sayEnd(run, listener, code)
  session.endWith(code)
}

/** What a listener is opened with. */
interface ListenRun {
  session: Session
  flags: ListenFlags
  /** The accounts whose events are taken. */
  served: ListenedAccounts
  /** Routes of the project file. */
  projectRoutes: Readonly<Record<string, string>>
  /** Names of the targets of forwards. */
  targets: readonly string[]
  /** Responses that fail on purpose. */
  badAnswers: ReturnType<typeof badAnswersOf>
  /** The time in which the journal cannot be written. */
  journalOutage: ReturnType<typeof journalOutageOf>
  audience: ListenAudience
  /** Ends the listener: a signal, the keys, or a screen that cannot be written. */
  signal: AbortSignal
  stop(): void
}

async function prepareRun(
  session: Session,
  profiles: readonly string[] | undefined,
  flags: ListenFlags,
): Promise<ListenRun> {
  const ending = new AbortController()
  const stop = () => ending.abort()
  const signal = AbortSignal.any([session.takeSignals(), ending.signal])
  const badAnswers = badAnswersOf(flags)
  const served = await ListenedAccounts.open(session, profiles, flags)
  const projectRoutes = await routesOfProject(served.accounts[0]?.session ?? session, flags['forward-to'])
  const forwards = flags['forward-to'] !== undefined || Object.keys(projectRoutes).length > 0
  if (flags['no-receive'] && !forwards)
    throw new UsageError('--no-receive leaves nothing to do without a target.', { hint: 'Add --forward-to URL.' })
  const audience = new ListenAudience(session, served, flags, { forwards, stop })
  const routes = parseRoutes(flags['forward-to'] ?? [], projectRoutes, undefined, served.accounts)
  const targets = routes.map(({ url }) => targetName(url))
  const journalOutage = journalOutageOf(session)
  return { session, flags, served, projectRoutes, targets, badAnswers, journalOutage, audience, signal, stop }
}

/** Opens the listener, which is closed before the accounts are. */
async function open(run: ListenRun): Promise<Listener> {
  const { session, flags, served, audience } = run
  const listener = await openListener(session.context, flags, {
    ...served.listenerParts(),
    env: session.context.env,
    projectRoutes: run.projectRoutes,
    routeAccounts: served.accounts,
    badAnswers: run.badAnswers,
    onRecord(record) {
      served.seen(record)
      audience.see(record.type === 'rejected' ? rowErrorInFlags(record) : record)
    },
    isBehind: () => audience.screen.isBehind(),
    onFailure: run.stop,
    onOutage: run.journalOutage.told,
  })
  session.onClose(() => listener.close())
  session.onClose((error) => served.close(error))
  return listener
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
async function sayWaiting(run: ListenRun, listener: Listener): Promise<void> {
  const { session, flags, badAnswers } = run
  const { notices, config } = session
  await sayOthers(listener, config.dataDir, notices)
  for (const text of await waitingNotices(listener, journalOf(run), run.targets)) notices.notice(text)
  if (badAnswers !== undefined && flags['answer-seed'] === undefined)
    notices.notice(`Failing on purpose; --answer-seed ${badAnswers.seed} chooses the same webhooks again.`)
}

/** Where the journal is: of a shared one, nothing is said to wait. */
const journalOf = ({ served }: ListenRun) => served.listenerParts().journal

/** Lets the sandboxes of this user post here, and says for each account whether one does. */
async function register({ flags, served }: ListenRun, listener: Listener): Promise<boolean[]> {
  const posted: boolean[] = []
  for (const account of flags['no-receive'] ? [] : served.accounts)
    posted.push(await registerWithSandbox(listener, account))
  return posted
}

/** Serves the page beside the listener: that of the account, or of all that are listened for. */
async function showPage({ session, served }: ListenRun, listener: Listener): Promise<Inspector> {
  const all = served.accounts.map((listened) => pageAccount(listened.session, { listened, listener }))
  const accounts = (await Promise.all(all)).map(({ account }) => account)
  const page = { accounts, areSeveral: served.areSeveral, unopened: [], notices: session.notices }
  const inspector = await openInspector(page, { orFreePort: true })
  session.onClose(() => inspector.close())
  return inspector
}

/** Prepares to fetch an account's events, by its own client and from its own position. */
async function fetching(run: ListenRun, listener: Listener, account: ListenedAccount) {
  const { flags, signal, journalOutage } = run
  const { session, mark, followed } = account
  const { serviceOutage } = await import('../output/outage.js')
  return preparePull(flags, {
    service: await eventsUntil(run.session, session, signal),
    nowMs: session.context.nowMs,
    listener,
    secrets: followed,
    account: mark,
    outage: await serviceOutage(session),
    onError: (error) => {
      // That the journal cannot be written is said once.
      if (!journalOutage.isUnderWay()) session.notices.warnOf(error)
    },
    signal,
  })
}

async function eventsUntil(run: Session, session: Session, signal: AbortSignal): Promise<EventService> {
  const client = await session.client({ signal, limit: 'each', saysWaiting: noticedWaits(run) })
  const { eventService } = await import('../events/event-service.js')
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

/** How senders reach this listener, and which secrets the apps behind it need. */
async function sayReach(
  { session, flags, served, targets }: ListenRun,
  listener: Listener,
  posted: readonly boolean[],
): Promise<void> {
  if (session.output.isJson) return
  const { accounts } = served
  if (posted.includes(false) && !flags.pull)
    session.notices.notice(reachAdvice(listener.url, await haveOwnSandbox(accounts)))
  if (targets.length === 0) return
  for (const { session: own, secretsOf, secrets } of accounts) own.notices.notice(await secretsOf.ofApps(secrets))
}

async function haveOwnSandbox(accounts: readonly ListenedAccount[]): Promise<boolean> {
  for (const { session } of accounts) {
    const settings = await session.account.settings({ needsKey: false })
    if (settings.baseUrl !== undefined && !(await session.account.isOwnSandbox(settings))) return false
  }
  return true
}

async function sayEnd(run: ListenRun, listener: Listener, code: number): Promise<void> {
  const { session, served, audience } = run
  const { notices } = session
  const missing = audience.expected.missing()
  if (code === exitCodes.otherOutcome && missing !== '') notices.warn(`Timed out: ${missing}.`)
  for (const text of await waitingNotices(listener, journalOf(run))) notices.notice(text)
  const counts = listener.countBySecret()
  if (counts.length > 1) notices.notice(secretCountLine(served.named(counts)))
}
