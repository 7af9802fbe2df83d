import { Flags } from '@oclif/core'
import {
  ArchiveInUse,
  ArchiveReader,
  archivePaths,
  backfillArchive,
  gapsIn,
  openArchive,
  type Period,
} from '../../archive/index.js'
import type { Client } from '../../client/index.js'
import { clockText, relativeText } from '../../render/words.js'
import { sentence } from '../../shared/texts.js'
import type { Clocks } from '../events/event-service.js'
import { type Notices, progressLine } from '../output/notices.js'
import type { Output } from '../output/output.js'
import type { ProcessContext } from '../process/context.js'
import { archiveService, openCurrentArchive } from './archive-service.js'

/** Whether to ask the service for what is new. */
export const freshFlag = Flags.option({
  summary: 'Fetch new events, or fail; no asks nobody',
  options: ['yes', 'no'] as const,
})

interface CurrentArchiveOptions {
  client: Client
  clocks: Clocks
  dataDir: string
  account: string
  context: ProcessContext
  /** To say up to when the archive is; absent for a command that stays, which says so by itself. */
  output?: Output
  notices: Notices
  isFresh: boolean
  /** The oldest creation that the command asks for, by the service's clock. */
  fromMs: (serviceNowMs: number) => number
  people: boolean
  /** Does not write a few new events, for a command that reads `deliveries` alone. */
  isGlance?: boolean
  /** Told how much was fetched. Default: a line of the terminal. */
  onProgress?: (text: string) => void
  /** Told once if another process fills the archive and is waited for. Default: a notice. */
  onWait?: (text: string) => void
  /** Told if the service could not be asked, or if the process that fills the archive is behind. */
  onStale?: (error: unknown) => void
  signal?: AbortSignal | undefined
}

/**
 * The account's archive with all that the command needs: what is new, and deliveries from before its events. Says on a
 * terminal up to when it is, and if the service could not be asked.
 */
export async function openCurrent(options: CurrentArchiveOptions): Promise<ArchiveReader> {
  const { client, clocks, context, notices, isFresh, fromMs, people, signal } = options
  const paths = archivePaths(options.dataDir, options.account)
  const service = isFresh ? archiveService(client, clocks) : undefined
  const progress = progressLine(context)
  const show = options.onProgress ?? ((text: string) => progress.show(text))
  const startedMs = performance.now()
  const onProgress = ({ added }: { added: number }) => {
    // What is new comes at once; only a first use takes its time.
    if (performance.now() - startedMs > 1_000) show(`${added.toLocaleString('en-US')} fetched into the archive …`)
  }
  const onWarning = (text: string) => notices.warn(text)
  const onWait = options.onWait ?? ((text: string) => notices.notice(text))
  let stale: unknown
  const current = await openCurrentArchive({
    dataDir: options.dataDir,
    account: options.account,
    service,
    people,
    isGlance: options.isGlance,
    nowMs: context.nowMs,
    fromMs,
    onProgress,
    onWarning,
    onWait: ({ pid }) => onWait(`Waiting for process ${pid}, which is writing the archive.`),
    onStale: (error) => {
      stale = error
    },
    signal,
  }).finally(() => progress.clear())
  const missing = missingBefore(current, fromMs(context.nowMs() + current.clockAheadMs))
  let archive = current
  if (missing !== undefined && service !== undefined && stale === undefined) {
    const writer = await openArchive(paths, { nowMs: context.nowMs, signal, waitMs: othersWriteMs }).catch(inUse)
    if (writer instanceof ArchiveInUse)
      notices.warn(`${missingText(missing, current)} ${writer.message} ${writer.hint}`)
    else {
      current.close()
      const { fromMs } = missing
      await backfillArchive(writer, service, { fromMs, onProgress, onWarning, signal }).finally(() => writer.close())
      progress.clear()
      archive = ArchiveReader.open(paths, { people })
    }
  } else if (missing !== undefined) notices.warn(missingText(missing, current))
  if (options.output !== undefined) sayAge(archive, stale, options)
  if (stale !== undefined) options.onStale?.(stale)
  return archive
}

/** A command that fetches something writes for less time than this; one that stays, such as `sync --follow`, for ever. */
const othersWriteMs = 1_000

function inUse(error: unknown): ArchiveInUse {
  if (error instanceof ArchiveInUse) return error
  throw error
}

/** From the first to the last delivery of a period that the archive lacks, before its newest events. */
function missingBefore({ periods, coverage }: ArchiveReader, fromMs: number): Period | undefined {
  const gaps = gapsIn({ fromMs, toMs: coverage?.fromMs ?? 0 }, periods)
  const [first, last] = [gaps.at(0), gaps.at(-1)]
  return first === undefined || last === undefined ? undefined : { fromMs: first.fromMs, toMs: last.toMs }
}

function missingText({ fromMs, toMs }: Period, { periods }: ArchiveReader): string {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString())
  const isBeforeAll = toMs <= (periods[0]?.fromMs ?? toMs)
  return `The archive has no deliveries from ${isBeforeAll ? 'before' : `${from} to`} ${to}.`
}

/** Says on a terminal up to when an archive is, and everywhere if the service could not be asked. */
export function sayAge(
  { asOfMs, clockAheadMs }: Pick<ArchiveReader, 'asOfMs' | 'clockAheadMs'>,
  stale: unknown,
  { context, output, notices, isFresh }: Pick<CurrentArchiveOptions, 'context' | 'output' | 'notices' | 'isFresh'>,
): void {
  const nowMs = context.nowMs() + clockAheadMs
  const isSaid = output?.forPeople === true && !output.isGathered
  if (asOfMs === undefined || (stale === undefined && !isSaid)) return
  const asOf = `as of ${clockText(asOfMs, { ...output?.style, nowMs })}`
  const age = `${asOf}, ${relativeText(asOfMs, nowMs)}`
  if (stale !== undefined)
    notices.warn(`${sentence(stale instanceof Error ? stale.message : String(stale))} The archive answers, ${age}.`)
  else notices.notice(isFresh ? sentence(`A${asOf.slice(1)}`) : sentence(`A${age.slice(1)}`))
}
