import { type Grouping, groupings, reportHtml } from '../../../report/index.js'
import { timeSpanMs } from '../../../shared/durations.js'
import type { ReportPage } from '../../wire/report.js'
import { serviceNowMs } from '../clock.js'
import { Refused, type Route, type RouteCall } from '../route.js'

export const reportRoutes: readonly Route[] = [{ method: 'GET', path: '/report', handle: readReport }]

/** The page that `dlv report --html` writes, for the last days or hours. */
async function readReport({ backend, query }: RouteCall): Promise<ReportPage> {
  const from = query.get('from') ?? '7d'
  const by = query.get('by') ?? ''
  const spanMs = timeSpanMs(from)
  if (spanMs === undefined)
    throw new Refused(400, 'VALIDATION_ERROR', `"${from.slice(0, 40)}" is not a span such as 7d.`)
  if (by !== '' && !(groupings as readonly string[]).includes(by))
    throw new Refused(
      400,
      'VALIDATION_ERROR',
      `A report is cut by ${groupings.join(', ')}, not by "${by.slice(0, 40)}".`,
    )
  const toMs = await serviceNowMs(backend)
  const grouping = by === '' ? undefined : (by as Grouping)
  const { report, activity } = await backend.report({ fromMs: toMs - spanMs, toMs, by: grouping })
  return { deliveries: report.deliveries, html: reportHtml(report, activity), groupings }
}
