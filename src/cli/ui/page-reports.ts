import type { NamedReport } from '../../report/index.js'
import { sleep } from '../../shared/sleep.js'
import { sentence } from '../../shared/texts.js'
import type { Backend, GatherReports } from '../../ui/index.js'
import { gatherReport, type ReportSource } from '../report/gather.js'

/** How long an account is waited for, which holds back the report on the others. */
const patienceMs = 8_000

type Opened = ReportSource & { profile: string; fromMs: number; toMs: number }

/** An account's archive, which is brought up to date first. */
interface ReportArchive {
  openReport(spanMs: number): Promise<Omit<Opened, 'profile'>>
}

/** The report on the accounts of a page together, up to now by the newest of their clocks. */
export async function pageReports(
  accounts: readonly { backend: Pick<Backend, 'profile'>; archive: ReportArchive }[],
  { spanMs, by }: Parameters<GatherReports>[1],
): ReturnType<GatherReports> {
  const missing: { account: string; message: string }[] = []
  const all = accounts.map(async ({ backend: { profile }, archive }): Promise<Opened[]> => {
    let isLate = false
    const opening = archive.openReport(spanMs).then((opened) => {
      if (isLate) opened.archive.close()
      return { ...opened, profile }
    })
    try {
      const opened = await Promise.race([opening, sleep(patienceMs)])
      if (opened !== undefined) return [opened]
      isLate = true
      opening.catch(() => {})
      missing.push({ account: profile, message: 'It has not answered yet.' })
    } catch (error) {
      missing.push({ account: profile, message: sentence(error instanceof Error ? error.message : String(error)) })
    }
    return []
  })
  const opened = (await Promise.all(all)).flat()
  try {
    return { report: reportOn(opened, by), missing }
  } finally {
    for (const { archive } of opened) archive.close()
  }
}

function reportOn(opened: readonly Opened[], by: Parameters<GatherReports>[1]['by']): NamedReport | undefined {
  const newest = opened.toSorted((one, other) => other.toMs - one.toMs)[0]
  if (newest === undefined) return undefined
  const { fromMs, toMs } = newest
  return { name: 'All accounts', ...gatherReport(opened, { fromMs, toMs, by: by ?? 'profile' }) }
}
