import { UsageError } from '../contract/index.js'
import { minuteMs } from '../shared/durations.js'
import { sleep } from '../shared/sleep.js'
import { isOutOfRoom, type LockHolder } from '../shared/sqlite.js'
import { type ArchivePaths, isUnreadable } from './database.js'
import { type ArchiveService, type FillOptions, fillArchive } from './fill.js'
import { glanceAt, isCovered } from './glance.js'
import { ArchiveInUse, archiveWriter } from './lock.js'
import { ArchiveReader } from './reader.js'
import { type ArchiveWriter, openArchive } from './writer.js'

/** Options of bringing an archive up to date for a command. */
export interface CurrentOptions extends Omit<FillOptions, 'isHurried'> {
  paths: ArchivePaths
  /** Absent for `--fresh no`: the archive answers as it is. */
  service: ArchiveService | undefined
  /** Whether the second file is read too. */
  people?: boolean | undefined
  /**
   * Reads what is new without writing it, if that is little. The reader has it for `deliveries` alone.
   *
   * @param archive the archive as it is
   * @returns whether it lacks nothing else, such as orders that were sent
   */
  glances?: ((archive: ArchiveReader) => boolean) | undefined
  /** Takes what dlv sent into the archive before it is read. */
  onOpened?: ((writer: ArchiveWriter) => void) | undefined
  /** Told once if another process is filling the archive and is waited for. */
  onWait?: ((holder: LockHolder) => void) | undefined
  /** Told of the failure if the service could not be asked, and the archive answers as it is. */
  onStale: (error: unknown) => void
}

/** Another process that keeps the archive this current is not waited for. */
const currentEnoughMs = 10_000
/** How long to wait for one that does not, if the archive has the period, or that does and will not read it. */
const patienceMs = 3_000
const pollMs = 100

/**
 * The archive of an account with what is new: usually `GET /health` and one or two pages of events. If another process
 * keeps it current, this one only reads. Without the service it is as it was last.
 *
 * @throws UsageError if there is no archive and the service is not asked, or a file cannot be used; whatever a request
 *   fails with if the archive does not cover the period
 */
export async function currentArchive(options: CurrentOptions): Promise<ArchiveReader> {
  const { paths, service, people = false } = options
  if (service !== undefined && options.glances !== undefined) {
    const glanced = await glanceAt(service, options, options.glances)
    if (glanced !== undefined) return glanced
  }
  if (service !== undefined) await bringUpToDate(service, options)
  return ArchiveReader.open(paths, { people })
}

/** Archives that this process is filling: two profiles can be of one account. */
const filling = new Map<string, Promise<void>>()

async function bringUpToDate(service: ArchiveService, options: CurrentOptions): Promise<void> {
  const { archive } = options.paths
  const before = filling.get(archive)
  const filled = (before?.catch(() => undefined) ?? Promise.resolve()).then(() => fillNow(service, options))
  filling.set(archive, filled)
  try {
    await filled
  } finally {
    if (filling.get(archive) === filled) filling.delete(archive)
  }
}

async function fillNow(service: ArchiveService, options: CurrentOptions): Promise<void> {
  const { paths, nowMs, signal, onWait, onOpened, onStale } = options
  const startedMs = performance.now()
  let isSaid = false
  let wasAsked = false
  for (;;) {
    try {
      const writer = await openArchive(paths, { nowMs, signal, waitMs: 0 })
      try {
        onOpened?.(writer)
        await fillArchive(writer, service, { ...options, isHurried: true })
      } catch (error) {
        if (error instanceof Error && isUnreadable(error.cause)) throw error
        if (!isCovered(writer.coverage('events'), nowMs() + writer.clockAheadMs(), options)) throw error
        onStale(error)
      } finally {
        writer.close()
      }
      return
    } catch (error) {
      // What cannot be written now can still be read.
      if (isOutOfRoom(error) && stateOf(options) !== 'unfinished') return onStale(error)
      if (!(error instanceof ArchiveInUse)) throw error
      const state = stateOf(options)
      if (state === 'current') return
      const isOver = performance.now() - startedMs > patienceMs
      // A process that stays, such as a sync, reads no further back.
      if (state === 'short' && isOver) return onStale(error)
      if (state === 'covered' && (isOver || !wasAsked)) {
        // If the other one cannot read the service either, there is nothing to wait for, and that is the reason to tell.
        wasAsked = true
        const failure = await failureOf(service)
        if (failure !== undefined) return onStale(failure.failed)
        if (isOver) return onStale(error)
        continue
      }
      const holder = archiveWriter(paths)
      if (!isSaid && holder !== undefined) {
        isSaid = true
        onWait?.(holder)
      }
      await sleep(pollMs, signal)
      if (signal?.aborted) throw error
    }
  }
}

/** How the service fails now, by its newest events: something in front of it may answer for its health. */
export async function failureOf(service: ArchiveService): Promise<{ failed: unknown } | undefined> {
  try {
    const since = new Date((await service.nowMs()) - minuteMs).toISOString()
    await service.listEvents({ since, limit: 1 })
    return undefined
  } catch (failed) {
    return { failed }
  }
}

/** The state of an archive that another process is writing; `short` is one that is current, and begins too late. */
function stateOf(options: CurrentOptions): 'current' | 'covered' | 'short' | 'unfinished' {
  try {
    const reader = ArchiveReader.open(options.paths)
    const { coverage, clockAheadMs } = reader
    reader.close()
    const serviceNowMs = options.nowMs() + clockAheadMs
    const isCurrent = (coverage?.toMs ?? 0) >= serviceNowMs - currentEnoughMs
    const readsBack = coverage?.position.earlier !== undefined
    if (isCovered(coverage, serviceNowMs, options)) return isCurrent ? 'current' : 'covered'
    return isCurrent && !readsBack ? 'short' : 'unfinished'
  } catch (error) {
    // It is being created.
    if (error instanceof UsageError) return 'unfinished'
    throw error
  }
}
