import { describe, expect, it } from 'vitest'
import {
  findGaps,
  type Gap,
  type JournalReader,
  type PullOptions,
  pullEvents,
  readJournal,
} from '../../src/listener/index.js'
import { eventPages, replayEvents } from '../../src/webhooks/index.js'
import { pullableService, startMs } from '../support/listener/pullable-service.js'
import { launchListener, postEvent, type RunningListener } from '../support/listener/test-listener.js'

type Service = ReturnType<typeof pullableService>

/** Pulls until that many listings are over; `after` is called at the end of each. */
async function pull(
  listener: RunningListener,
  service: Service,
  listings: number,
  options: Partial<PullOptions> & { after?: (listing: number) => void } = {},
) {
  const { after = () => {}, ...rest } = options
  const stop = new AbortController()
  const errors: string[] = []
  const asked: string[] = []
  const pausesMs: number[] = []
  let done = 0
  await pullEvents({
    listEvents(query) {
      asked.push(query.since)
      return service.listEvents(query)
    },
    serviceNow: service.now,
    listener,
    secret: () => ({ name: 'test', secret: listener.secret }),
    signal: stop.signal,
    clock: {
      monotonicMs: service.monotonicMs,
      async sleep(ms) {
        service.pass(ms)
        pausesMs.push(ms)
        // Between two listings there are seconds, between two pages a moment.
        if (ms < 1_000) return
        after(++done)
        if (done >= listings) stop.abort()
      },
    },
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
    ...rest,
  })
  return { errors, asked, pausesMs }
}

const idsOf = (listener: RunningListener) => listener.recordsOf('event').map(({ eventId }) => eventId)
const all = (count: number) => Array.from({ length: count }, (_, index) => `evt_${index + 1}`)

describe('pulling', () => {
  it('takes every page, signs locally, and labels what it took', async () => {
    const listener = await launchListener()
    const service = pullableService()
    for (let count = 0; count < 5; count++) service.emit()
    await pull(listener, service, 1, { sinceMs: startMs })
    expect(listener.recordsOf('event').map(({ eventId, source, verified }) => [eventId, source, verified])).toEqual(
      all(5).map((id) => [id, 'pull', true]),
    )
  })

  it('asks a service that is away less and less often, and again after fifteen seconds at most', async () => {
    const listEvents = async () => {
      throw new Error('away')
    }
    const { pausesMs, errors } = await pull(await launchListener(), pullableService(), 8, { listEvents })
    expect(errors).toHaveLength(8)
    expect(pausesMs).toEqual([4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000])
  })

  it('keeps the bytes of the list, which are those of the webhook, however they are printed', async () => {
    const listener = await launchListener()
    const service = pullableService()
    const data =
      '{ "eventId":"evt_1", "eventType" : "delivery.new_type", "occurredAt":"2026-03-02T15:00:00.000Z", "n":1.0 }'
    service.emit({ data })
    await pull(listener, service, 1, { sinceMs: startMs })
    await listener.close()
    const journal = await readJournal(listener.journalFile)
    expect((await Array.fromAsync(journal.list())).map(({ body }) => Buffer.from(body).toString())).toEqual([data])
    await journal.close()
  })

  it('continues after a restart where it stopped, and takes nothing twice', async () => {
    const service = pullableService()
    for (let count = 0; count < 3; count++) service.emit()
    const first = await launchListener()
    await pull(first, service, 2, { sinceMs: startMs })
    await first.close()
    service.pass(3_600_000)
    service.emit()
    const { secret, journalFile } = first
    const second = await launchListener({ secrets: [{ name: 'test', secret }], journalFile })
    const { asked } = await pull(second, service, 1)
    expect(idsOf(second)).toEqual(['evt_4'])
    expect(asked[0]).toBe(new Date(startMs).toISOString())
  })

  it('leaves no position after a single listing, so that nothing before it is left out later', async () => {
    const service = pullableService()
    const first = await launchListener()
    await pull(first, service, 1)
    await first.close()
    service.pass(60_000)
    service.emit()
    service.pass(3_600_000)
    const { secret, journalFile } = first
    const secrets = [{ name: 'test', secret }]
    const second = await launchListener({ secrets, journalFile })
    await pull(second, service, 1, { once: true, sinceMs: service.nowMs() - 60_000 })
    expect(idsOf(second)).toEqual([])
    await second.close()
    const third = await launchListener({ secrets, journalFile })
    await pull(third, service, 1)
    expect(idsOf(third)).toEqual(['evt_1'])
  })

  it('asks for no more than the service keeps, however long ago it last ran', async () => {
    const { asked } = await pull(await launchListener(), pullableService(), 1, { sinceMs: startMs - 90 * 86_400_000 })
    expect(asked).toEqual(['2026-01-31T15:01:00.000Z'])
  })

  it('knows an event that was posted as well', async () => {
    const listener = await launchListener()
    const service = pullableService()
    const { body } = service.emit()
    await postEvent(listener.url, listener.secret, { id: 'evt_1', body: Buffer.from(JSON.stringify(JSON.parse(body))) })
    await pull(listener, service, 1, { sinceMs: startMs })
    expect(listener.recordsOf('event').map(({ source }) => source)).toEqual(['webhook'])
  })
})

describe('pulling never skips an event silently', () => {
  it("starts from the service's clock, whatever this machine's says", async () => {
    const listener = await launchListener()
    const service = pullableService()
    // This machine is ten minutes ahead of the service, and signs by its own clock.
    const now = () => service.nowMs() + 600_000
    await pull(listener, service, 13, { now, after: (listing) => listing <= 12 && service.emit() })
    expect(idsOf(listener)).toEqual(all(12))
  })

  it('starts when it was called, however late the service first answers', async () => {
    const listener = await launchListener()
    const service = pullableService()
    let isAway = true
    await pull(listener, service, 2, {
      serviceNow: () => (isAway ? Promise.reject(new Error('away')) : service.now()),
      after() {
        if (isAway) service.emit()
        isAway = false
      },
    })
    expect(idsOf(listener)).toEqual(['evt_1'])
  })

  it('is not led away by an event of the far future', async () => {
    const listener = await launchListener()
    const service = pullableService()
    service.emit({ occurredAt: '2099-01-01T00:00:00.000Z' })
    await pull(listener, service, 3, { sinceMs: startMs, after: (listing) => listing <= 2 && service.emit() })
    expect(idsOf(listener)).toEqual(all(3))
  })

  it('takes an event that becomes visible 90 s late, after a restart as well', async () => {
    const service = pullableService()
    const first = await launchListener()
    service.emit({ visibleAfterMs: 90_000 })
    service.emit()
    await pull(first, service, 60, { sinceMs: startMs })
    expect(idsOf(first)).toEqual(['evt_2', 'evt_1'])
    service.emit({ visibleAfterMs: 3_600_000 })
    await pull(first, service, 1)
    await first.close()
    service.pass(3_600_000)
    const { secret, journalFile } = first
    const second = await launchListener({ secrets: [{ name: 'test', secret }], journalFile })
    await pull(second, service, 1)
    expect(idsOf(second)).toEqual(['evt_3'])
  })

  it('says that the clock was set back, and fetches what happened since', async () => {
    const service = pullableService()
    const first = await launchListener()
    service.pass(10 * 86_400_000)
    service.emit()
    await pull(first, service, 2, { sinceMs: startMs })
    await first.close()
    // The sandbox's clock is reset: everything that follows lies before the position.
    service.reset(startMs + 60_000)
    for (let count = 0; count < 3; count++) service.emit()
    const { secret, journalFile } = first
    const second = await launchListener({ secrets: [{ name: 'test', secret }], journalFile })
    const { errors } = await pull(second, service, 1)
    expect(idsOf(second)).toEqual(['evt_2', 'evt_3', 'evt_4'])
    expect(errors).toEqual([
      expect.stringMatching(/^Events were fetched up to 2026-03-12T.*the service's clock says 2026-03-02T/),
    ])
  })

  it('says once which events the service kept no longer when it pulled again, also while it pulls', async () => {
    const service = pullableService()
    const first = await launchListener()
    service.emit()
    await pull(first, service, 2, { sinceMs: startMs })
    await first.close()
    service.pass(40 * 86_400_000)
    service.emit()
    const { secret, journalFile } = first
    const second = await launchListener({ secrets: [{ name: 'test', secret }], journalFile })
    const { errors } = await pull(second, service, 22, {
      after: (listing) => listing === 2 && service.pass(50 * 86_400_000),
    })
    expect(idsOf(second)).toEqual(['evt_2'])
    const span = (from: string, to: string) =>
      new RegExp(`no longer lists the events from ${from}T.* to ${to}T.* They were not`)
    expect(errors).toEqual([
      expect.stringMatching(span('2026-03-02', '2026-03-12')),
      expect.stringMatching(span('2026-04-11', '2026-05-01')),
    ])
  })

  it('notices within half a minute that the clock was set back while it pulls', async () => {
    const listener = await launchListener()
    const service = pullableService()
    service.pass(10 * 86_400_000)
    const { errors } = await pull(listener, service, 20, {
      after(listing) {
        if (listing !== 2) return
        service.reset(startMs)
        service.emit()
      },
    })
    expect(idsOf(listener)).toEqual(['evt_1'])
    expect(errors).toEqual([expect.stringContaining('was set back')])
  })

  it('takes what stands around a record that it cannot use, and says so once', async () => {
    const listener = await launchListener()
    const service = pullableService()
    service.emit()
    service.emit({ data: undefined })
    service.emit({ data: '{"eventId":"evt_of_someone_else"}' })
    service.emit({ data: `{"eventId":"evt_4","deep":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}` })
    service.emit({ eventId: undefined })
    service.emit()
    const { errors } = await pull(listener, service, 3, { sinceMs: startMs })
    expect(idsOf(listener)).toEqual(['evt_1', 'evt_6'])
    expect(errors).toEqual([
      expect.stringMatching(/evt_2 .* has no data and was skipped/),
      expect.stringMatching(/evt_3 .* eventId/),
      expect.stringMatching(/evt_4 .* nested deeper than 200 levels and was skipped/),
      expect.stringContaining('has no eventId and was skipped'),
    ])
  })

  it.each([
    ['gives the same cursor again', () => 'again', /gave the same cursor twice/],
    ['returns a new cursor forever', (page: number) => `page ${page}`, /3 pages in a row with nothing new/],
  ])('ends a listing that %s, says so, and asks at most 20 times a second', async (_, cursorOf, said) => {
    const listener = await launchListener()
    const service = pullableService()
    for (let count = 0; count < 2; count++) service.emit()
    const requestedAtMs: number[] = []
    const { errors } = await pull(listener, service, 2, {
      sinceMs: startMs,
      async listEvents(query) {
        requestedAtMs.push(service.monotonicMs())
        const page = JSON.parse(String(await service.listEvents({ since: query.since, limit: query.limit })))
        return Buffer.from(JSON.stringify({ ...page, nextCursor: cursorOf(requestedAtMs.length) }))
      },
    })
    expect(idsOf(listener)).toEqual(all(2))
    expect(errors).toEqual([expect.stringMatching(said), expect.stringMatching(said)])
    expect(requestedAtMs.length).toBeLessThanOrEqual(8)
    const gaps = requestedAtMs.slice(1).map((atMs, index) => atMs - (requestedAtMs[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50)
  })
})

describe('gaps', () => {
  it('are what the service emitted and the journal lacks; a replay closes them, and nothing comes twice', async () => {
    const service = pullableService()
    const bodies = Array.from({ length: 6 }, () => service.emit().body)
    const listener = await launchListener()
    for (const index of [0, 3]) {
      const body = Buffer.from(bodies[index] ?? '')
      await postEvent(listener.url, listener.secret, { id: `evt_${index + 1}`, body })
    }
    const gaps = await gapsOf(listener, service)
    expect(gaps.map(({ eventId }) => eventId)).toEqual(['evt_2', 'evt_3', 'evt_5', 'evt_6'])
    expect(gaps[0]).toEqual({
      eventId: 'evt_2',
      eventType: 'delivery.eta_updated',
      occurredAt: '2026-03-02T15:00:00.001Z',
      deliveryId: 'del_1',
      lastDeliveryStatus: 'failed',
      deliveryAttempts: 8,
    })
    const replayable = gaps.map(({ eventId }) => ({
      id: eventId,
      body: Buffer.from(bodies[Number(eventId.slice(4)) - 1] ?? ''),
    }))
    const sending = { events: replayable, url: listener.url, sign: { secrets: [listener.secret] } }
    await Array.fromAsync(replayEvents(sending))
    expect(await gapsOf(listener, service)).toEqual([])
    expect(listener.recordsOf('event').every(({ duplicate }) => !duplicate)).toBe(true)
    expect(listener.recordsOf('event')).toHaveLength(6)
  })
})

async function gapsOf(journal: Pick<JournalReader, 'has'>, service: Service): Promise<Gap[]> {
  const since = new Date(startMs).toISOString()
  const pages = await Array.fromAsync(eventPages((page) => service.listEvents({ since, ...page })))
  return await Array.fromAsync(
    findGaps(
      journal,
      pages.flatMap(({ events }) => events),
    ),
  )
}
