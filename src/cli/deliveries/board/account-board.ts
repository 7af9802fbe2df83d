import type { ArchiveReader } from '../../../archive/index.js'
import { createPacer } from '../../../client/index.js'
import { accountLabel, type Settings } from '../../../profiles/index.js'
import { type BoardRow, boardRow, byUrgency } from '../../../render/board-view.js'
import { boardColumns } from '../../../trade/problems.js'
import { openCurrent } from '../../archive/current.js'
import { parseTime } from '../../input/times.js'
import type { WaitingPlace } from '../../output/waiting-line.js'
import type { AccountSession } from '../../session/account-session.js'
import { judgedOrders, readOrders } from '../judged-orders.js'
import { judgingOf } from '../problem-rules.js'
import type { BoardAccount } from './live-board.js'

type JudgingFlags = Parameters<typeof judgingOf>[0]

/** What the flags of a board say. */
export interface BoardFlags extends JudgingFlags {
  from?: string | undefined
  fresh?: 'yes' | 'no' | undefined
}

/** The oldest creation that a board shows, by the service's clock. */
export function boardStart(flags: BoardFlags): (nowMs: number) => number {
  return (nowMs) => Date.parse(parseTime(flags.from ?? '7d', '--from', nowMs))
}

/** What a board needs of an account; nothing is asked yet but whose key it is. */
export async function boardAccount(
  { profile, session }: AccountSession,
  flags: BoardFlags,
  { signal, waits }: { signal: AbortSignal; waits: WaitingPlace | undefined },
): Promise<BoardAccount & { settings: Settings }> {
  const { account, context } = session
  const settings = await account.settings()
  const judging = await judgingOf(flags, context, await account.knownOrders())
  const client = await session.client({
    limit: waits === undefined ? 'listing' : 'watching',
    saysWaiting: waits && namedPlace(waits, profile),
    signal,
    pacer: createPacer(),
    timeoutMs: 0,
  })
  const parts = await session.archiveParts(client)
  const common = { ...parts, isFresh: flags.fresh !== 'no', fromMs: boardStart(flags), people: true, signal }
  return {
    profile,
    settings,
    client,
    judging,
    open: (on) =>
      openCurrent(
        on === undefined
          ? { ...common, output: session.output, onStale: session.onStale }
          : { ...common, onProgress: on.progress, onWait: on.progress, onStale: on.stale },
      ),
    isProduction: settings.environment === 'production',
    isUnserved: settings.baseUrl === undefined && !(await account.sandbox()).isServed,
    accountFlags: context.accountFlags ?? '',
  }
}

/** A place in which several accounts say what they wait for. */
function namedPlace(place: WaitingPlace, profile: string | undefined): WaitingPlace {
  return profile === undefined ? place : { ...place, show: (text) => place.show(`${profile}: ${text}`) }
}

/** The rows of an account's board, the most urgent first, by the time at which the archive is current. */
export async function boardRows({ open, judging }: BoardAccount, flags: BoardFlags, localNowMs: () => number) {
  const archive: ArchiveReader = await open()
  try {
    const nowMs = localNowMs() + archive.clockAheadMs
    const orders = judgedOrders(readOrders(archive, boardStart(flags)(nowMs)), judging, nowMs).sort(byUrgency)
    return orders.map((order) => boardRow(order, nowMs))
  } finally {
    archive.close()
  }
}

/** Rows of one account or several by their columns; those of a column by their urgency. */
export function inColumns(rows: readonly BoardRow[]): BoardRow[] {
  const urgency = (one: BoardRow, other: BoardRow) =>
    Number(isWaiting(one)) - Number(isWaiting(other)) ||
    (other.lateSeconds ?? 0) - (one.lateSeconds ?? 0) ||
    other.minutesInStatus - one.minutesInStatus
  return boardColumns.flatMap((name) => rows.filter(({ stage }) => stage === name).sort(urgency))
}

/** Nothing is to be done about it yet. */
const isWaiting = ({ status, stage }: BoardRow) => status === 'scheduled' && stage !== 'problems'

/** The accounts of a board for its first line: `acme (production)`, or `acme-east, acme-west (sandbox)`. */
export function boardTitle(all: readonly { settings: Settings }[]): string {
  const environments = [...new Set(all.map(({ settings }) => settings.environment))].join(' and ')
  return `${all.map(({ settings }) => accountLabel(settings)).join(', ')} (${environments})`
}
