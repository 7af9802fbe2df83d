import { Flags, type Interfaces } from '@oclif/core'
import {
  type ArchiveWriter,
  archivePaths,
  backfillArchive,
  type Filled,
  type FillProgress,
  failureOf,
  fillArchive,
  followArchive,
  openArchive,
  postgresArchive,
  takeOrders,
  warnOf,
} from '../../archive/index.js'
import { createPacer } from '../../client/index.js'
import { briefly } from '../../client/internal.js'
import { DlvError } from '../../contract/index.js'
import { type SyncShown, syncLine, syncView } from '../../render/progress-lines.js'
import { minuteMs } from '../../shared/durations.js'
import { isOutOfRoom } from '../../shared/sqlite.js'
import { sentence } from '../../shared/texts.js'
import { capGarbage, capYoungGeneration } from '../../shared/young-generation.js'
import { archiveService, journalPages } from '../archive/archive-service.js'
import { repeatable } from '../command/write-flags.js'
import { databaseAddress } from '../input/network-addresses.js'
import { parseDurationMs, parseTime } from '../input/times.js'
import { UnknownReferenceError } from '../lookup/errors.js'
import { progressLine } from '../output/notices.js'
import { Outage, patiently, serviceOutage } from '../output/outage.js'
import type { Session } from '../session/session.js'
import { Journals } from '../webhooks/journals.js'

/** Flags of what a run that forgets people does not do. */
const notForgetting = ['backfill', 'follow', 'journal', 'keep'] as const

/** Flags of `sync`. */
export const syncFlags = {
  from: Flags.string({ summary: 'Start of the events', helpValue: 'TIME', default: '30d' }),
  backfill: Flags.string({ summary: 'Fetch older deliveries, back to this time', helpValue: 'TIME' }),
  follow: Flags.boolean({ summary: 'Stay and keep the archive current' }),
  journal: Flags.string({ summary: 'Read the events of a journal, too', helpValue: 'FILE|postgres://…' }),
  to: Flags.string({ summary: 'Copy the archive into a database, too', helpValue: 'postgres://…' }),
  keep: Flags.string({ summary: 'Drop what is older than this', helpValue: 'DURATION' }),
  personal: Flags.boolean({ summary: 'Keep names, phone numbers and addresses (default)', allowNo: true }),
  forget: Flags.string({
    summary: 'Remove personal data of a delivery; repeatable',
    helpValue: 'DELIVERY',
    exclusive: [...notForgetting],
    ...repeatable,
  }),
  older: Flags.string({
    summary: 'Remove personal data older than this',
    helpValue: 'DURATION',
    exclusive: [...notForgetting],
  }),
}

type SyncFlags = Interfaces.InferredFlags<typeof syncFlags>

/**
 * `dlv sync`: open the archive, add what was sent from here, then either forget people, or fetch what is new, copy it to
 * the database of `--to`, and stay if asked to. What a step has written is kept when a later one fails.
 */
export async function sync(session: Session, flags: SyncFlags): Promise<SyncShown> {
  const plan = planOf(flags)
  session.output.checkColumns(syncView, 'older', 'profile')
  const run = await openRun(session, plan)
  takeOrders(run.writer, session.config.dataDir, await session.account.dataName())
  if (plan.forgets) {
    forgetPeople(run)
    await run.copy({ isForgetting: true })
    return show(run, 0)
  }
  const service = await serviceOf(run)
  if (flags.journal !== undefined) await takeJournal(run, flags.journal)
  await fetchNew(run, service)
  if (!run.signal.aborted) await run.copy()
  if (!flags.follow || run.signal.aborted) return show(run, service.requests())
  await follow(run, service)
  return resultOf(run, service.requests())
}

/** What the flags ask for, read before anything is opened. */
interface SyncPlan {
  flags: SyncFlags
  /** The address of the database to copy to. */
  to: string | undefined
  keepMs: number | undefined
  olderMs: number | undefined
  forgets: boolean
}

function planOf(flags: SyncFlags): SyncPlan {
  const durationOf = (text: string | undefined, flag: string) =>
    text === undefined ? undefined : parseDurationMs(text, flag)
  const olderMs = durationOf(flags.older, '--older')
  return {
    flags,
    to: flags.to === undefined ? undefined : databaseAddress(flags.to),
    keepMs: durationOf(flags.keep, '--keep'),
    olderMs,
    forgets: flags.forget !== undefined || olderMs !== undefined,
  }
}

/** A sync under way. */
interface SyncRun extends SyncPlan {
  session: Session
  writer: ArchiveWriter
  progress: ReturnType<typeof progressLine>
  /** Aborted by SIGINT or SIGTERM: the step under way ends, and no other begins. */
  signal: AbortSignal
  /** Copies what has changed to the database of `--to`, if there is one. */
  copy(how?: { isForgetting: boolean }): Promise<void>
  /** Events added since the start. */
  added: number
}

async function openRun(session: Session, plan: SyncPlan): Promise<SyncRun> {
  const paths = archivePaths(session.config.dataDir, await session.account.dataName())
  const signal = session.takeSignals()
  const progress = progressLine(session.context)
  session.onClose(() => progress.clear())
  let failed: unknown
  const onWait = ({ pid }: { pid: number }) => {
    session.notices.notice(`Waiting for process ${pid}, which is writing ${paths.archive}.`)
    serviceFailure(session).then((failure) => {
      if (failure === undefined) return
      failed = failure.failed
      const what = failed instanceof Error ? failed.message : String(failed)
      session.notices.warn(`The service cannot be read meanwhile: ${sentence(what)}`)
    })
  }
  const lock = { personal: plan.flags.personal, nowMs: session.context.nowMs, signal, onWait }
  const writer = await openArchive(paths, lock).catch((error: unknown) => {
    // Where the other one cannot read the service either, that is the reason to tell.
    throw failed ?? error
  })
  session.onClose(() => writer.close())
  const opened = { ...plan, session, writer, progress, signal, added: 0 }
  const copy: SyncRun['copy'] = plan.to === undefined ? () => Promise.resolve() : await copierTo(plan.to, opened)
  return { ...opened, copy }
}

/** How the service fails now, if it does, for a run that waits. */
async function serviceFailure(session: Session): ReturnType<typeof failureOf> {
  const client = await session.client(briefly)
  return failureOf(archiveService(client, session.clocks(client)))
}

async function copierTo(
  to: string,
  { session, writer, progress, signal }: Omit<SyncRun, 'copy'>,
): Promise<SyncRun['copy']> {
  const { copyArchive } = await postgresArchive()
  const { databaseAccount } = await import('../accounts/database-account.js')
  const identity = await session.account.identity()
  const { apiKey } = await session.account.settings()
  const account = databaseAccount(identity, apiKey)
  const onProgress = (rows: number) => progress.show(`${rows.toLocaleString('en-US')} rows copied`)
  const known = { to, env: session.context.env, account, name: identity.label, signal, onProgress }
  let isAgain = false
  return async ({ isForgetting } = { isForgetting: false }) => {
    await copyArchive(writer, { ...known, isForgetting, isAgain })
    isAgain = true
    progress.clear()
  }
}

function forgetPeople({ session, writer, flags, olderMs }: SyncRun): void {
  const deliveryIds = (flags.forget ?? []).flatMap((name) => {
    const ids = writer.idsOf(name)
    if (ids.length > 0) return ids
    if (name.startsWith('del_')) return [name]
    throw new UnknownReferenceError(name.slice(0, 80), 'in the archive')
  })
  let count = deliveryIds.length === 0 ? 0 : writer.forget({ deliveryIds })
  if (olderMs !== undefined) count += writer.forget({ beforeMs: session.nowMs() + writer.clockAheadMs() - olderMs })
  session.notices.notice(`Removed the personal data of ${count} ${count === 1 ? 'delivery' : 'deliveries'}.`)
}

/** The service, and whether it has answered this run. */
type Service = ReturnType<typeof archiveService> & { isKnown(): boolean }

async function serviceOf({ session, signal }: SyncRun): Promise<Service> {
  if (session.context.ownsHeap) {
    capYoungGeneration(8_388_608)
    capGarbage()
  }
  const client = await session.client({ limit: 'listing', pacer: createPacer(), timeoutMs: 0, signal })
  const isKnown = () => client.serviceNowMs() !== undefined
  return { ...archiveService(client, session.clocks(client, patiently)), isKnown }
}

function warningOf({ session, progress }: SyncRun): (text: string) => void {
  return (text) => {
    progress.clear()
    session.notices.warn(text)
  }
}

async function takeJournal(run: SyncRun, place: string): Promise<void> {
  for await (const events of journalPages(await new Journals(run.session, place).open())) {
    const page = run.writer.write(events, 'journal')
    run.added += page.added
    warnOf(page, warningOf(run))
  }
}

/** What both a first fetch and a following one are told. */
function fillOf(run: SyncRun) {
  return {
    nowMs: run.session.context.nowMs,
    fromMs: (nowMs: number) => Date.parse(parseTime(run.flags.from, '--from', nowMs)),
    onWarning: warningOf(run),
    signal: run.signal,
  }
}

/** The events since the last sync, and the deliveries from before them. Outages are waited out by `--follow`. */
async function fetchNew(run: SyncRun, service: Service): Promise<void> {
  const { session, writer, progress, signal, flags, keepMs } = run
  const startedMs = performance.now()
  const showing = (what: string) => (at: FillProgress) => progress.show(progressText(what, at, startedMs))
  const outage = await serviceOutage(session)
  const patience = { isKnown: () => flags.follow && service.isKnown(), signal }
  const first = () => fillArchive(writer, service, { ...fillOf(run), onProgress: showing('events') })
  run.added += (await outage.waitFor(first, patience)).added
  if (flags.backfill !== undefined && !signal.aborted) {
    const fromMs = Date.parse(parseTime(flags.backfill, '--backfill', await service.nowMs()))
    const backfill = { fromMs, onProgress: showing('deliveries'), onWarning: warningOf(run), signal }
    await outage.waitFor(() => backfillArchive(writer, service, backfill), patience)
  }
  if (keepMs !== undefined && !signal.aborted) writer.drop((await service.nowMs()) - keepMs)
  progress.clear()
}

/** Keeps the archive current until a signal, and prints once a minute what came. */
async function follow(run: SyncRun, service: Service): Promise<void> {
  const { session, writer, keepMs } = run
  const fill = fillOf(run)
  const account = await session.account.dataName()
  let told = await tell(session, resultOf(run, service.requests()))
  let toldMs = performance.now()
  const outage = await serviceOutage(session)
  const copyPatiently = patientCopy(run)
  const onFilled = async ({ added }: Filled) => {
    outage.ended()
    run.added += added
    // Orders that commands beside this one have sent meanwhile.
    takeOrders(writer, session.config.dataDir, account)
    await copyPatiently()
    if (performance.now() - toldMs < minuteMs) return
    toldMs = performance.now()
    const now = resultOf(run, service.requests())
    await tell(session, {
      ...now,
      events: now.events - told.events,
      deliveries: now.deliveries - told.deliveries,
      requests: now.requests - told.requests,
    })
    told = now
    if (keepMs !== undefined) writer.drop(fill.nowMs() + writer.clockAheadMs() - keepMs)
  }
  await followArchive(writer, service, { ...fill, onFilled, onError: (error) => outlast(error, outage) })
}

/** Copies to the database of `--to`; while it is away, the archive is still filled. */
function patientCopy(run: SyncRun): () => Promise<void> {
  const outage = new Outage(run.session.notices)
  return () =>
    run.copy().then(
      () => outage.ended(),
      (error) => outlast(error, outage, 'The database answers again'),
    )
}

function outlast(error: unknown, outage: Outage, over?: string): void {
  const isFull = isOutOfRoom(error)
  if (!isFull && (!(error instanceof DlvError) || error.kind === 'usage')) throw error
  outage.began(error, isFull ? 'There is room on the disk again' : over)
}

async function tell({ output }: Session, shown: SyncShown): Promise<SyncShown> {
  if (output.isJson) await output.record(shown)
  else await output.text(syncLine(shown, output.styleNow()))
  return shown
}

async function show(run: SyncRun, requests: number): Promise<SyncShown> {
  const result = resultOf(run, requests)
  await run.session.show(syncView, result)
  return result
}

function resultOf({ writer, added }: SyncRun, requests: number): SyncShown {
  const covered = writer.coverage('events')
  const fromMs = covered?.fromMs ?? 0
  const older = writer.periods.filter((period) => period.toMs < fromMs)
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  return {
    events: added,
    deliveries: writer.newDeliveries,
    requests,
    from: time(covered?.fromMs),
    to: time(covered?.toMs),
    ...(older.length > 0 && {
      older: older.map((one) => ({ from: new Date(one.fromMs).toISOString(), to: new Date(one.toMs).toISOString() })),
    }),
  }
}

function progressText(what: string, { added, atMs, fromMs, toMs }: FillProgress, startedMs: number): string {
  const done = toMs > fromMs ? Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs))) : 1
  const leftMs = done > 0 ? ((performance.now() - startedMs) * (1 - done)) / done : undefined
  const left = leftMs === undefined ? '' : `, about ${Math.ceil(leftMs / 1_000)} s left`
  return `${added.toLocaleString('en-US')} ${what}, ${Math.floor(done * 100)} %${left}`
}
