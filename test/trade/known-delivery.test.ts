import { expect, it } from 'vitest'
import { ArchiveReader } from '../../src/archive/index.js'
import { judgedOrders, readOrders } from '../../src/cli/deliveries/judged-orders.js'
import { Installations, type ListedDelivery } from '../../src/cli/deliveries/listing/chosen.js'
import type { Listing } from '../../src/cli/deliveries/listing/filters.js'
import { fromArchive } from '../../src/cli/deliveries/listing/from-archive.js'
import { gatherReport } from '../../src/cli/report/gather.js'
import { boardOf } from '../../src/cli/ui/page-archive.js'
import { deliveryStatuses, statusReasonCodes } from '../../src/contract/index.js'
import { columnOf, waits } from '../../src/trade/problems.js'
import { failedStatuses, stageOf } from '../../src/trade/statuses.js'
import { problemNow, standingOf } from '../../src/ui/page/models/board.js'
import { DeliveryIndex } from '../../src/ui/server/feed/delivery-index.js'
import { eventItem } from '../../src/ui/server/feed/items.js'
import type { DeliverySummary } from '../../src/ui/wire/live.js'
import { eventList, fillOnce, type ListEvent, pathsIn, startMs } from '../support/archive/event-list.js'
import { fc, sampleCount } from '../support/samples.js'
import { createTempDir } from '../support/temp-dir.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** One thing that a service tells of a delivery: a new status, an ETA or a position, with or without the reason again. */
const drawnEvent = fc.record({
  // Those that are waited in come again often, so that since when matters.
  status: fc.constantFrom(...deliveryStatuses, ...Object.keys(waits), ...Object.keys(waits)),
  kind: fc.constantFrom('status', 'status', 'eta', 'position', 'update'),
  afterMs: fc.integer({ min: 1, max: 50 * minuteMs }),
  reason: fc.option(fc.constantFrom(...statusReasonCodes), { nil: undefined }),
  etaMs: fc.integer({ min: 0, max: 8 * hourMs }),
})
const drawnDeliveries = fc.array(fc.array(drawnEvent, { minLength: 1, maxLength: 8 }), { minLength: 20, maxLength: 40 })

const types = { eta: 'delivery.eta_updated', position: 'delivery.driver_location_updated', update: 'delivery.updated' }

/** @param endsOnce nothing more becomes of a delivery that has ended */
function eventsOf(
  drawn: typeof drawnDeliveries extends fc.Arbitrary<infer Drawn> ? Drawn : never,
  endsOnce: boolean,
): ListEvent[] {
  return drawn.flatMap((events, delivery) => {
    let atMs = delivery
    let status: string = 'accepted'
    return events.map(({ kind, afterMs, reason, etaMs, ...event }, index): ListEvent => {
      atMs += afterMs
      const isStatus = (kind === 'status' || index === 0) && !(endsOnce && stageOf(status) === 'done')
      if (isStatus) status = endsOnce && failedStatuses.includes(event.status) ? 'failed' : event.status
      const told = isStatus ? {} : { eventType: types[kind === 'status' ? 'update' : kind] }
      // A reason is told with the status, and not again by what follows.
      const located =
        kind === 'position' && !isStatus
          ? { location: { latitude: 35, longitude: -79, updatedAt: new Date(startMs + atMs).toISOString() } }
          : {}
      const more = isStatus && reason !== undefined ? { statusReasonCode: reason } : {}
      return {
        delivery,
        status,
        atMs,
        ...told,
        ...(kind === 'eta' && !isStatus && { etaMs }),
        more: { ...more, driver: { id: 'drv_1', ...located } },
      }
    })
  })
}

/** What a screen says of a delivery: its column, its problem in words, its reason. */
type Said = Record<string, { column: string; problem: string | undefined; reason: string | undefined }>

function saidByPage(deliveries: Iterable<DeliverySummary>, nowMs: number): Said {
  return Object.fromEntries(
    Array.from(deliveries, (delivery) => {
      const standing = standingOf(delivery)
      const problem = problemNow(delivery, nowMs)
      const column = columnOf(standing, problem, nowMs)
      return [delivery.deliveryId, { column, problem: problem?.text, reason: delivery.reason }] as const
    }).filter(([, { column }]) => column !== 'done'),
  )
}

/** The rows of a list that the archive answers. */
async function listedFrom(archive: ArchiveReader, nowMs: number, asked: Partial<Listing>): Promise<ListedDelivery[]> {
  const none = { store: undefined, installation: undefined, search: undefined, sort: undefined }
  const listing = { statuses: [], active: false, problem: false, parts: [], ...none, ...asked }
  const wanted = { listing, nowMs, judging: {}, columns: [], change: undefined, sent: () => null }
  const read = () => Promise.reject(new Error('The archive has all of these lists.'))
  const source = { archive, fromMs: undefined, toMs: undefined, read }
  const rows: ListedDelivery[] = []
  for await (const { complete } of fromArchive(source, { ...wanted, installations: new Installations() }))
    rows.push(await complete())
  return rows
}

it('list, report, both boards and what follows events say the same of every drawn delivery, told in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      drawnDeliveries,
      fc.integer({ min: 0, max: 9 * hourMs }),
      fc.nat(),
      fc.boolean(),
      async (drawn, waitedMs, turn, endsOnce) => {
        const events = eventsOf(drawn, endsOnce)
        const list = eventList(events)
        const nowMs = startMs + Math.max(...events.map(({ atMs }) => atMs)) + waitedMs
        list.setNow(nowMs - startMs + 1)
        const paths = pathsIn(createTempDir())
        await fillOnce(paths, list)
        const archive = ArchiveReader.open(paths, { people: true })
        const placesOf = () => ({ store: undefined, gate: undefined, dropoff: undefined })
        const terminal: Said = Object.fromEntries(
          judgedOrders(readOrders(archive, startMs - hourMs), {}, nowMs).map(
            ({ deliveryId, column, problem, statusReasonCode: reason }) => [deliveryId, { column, problem, reason }],
          ),
        )
        const page = boardOf(archive, { fromMs: startMs - hourMs, most: 1_000, promises: {}, placesOf }).deliveries
        expect(saidByPage(page, nowMs)).toEqual(terminal)

        // The page as it follows events, which may come a little out of order.
        const index = new DeliveryIndex(placesOf)
        const records = list.records.map(({ data }) => data)
        const at = turn % records.length
        for (const data of [...records.slice(0, at), ...records.slice(at).reverse()]) eventItem(data, index)
        const followed = page.flatMap(({ deliveryId }) => index.get(deliveryId) ?? [])
        expect(saidByPage(followed, nowMs)).toEqual(terminal)
        // And as it was opened in the middle of them.
        const later = new DeliveryIndex(placesOf)
        for (const data of records.slice(0, at)) eventItem(data, later)
        for (const delivery of page) later.take(delivery)
        for (const data of records.slice(at)) eventItem(data, later)
        expect(
          saidByPage(
            page.flatMap(({ deliveryId }) => later.get(deliveryId) ?? []),
            nowMs,
          ),
        ).toEqual(terminal)

        const listed = Object.fromEntries(
          (await listedFrom(archive, nowMs, { problem: true })).map(({ deliveryId, problem }) => [deliveryId, problem]),
        )
        const problems = Object.entries(terminal).filter(([, { column }]) => column === 'problems')
        expect(listed).toEqual(Object.fromEntries(problems.map(([deliveryId, { problem }]) => [deliveryId, problem])))

        // A report counts what became of a delivery first, so that it is compared where nothing follows an end.
        if (endsOnce) {
          const { report } = gatherReport([{ archive, promises: {} }], { fromMs: startMs, toMs: nowMs + 1 })
          const ended = await listedFrom(archive, nowMs, {
            statuses: ['failed', 'cancelled', 'expired'],
            parts: ['reason'],
          })
          const reasons = ended.map(({ statusReasonCode }) => statusReasonCode ?? null)
          expect(reasons.toSorted()).toEqual(
            report.reasons.flatMap(({ code, count }) => Array(count).fill(code)).toSorted(),
          )
          const underWay = await listedFrom(archive, nowMs, { active: true })
          expect(report.leftOut.find(({ name }) => name === 'underWay')?.count ?? 0).toBe(underWay.length)
          const delivered = await listedFrom(archive, nowMs, { statuses: ['delivered'] })
          expect(report.metrics.proof.n).toBe(delivered.length)
        }
        archive.close()
      },
    ),
    { numRuns: sampleCount(12), endOnFailure: true },
  )
})
