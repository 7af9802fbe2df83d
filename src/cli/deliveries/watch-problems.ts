import type { ArchiveReader } from '../../archive/index.js'
import { DlvError } from '../../contract/index.js'
import type { AccountChips } from '../../render/account-chip.js'
import { type BoardOrder, type BoardRow, boardRow } from '../../render/board-view.js'
import { plainText } from '../../render/plain-text.js'
import { withProfile } from '../../render/view.js'
import { clockText } from '../../render/words.js'
import { dayMs } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import { openCurrent } from '../archive/current.js'
import { ExecRuns, type notifications, ofAccount } from '../events/notify.js'
import { parseDurationMs } from '../input/times.js'
import { serviceOutage } from '../output/outage.js'
import type { AccountSession } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { judgedOrders, readOrders } from './judged-orders.js'
import { type Judging, judgingOf } from './problem-rules.js'

type ProblemFlags = Parameters<typeof judgingOf>[0] & { exec?: string | undefined; interval?: string | undefined }

/** What the accounts of a watch share. */
interface ProblemWatch {
  /** The session of the command, which prints. */
  outer: Session
  signal: AbortSignal
  shown: ReturnType<typeof notifications> | undefined
  chips: AccountChips
}

/** Prints each problem of an account's deliveries once, and acts on those that come after the start. */
export async function showProblems(account: AccountSession, flags: ProblemFlags, watch: ProblemWatch): Promise<void> {
  const { profile, session } = account
  const { outer, signal, shown } = watch
  const { env, cwd } = session.context
  const place = { env, cwd, stderr: outer.context.stderr }
  const warn = (text: string) => session.notices.warn(text)
  const runs =
    flags.exec === undefined ? undefined : new ExecRuns(flags.exec, { context: place, signal, warn, profile })
  for await (const { row, isNew } of await problemsOf(session, flags, signal)) {
    const { deliveryId, clientOrderReference, problem } = row
    const name = plainText(clientOrderReference ?? deliveryId)
    const value = profile === undefined ? row : withProfile(profile, row)
    await print(account, row, value, watch)
    if (!isNew) continue
    shown?.show(() => ofAccount(profile, [name, plainText(problem ?? '')]))
    const variables = { DLV_DELIVERY_ID: deliveryId, DLV_PROBLEM: problem ?? '' }
    await runs?.run({ value, variables, name: deliveryId })
  }
}

async function print(
  { profile, session }: AccountSession,
  row: { deliveryId: string; clientOrderReference: string | null; problem: string | null },
  value: unknown,
  { outer: { output }, chips }: ProblemWatch,
): Promise<void> {
  if (output.isJson) return output.record(value)
  if (output.choices.quiet) return output.text(row.deliveryId)
  const style = await session.output.serviceStyleNow()
  const name = plainText(row.clientOrderReference ?? row.deliveryId)
  const line = `${clockText(style.nowMs, style)}  ${name}  ${plainText(row.problem ?? '')}`
  return output.text(profile === undefined ? line : chips.line(profile, line, style))
}

async function problemsOf(session: Session, flags: ProblemFlags, signal: AbortSignal) {
  const client = await session.client({ limit: 'watching', signal })
  const parts = await session.archiveParts(client)
  const { ArchiveInUse } = await import('../../archive/index.js')
  const outage = await serviceOutage(session)
  const onError = (error: unknown) => {
    // Whoever else fills the archive may be behind, as in an outage of the database that it copies to.
    if (error instanceof ArchiveInUse) return outage.began(error, 'The archive is current again')
    if (!(error instanceof DlvError) || error.kind === 'usage') throw error
    outage.began(error)
  }
  let saysWaiting = true
  return watchProblems({
    open: async () => {
      let isStale = false
      const archive = await openCurrent({
        ...parts,
        isFresh: true,
        fromMs: (nowMs) => nowMs - watchedMs,
        people: true,
        onWait: (text) => {
          if (saysWaiting) session.notices.notice(text)
        },
        onStale(error) {
          isStale = true
          onError(error)
        },
        signal,
      })
      saysWaiting = false
      if (!isStale) outage.ended()
      return archive
    },
    localNowMs: () => session.nowMs(),
    judging: await judgingOf(flags, session.context, await session.account.knownOrders()),
    intervalMs: Math.max(200, parseDurationMs(flags.interval ?? '5s', '--interval')),
    signal,
    onError,
  })
}

/** The oldest deliveries that are watched; a board's, too. */
const watchedMs = 7 * dayMs

interface WatchOptions {
  /** The archive with what is new. */
  open(): Promise<ArchiveReader>
  localNowMs(): number
  judging: Judging
  intervalMs: number
  signal: AbortSignal
  /** Told of a failure of the service, which is outlasted. */
  onError(error: unknown): void
}

/** A problem, and whether it came after the start. */
interface WatchedProblem {
  row: BoardRow
  isNew: boolean
}

/**
 * Each problem of a delivery once, until the signal. A delivery that gets another problem is told again, and so is one that
 * has a problem again.
 */
export async function* watchProblems(options: WatchOptions): AsyncGenerator<WatchedProblem> {
  const { open, localNowMs, judging, intervalMs, signal, onError } = options
  let known: ReadonlySet<string> | undefined
  while (!signal.aborted) {
    let found: { orders: BoardOrder[]; nowMs: number } | undefined
    try {
      const archive = await open()
      const nowMs = localNowMs() + archive.clockAheadMs
      found = { orders: judgedOrders(readOrders(archive, nowMs - watchedMs), judging, nowMs), nowMs }
      archive.close()
    } catch (error) {
      if (signal.aborted) return
      onError(error)
    }
    if (found !== undefined) {
      const { orders, nowMs } = found
      const troubled = orders.filter(({ problem }) => problem !== undefined).sort((a, b) => a.sinceMs - b.sinceMs)
      for (const order of troubled)
        if (keysOf(order).some((key) => known?.has(key) !== true))
          yield { row: boardRow(order, nowMs), isNew: known !== undefined }
      known = new Set(troubled.flatMap(keysOf))
    }
    await sleep(intervalMs, signal)
  }
}

/** The problems of a delivery, whatever their age. */
function keysOf({ deliveryId, problem = '' }: BoardOrder): string[] {
  return problem.split(', ').map((text) => `${deliveryId} ${text.replace(/\d+ (?:min|h|d)\b/g, '')}`)
}
