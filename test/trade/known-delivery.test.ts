import { expect, it } from 'vitest'
import { ArchiveReader } from '../../src/archive/index.js'
import { judgedOrders, readOrders } from '../../src/cli/deliveries/judged-orders.js'
import { Installations } from '../../src/cli/deliveries/listing/chosen.js'
import { fromArchive } from '../../src/cli/deliveries/listing/from-archive.js'
import { boardOf } from '../../src/cli/ui/archived-board.js'
import { deliveryStatuses, statusReasonCodes } from '../../src/contract/index.js'
import { columnOf } from '../../src/trade/problems.js'
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
  status: fc.constantFrom(...deliveryStatuses),
  kind: fc.constantFrom('status', 'status', 'eta', 'position', 'update'),
  afterMs: fc.integer({ min: 1, max: 50 * minuteMs }),
  reason: fc.option(fc.constantFrom(...statusReasonCodes), { nil: undefined }),
  etaMs: fc.integer({ min: 0, max: 8 * hourMs }),
})
const drawnDeliveries = fc.array(fc.array(drawnEvent, { minLength: 1, maxLength: 8 }), { minLength: 20, maxLength: 40 })

const types = { eta: 'delivery.eta_updated', position: 'delivery.driver_location_updated', update: 'delivery.updated' }

function eventsOf(drawn: typeof drawnDeliveries extends fc.Arbitrary<infer Drawn> ? Drawn : never): ListEvent[] {
  return drawn.flatMap((events, delivery) => {
    let atMs = delivery
    let status: string = 'accepted'
    return events.map(({ kind, afterMs, reason, etaMs, ...event }, index): ListEvent => {
      atMs += afterMs
      const isStatus = kind === 'status' || index === 0
      if (isStatus) status = event.status
      const told = isStatus ? {} : { eventType: types[kind as keyof typeof types] }
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

it('list, both boards and what follows events say the same of every drawn delivery, told in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      drawnDeliveries,
      fc.integer({ min: 0, max: 9 * hourMs }),
      fc.nat(),
      async (drawn, waitedMs, turn) => {
        const events = eventsOf(drawn)
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

        const listed: Record<string, string | undefined> = {}
        const listing = {
          statuses: [],
          active: false,
          problem: true,
          store: undefined,
          installation: undefined,
          search: undefined,
          parts: [],
          sort: undefined,
        }
        const wanted = { listing, nowMs, judging: {}, columns: [], change: undefined, sent: () => null }
        const read = () => Promise.reject(new Error('A list of problems asks for no delivery.'))
        for await (const { row } of fromArchive(
          { archive, fromMs: undefined, toMs: undefined, read },
          { ...wanted, installations: new Installations() },
        ))
          listed[row.deliveryId] = row.problem ?? undefined
        const problems = Object.entries(terminal).filter(([, { column }]) => column === 'problems')
        expect(listed).toEqual(Object.fromEntries(problems.map(([deliveryId, { problem }]) => [deliveryId, problem])))
        archive.close()
      },
    ),
    { numRuns: sampleCount(12), endOnFailure: true },
  )
})
