import type { ArchiveReader } from '../../archive/index.js'
import { createPacer } from '../../client/index.js'
import { archiveService, openCurrentArchive } from '../archive/archive-service.js'
import { sayAge } from '../archive/current.js'
import { progressLine } from '../output/progress-line.js'
import type { Session } from '../session/session.js'
import { reportPeriod, startOfBoth } from './gather.js'

/** The archive that a report is computed from, after fetching what is new, and the time that its flags are relative to. */
export async function reportArchive(
  session: Session,
  { from, to }: { from: string; to?: string | undefined },
): Promise<{ archive: ArchiveReader; nowMs: number }> {
  const { context, output, notices } = session
  const progress = progressLine(context)
  session.onClose(() => progress.clear())
  const client = await session.client({ limit: 'listing', pacer: createPacer(), timeoutMs: 0 })
  const service = archiveService(client, session.clocks(client))
  const archive = await openCurrentArchive({
    dataDir: session.config.dataDir,
    account: await session.account.dataName(),
    service,
    nowMs: context.nowMs,
    // The period before is shown too, as far as the service lists its events.
    fromMs: (serviceNowMs) => startOfBoth(reportPeriod(from, to, serviceNowMs), serviceNowMs),
    onProgress: ({ added }) => progress.show(`${added.toLocaleString('en-US')} events read`),
    onWarning: (text) => notices.warn(text),
    onWait: ({ pid }) => notices.notice(`Waiting for process ${pid}, which is filling the archive.`),
    onStale: session.onStale,
  })
  session.onClose(() => archive.close())
  progress.clear()
  sayAge(archive, session.stale, { context, output, notices, isFresh: true })
  return { archive, nowMs: archive.asOfMs ?? (await service.nowMs()) }
}
