import { operationNames } from '../../../contract/index.js'
import { groupings as allGroupings, type Grouping, reportHtml, reportPage } from '../../../report/index.js'
import { timeSpanMs } from '../../../shared/durations.js'
import { sleep } from '../../../shared/sleep.js'
import type { LiveBacklog, LiveItem } from '../../wire/live.js'
import type { AccountAbout, ReportPage, Session } from '../../wire/session.js'
import type { Backend } from '../backend.js'
import { accountQuery } from '../backend.js'
import { clockOf, machineClock, serviceNowMs } from '../clock.js'
import type { DeliveryIndex } from '../feed/delivery-index.js'
import { controlOf, Refused, type Route, type RouteCall } from '../route.js'

export const sessionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/session',
    handle: async ({ backend }): Promise<Session> => ({
      version: backend.version,
      accounts: [],
      ...(await aboutOf(backend)),
    }),
    handleAll: sessionOfAll,
  },
]

/** What several accounts have in common, and each of them. */
async function sessionOfAll(calls: readonly RouteCall[]): Promise<Session> {
  const accounts = await Promise.all(calls.map(({ backend }) => aboutOf(backend)))
  const [first] = accounts
  const environments = [...new Set(accounts.map(({ environment }) => environment))]
  return {
    version: calls[0]?.backend.version ?? '',
    profile: accounts.map(({ profile }) => profile).join(', '),
    environment: environments.join(' and '),
    service: [...new Set(accounts.map(({ service }) => service))].join(', '),
    command: 'dlv',
    readOnly: accounts.every(({ readOnly }) => readOnly),
    hasControl: accounts.some(({ hasControl }) => hasControl),
    hasJournal: accounts.some(({ hasJournal }) => hasJournal),
    listenerUrl: accounts.find(({ listenerUrl }) => listenerUrl !== null)?.listenerUrl ?? null,
    hasTrackingPages: accounts.every(({ hasTrackingPages }) => hasTrackingPages),
    clock: first?.clock ?? machineClock({ nowMs: Date.now }),
    accounts,
  }
}

/** How long the clock of one of several accounts is waited for, which the others' screens need. */
const clockWaitMs = 1_500

async function aboutOf(backend: Backend): Promise<AccountAbout> {
  const { profile, environment, service, command, readOnly, control, journal, listener } = backend
  return {
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
    clock: await Promise.race([clockOf(backend), sleep(clockWaitMs).then(() => machineClock(backend))]).catch(() =>
      machineClock(backend),
    ),
  }
}

/** More than a page keeps. */
const pageItems = 2_000

export const liveRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/live',
    handle: async (call): Promise<LiveBacklog> => {
      const { items, ...backlog } = await backlogOf([call])
      // One of several is asked for by name.
      return { ...backlog, items: items.filter(({ account }) => account === call.account) }
    },
    handleAll: backlogOf,
  },
]

async function backlogOf(calls: readonly RouteCall[]): Promise<LiveBacklog> {
  const [first] = calls
  if (first === undefined) return { items: [], lastId: 0, reading: { isRead: false } }
  const feed = first.feed.all
  // A sandbox answers at once; an account's news come by the stream.
  const sandboxes = calls.filter(({ backend }) => !feed.isWatched && backend.control !== undefined)
  await Promise.all(sandboxes.map(({ look }) => look()))
  feed.noteSeen()
  const after = Number(first.query.get('after') ?? 0)
  const items = (feed.after(after) ?? feed.backlog()).slice(-pageItems)
  const known = new Map(calls.map(({ account, deliveries }) => [account, deliveries]))
  return {
    items: items.map((item) => withReference(item, known.get(item.account))),
    lastId: feed.lastId,
    reading: feed.reading,
  }
}

/** A listener's item has no reference; adds the one that may have become known since. */
function withReference(item: LiveItem, deliveries: DeliveryIndex | undefined): LiveItem {
  if (item.reference !== undefined || item.deliveryId === undefined) return item
  const reference = deliveries?.get(item.deliveryId)?.reference
  return reference === undefined ? item : { ...item, reference }
}

/** A page of one account has one group of it. */
const groupings = allGroupings.filter((name) => name !== 'profile')

export const reportRoutes: readonly Route[] = [
  { method: 'GET', path: '/report', handle: readReport, handleAll: readReports },
]

/** The page that `dlv report --html` writes, for the last days or hours. */
async function readReport({ backend, query }: RouteCall): Promise<ReportPage> {
  const { spanMs, by } = reportAsked(query, groupings)
  const toMs = await serviceNowMs(backend)
  const { report, activity } = await backend.report({ fromMs: toMs - spanMs, toMs, by })
  const { deliveries, gaps } = report
  return { deliveries, html: reportHtml(report, activity), gaps, groupings }
}

/** The same of several accounts together. One that cannot be read is missing by name. */
async function readReports(calls: readonly RouteCall[]): Promise<ReportPage> {
  const [first] = calls
  const { spanMs, by } = reportAsked(first?.query ?? new URLSearchParams(), allGroupings)
  const profiles = calls.flatMap(({ account }) => account ?? [])
  const gathered = await first?.reports?.(profiles, { spanMs, by })
  const { report, missing = [] } = gathered ?? {}
  return {
    deliveries: report?.report.deliveries ?? 0,
    html: report === undefined ? '' : reportPage([report]),
    gaps: report?.report.gaps ?? [],
    groupings: allGroupings,
    missing,
  }
}

function reportAsked(query: URLSearchParams, known: readonly string[]): { spanMs: number; by: Grouping | undefined } {
  const from = query.get('from') ?? '7d'
  const by = query.get('by') ?? ''
  const spanMs = timeSpanMs(from)
  if (spanMs === undefined)
    throw new Refused(400, 'VALIDATION_ERROR', `"${from.slice(0, 40)}" is not a span such as 7d.`)
  if (by !== '' && !known.includes(by))
    throw new Refused(400, 'VALIDATION_ERROR', `A report is cut by ${known.join(', ')}, not by "${by.slice(0, 40)}".`)
  return { spanMs, by: by === '' ? undefined : (by as Grouping) }
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
  const pathOf = (part: string) => `/${part}${part === 'schedule' ? accountQuery(backend) : ''}`
  const read = await Promise.all(parts.map(async (part) => [part, await control('GET', pathOf(part))] as const))
  return { ...Object.fromEntries(read), operations: operationNames }
}
