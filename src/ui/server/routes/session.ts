import { operationNames } from '../../../contract/index.js'
import { groupings as allGroupings, type Grouping, reportHtml } from '../../../report/index.js'
import { timeSpanMs } from '../../../shared/durations.js'
import type { LiveBacklog, LiveItem } from '../../wire/live.js'
import type { ReportPage, Session } from '../../wire/session.js'
import type { Backend } from '../backend.js'
import { clockOf, machineClock, serviceNowMs } from '../clock.js'
import type { DeliveryIndex } from '../feed/delivery-index.js'
import { controlOf, Refused, type Route, type RouteCall } from '../route.js'

export const sessionRoutes: readonly Route[] = [
  { method: 'GET', path: '/session', handle: ({ backend }) => sessionOf(backend) },
]

async function sessionOf(backend: Backend): Promise<Session> {
  const { version, profile, environment, service, command, readOnly, control, journal, listener } = backend
  return {
    version,
    profile,
    environment,
    service,
    command,
    readOnly,
    hasControl: control !== undefined,
    hasJournal: journal !== undefined || listener !== undefined,
    listenerUrl: listener?.url ?? null,
    hasTrackingPages: backend.hasTrackingPages(),
    // Without its clock, the page still says which account it is.
    clock: await clockOf(backend).catch(() => machineClock(backend)),
  }
}

/** More than a page keeps. */
const pageItems = 2_000

export const liveRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/live',
    async handle({ backend, feed, deliveries, query, look }): Promise<LiveBacklog> {
      // A sandbox answers at once; an account's news come by the stream.
      if (!feed.isWatched && backend.control !== undefined) await look()
      feed.noteSeen()
      const after = Number(query.get('after') ?? 0)
      const items = (feed.after(after) ?? feed.backlog()).slice(-pageItems)
      return { items: items.map((item) => withReference(item, deliveries)), lastId: feed.lastId, reading: feed.reading }
    },
  },
]

/** A listener's item has no reference; adds the one that may have become known since. */
function withReference(item: LiveItem, deliveries: DeliveryIndex): LiveItem {
  if (item.reference !== undefined || item.deliveryId === undefined) return item
  const reference = deliveries.get(item.deliveryId)?.reference
  return reference === undefined ? item : { ...item, reference }
}

/** A page of one account has one group of it. */
const groupings = allGroupings.filter((name) => name !== 'profile')

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
  const { deliveries, gaps } = report
  return { deliveries, html: reportHtml(report, activity), gaps, groupings }
}

/** The parts of the control API that the screen reads. */
const parts = ['clock', 'schedule', 'outage', 'capacity', 'faults', 'switches', 'snapshots', 'magic']

/** The control requests that a page may make; they are passed on as they are. */
const changes = [
  '/clock',
  '/outage',
  '/capacity',
  '/faults',
  '/switches',
  '/snapshots/:name',
  '/snapshots/:name/restore',
]

export const timeRoutes: readonly Route[] = [
  { method: 'GET', path: '/time', handle: readTime },
  ...changes.map(
    (path): Route => ({
      method: 'POST',
      path: `/control${path}`,
      handle: ({ backend, parameters, body }) =>
        controlOf(backend)(
          'POST',
          path.replace(':name', () => encodeURIComponent(parameters.name ?? '')),
          body,
        ),
    }),
  ),
]

async function readTime({ backend }: RouteCall): Promise<Record<string, unknown>> {
  const control = controlOf(backend)
  const read = await Promise.all(parts.map(async (part) => [part, await control('GET', `/${part}`)] as const))
  return { ...Object.fromEntries(read), operations: operationNames }
}
