import { describe, expect, it } from 'vitest'
import { currentArchive, followArchive, openArchive } from '../../src/archive/index.js'
import { isOutOfRoom } from '../../src/shared/sqlite.js'
import { eventList, fillOnce, type ListEvent, pathsIn, startMs, tablesOf } from '../support/archive/event-list.js'
import { fc, sampleCount } from '../support/samples.js'
import { createTempDir } from '../support/temp-dir.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const statuses = ['accepted', 'driver_assigned', 'reassigning', 'pickup_complete', 'driver_at_dropoff', 'delivered']
const etaAfter = (hours: number) => ({ eventType: 'delivery.eta_updated', etaMs: hours * hourMs })
const drawnEvent = fc
  .record({
    delivery: fc.integer({ min: 1, max: 3 }),
    status: fc.constantFrom(...statuses),
    // Few moments, so that many events share one.
    atMs: fc.integer({ min: 0, max: 12 }).map((step) => step * 7 * minuteMs),
    lateMs: fc.constantFrom(0, 0, 0, 30_000, 9 * minuteMs, 5 * hourMs),
    driver: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    eta: fc.option(fc.integer({ min: 1, max: 3 }).map(etaAfter), { nil: {} }),
  })
  .map(({ eta, ...event }) => ({ ...event, ...eta }))

describe('A fill', () => {
  it.each([
    'archive',
    'people',
  ] as const)('waits for room in the file "%s" while it follows, and then has it all', async (full) => {
    const events = Array.from({ length: 400 }, (_, at) => ({
      delivery: at,
      status: 'accepted',
      atMs: -at * 100,
      extra: { statusReason: 'x'.repeat(300) },
    }))
    const whole = pathsIn(createTempDir())
    await fillOnce(whole, eventList(events))
    const paths = pathsIn(createTempDir())
    const writer = await openArchive(paths, { nowMs: () => startMs })
    const database = full === 'people' ? writer.people : writer.database
    const { page_count } = database?.prepare('PRAGMA page_count').get() ?? {}
    database?.exec(`PRAGMA max_page_count = ${Number(page_count) + 3}`)
    const stop = new AbortController()
    const failures: unknown[] = []
    await followArchive(writer, eventList(events).service, {
      nowMs: () => startMs,
      fromMs: () => startMs - minuteMs,
      intervalMs: 1,
      signal: stop.signal,
      onWarning: () => {},
      onError(error) {
        failures.push(error)
        database?.exec('PRAGMA max_page_count = 1000000')
      },
      async onFilled() {
        stop.abort()
      },
    })
    writer.close()
    expect(failures.map(isOutOfRoom)).toEqual([true])
    expect(failures[0]).toMatchObject({ message: expect.stringContaining(`Cannot write the archive ${paths.archive}`) })
    expect(tablesOf(paths)).toEqual(tablesOf(whole))
  })

  it('makes the same tables however it is cut, repeated and delayed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawnEvent, { minLength: 1, maxLength: 25 }),
        fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 100 * minuteMs }), cutAfter: fc.option(fc.nat(6)) }), {
          maxLength: 6,
        }),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
        async (events: ListEvent[], runs, pageSizes) => {
          const directory = createTempDir()
          const [once, often] = [pathsIn(directory, 'once'), pathsIn(directory, 'often')]
          const whole = eventList(events)
          whole.setNow(12 * hourMs)
          await fillOnce(once, whole)
          let page = 0
          const cut = eventList(events, () => pageSizes[page++ % pageSizes.length] ?? 1)
          for (const { atMs, cutAfter } of runs.sort((one, other) => one.atMs - other.atMs)) {
            cut.setNow(atMs)
            cut.cutAfter(cutAfter ?? Number.POSITIVE_INFINITY)
            await fillOnce(often, cut).catch((error: Error) => expect(error.message).toBe('the connection was cut'))
          }
          cut.setNow(12 * hourMs)
          cut.cutAfter(Number.POSITIVE_INFINITY)
          await fillOnce(often, cut)
          expect(tablesOf(often)).toEqual(tablesOf(once))
        },
      ),
      { numRuns: sampleCount(40) },
    )
  })

  it('never moves a delivery back: neither by an older event that comes late, nor by reading a page again', async () => {
    const paths = pathsIn(createTempDir())
    const [first, second] = [
      { delivery: 1, status: 'driver_at_dropoff', atMs: 5 * minuteMs },
      { delivery: 1, status: 'delivered', atMs: 5 * minuteMs },
    ]
    const late = { delivery: 1, status: 'driver_assigned', atMs: minuteMs, lateMs: 9 * minuteMs }
    const list = eventList([first, second, late], () => 1)
    list.setNow(6 * minuteMs)
    await fillOnce(paths, list)
    list.setNow(11 * minuteMs)
    // The late one and the first of the two are read again, and then the connection is cut.
    list.cutAfter(2)
    await expect(fillOnce(paths, list)).rejects.toThrow('cut')
    const { deliveries } = tablesOf(paths)
    expect(deliveries).toMatchObject([{ status: 'delivered', seen_event_id: 'evt_1' }])
    expect(deliveries?.[0]).toHaveProperty('assigned_at', new Date(startMs + minuteMs).toISOString())
  })

  it('keeps the last value of one moment, also if the list showed it late and a later event lacks it', async () => {
    const paths = pathsIn(createTempDir())
    const event = { delivery: 1, status: 'accepted', atMs: 0 }
    const list = eventList([{ ...event, driver: 1 }, { ...event, driver: 2, lateMs: hourMs }, event])
    for (const ms of [minuteMs, 2 * hourMs]) {
      list.setNow(ms)
      await fillOnce(paths, list)
    }
    expect(tablesOf(paths).deliveries).toMatchObject([{ driver_id: 'drv_2' }])
  })

  it('keeps the first ETA of one moment, also if a later one of that moment was known before', async () => {
    const paths = pathsIn(createTempDir())
    const event = { delivery: 1, status: 'accepted', atMs: 0 }
    const list = eventList([
      { ...event, ...etaAfter(1), lateMs: hourMs },
      { ...event, ...etaAfter(2) },
    ])
    for (const ms of [minuteMs, 2 * hourMs, 3 * hourMs]) {
      list.setNow(ms)
      await fillOnce(paths, list)
    }
    const first_eta = new Date(startMs + hourMs).toISOString()
    expect(tablesOf(paths).deliveries).toMatchObject([{ first_eta }])
  })

  it('costs a current archive one request of the list', async () => {
    const paths = pathsIn(createTempDir())
    const events = Array.from({ length: 500 }, (_, at) => ({ delivery: at, status: 'accepted', atMs: at * 1_000 }))
    const list = eventList(events)
    list.setNow(12 * minuteMs)
    await fillOnce(paths, list)
    const before = list.requests()
    list.setNow(12 * minuteMs + 5_000)
    await fillOnce(paths, list, { isHurried: true })
    expect(list.requests() - before).toBe(1)
    expect(tablesOf(paths).deliveries).toHaveLength(500)
  })

  it('fetches an earlier period, also when that was cut short', async () => {
    const paths = pathsIn(createTempDir())
    const events = Array.from({ length: 40 }, (_, at) => ({ delivery: at, status: 'accepted', atMs: at * hourMs }))
    const list = eventList(events, () => 3)
    list.setNow(48 * hourMs)
    await fillOnce(paths, list, { fromMs: startMs + 38 * hourMs })
    expect(tablesOf(paths).events).toHaveLength(2)
    list.cutAfter(5)
    await expect(fillOnce(paths, list, { fromMs: startMs })).rejects.toThrow('cut')
    list.cutAfter(Number.POSITIVE_INFINITY)
    const before = list.requests()
    await fillOnce(paths, list, { fromMs: startMs })
    expect(tablesOf(paths).events).toHaveLength(40)
    // What the first attempt had read is not read again: 38 events are 13 pages, of which it read 5.
    expect(list.requests() - before).toBeLessThan(18)
  })

  it('starts again only if the sandbox itself says that it was reset', async () => {
    const first = { delivery: 1, status: 'accepted', atMs: 0 }
    const second = { delivery: 2, status: 'accepted', atMs: 7 }
    const list = (events: ListEvent[], hours: number, instance?: string) => {
      const listed = eventList(events)
      listed.setNow(hours * hourMs)
      if (instance !== undefined) listed.setInstance(instance)
      return listed
    }
    const kept = (paths: ReturnType<typeof pathsIn>) =>
      tablesOf(paths).deliveries?.map((row) => (row as { delivery_id: string }).delivery_id)
    const warned = 'The sandbox was reset: its archive starts again.'
    const paths = pathsIn(createTempDir())
    await fillOnce(paths, list([first], 1, 'one'))
    // Neither lists nor finds what it had, and its clock is behind: no word of a reset.
    expect(await fillOnce(paths, list([], 2, 'one'))).toEqual([])
    expect(await fillOnce(paths, list([second], 0.5))).toEqual([expect.stringContaining('it was set back')])
    expect(kept(paths)).toEqual(['del_1', 'del_2'])
    expect(await fillOnce(paths, list([{ ...first, lateMs: 99 * hourMs }, second], 1, 'two'))).toEqual([warned])
    expect(kept(paths)).toEqual(['del_2'])
    expect(await fillOnce(paths, list([second], 2, 'two'))).toEqual([])

    // Said only with the pages.
    const late = list([first], 3, 'two')
    const { listEvents } = late.service
    late.service.listEvents = async (query) => {
      late.setInstance('three')
      return listEvents(query)
    }
    expect(await fillOnce(paths, late)).toEqual([warned])
    expect(kept(paths)).toEqual(['del_1'])

    const real = pathsIn(createTempDir())
    await fillOnce(real, list([{ ...first, isLive: true }], 1, 'one'))
    expect(await fillOnce(real, list([], 2, 'two'))).toEqual([])
    expect(kept(real)).toEqual(['del_1'])
  })

  it('says so when the clock of the service was set back, and fetches again', async () => {
    const paths = pathsIn(createTempDir())
    const list = eventList([
      { delivery: 1, status: 'accepted', atMs: 0 },
      { delivery: 2, status: 'accepted', atMs: hourMs },
    ])
    list.setNow(30 * minuteMs)
    await fillOnce(paths, list)
    list.setNow(10 * minuteMs)
    expect(await fillOnce(paths, list)).toEqual([expect.stringContaining('it was set back')])
    list.setNow(2 * hourMs)
    await fillOnce(paths, list)
    expect(tablesOf(paths).deliveries).toHaveLength(2)
  })

  it('says which period the service no longer lists', async () => {
    const paths = pathsIn(createTempDir())
    const list = eventList([{ delivery: 1, status: 'accepted', atMs: 0 }])
    list.setNow(hourMs)
    await fillOnce(paths, list)
    list.setNow(40 * 24 * hourMs)
    expect(await fillOnce(paths, list)).toEqual([
      expect.stringMatching(/no longer lists the events from 2026-03-02T16/),
    ])
  })

  it('keeps an event that cannot be read, and names it once', async () => {
    const paths = pathsIn(createTempDir())
    const list = eventList([
      { delivery: 1, status: 'accepted', atMs: 0 },
      { delivery: 1, status: 'delivered', atMs: 9 },
    ])
    list.setNow(hourMs)
    list.spoil('evt_0')
    expect(await fillOnce(paths, list)).toEqual([
      "Event evt_0 of the service's list has data that is not an object: it is not in the tables.",
    ])
    expect(await fillOnce(paths, list)).toEqual([])
    const { bodies, deliveries } = tablesOf(paths)
    expect(bodies).toMatchObject([{ kind: 'event' }, { kind: 'unread', id: 'evt_0' }])
    expect(deliveries).toMatchObject([{ status: 'delivered' }])
    const many = eventList(Array.from({ length: 5 }, (_, atMs) => ({ delivery: 1, status: 'accepted', atMs })))
    many.setNow(hourMs)
    for (let at = 0; at < 5; at++) many.spoil(`evt_${at}`)
    expect(await fillOnce(pathsIn(createTempDir()), many)).toEqual([
      "Event evt_0 of the service's list has data that is not an object: it is not in the tables, nor are 4 others of its page.",
    ])
  })

  it('answers at once if another process keeps it, and the service is away for both', async () => {
    const paths = pathsIn(createTempDir())
    const list = eventList([{ delivery: 1, status: 'accepted', atMs: 0 }])
    list.setNow(hourMs)
    await fillOnce(paths, list)
    const follower = await openArchive(paths, { nowMs: () => startMs })
    const away = new Error('nothing is listening')
    const told: unknown[] = []
    const reader = await currentArchive({
      paths,
      service: { ...list.service, nowMs: () => Promise.reject(away) },
      nowMs: () => startMs + 2 * hourMs,
      fromMs: () => startMs,
      onWarning: () => {},
      onWait: () => told.push('waits'),
      onStale: (error) => told.push(error),
    })
    expect([...reader.deliveries()]).toHaveLength(1)
    reader.close()
    follower.close()
    expect(told).toEqual([away])
  })
})
