import { type Grouping, groupings } from '../../../report/index.js'
import { timeSpanMs } from '../../../shared/durations.js'
import type { ReportAnswer } from '../../wire/report.js'
import { serviceNowMs } from '../clock.js'
import { Refused, type Route, type RouteCall } from '../route.js'

export const reportRoutes: readonly Route[] = [{ method: 'GET', path: '/report', handle: report }]

async function report({ backend, query }: RouteCall): Promise<ReportAnswer> {
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
  return backend.report({ fromMs: toMs - spanMs, toMs, by: by === '' ? undefined : (by as Grouping) })
}
