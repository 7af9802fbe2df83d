import { describe, expect, it } from 'vitest'
import type { EventPage, EventRecord } from '../../src/contract/index.js'
import { findGaps, type Gap, type PullOptions, pullEvents, readJournal } from '../../src/listener/index.js'
import { replayEvents, sampleEvent } from '../../src/webhooks/index.js'
import { aListener, postEvent, type RunningListener } from '../support/listener/test-listener.js'

const startMs = Date.parse('2026-03-02T15:00:00.000Z')

/** The service's list of events: one a second, pages of two. */
function aService(count: number) {
  const events: EventRecord[] = []
  const emit = () => {
    const occurredAtMs = startMs + events.length * 1_000
    const data = sampleEvent('delivery.eta_updated', {
      eventId: `evt_${events.length + 1}`,
      deliveryId: 'del_1',
      occurredAtMs,
    })
    const { eventId, eventType, occurredAt } = data
    events.push({
      eventId,
      eventType,
      occurredAt,
      deliveryId: 'del_1',
      lastDeliveryStatus: 'failed',
      deliveryAttempts: 8,
      data,
    })
  }
  for (let index = 0; index < count; index++) emit()
  const listEvents = async ({ since, cursor = '0' }: { since: string; cursor?: string }) => {
    const from = events.filter(({ occurredAt }) => occurredAt >= since)
    const at = Number(cursor)
    const nextCursor = at + 2 < from.length ? String(at + 2) : null
    const value: EventPage = { events: from.slice(at, at + 2), nextCursor }
    return { value, body: Buffer.from(JSON.stringify(value, null, 1)) }
  }
  return { events, emit, listEvents }
}

/** Polls until `polls` are done. */
async function pull(
  listener: RunningListener,
  polls: number,
  options: Partial<PullOptions> & Pick<PullOptions, 'listEvents'>,
) {
  const stop = new AbortController()
  let done = 0
  await pullEvents({
    listener,
    secret: { name: 'test', secret: listener.secret },
    sinceMs: startMs,
    now: () => startMs + 3_600_000,
    signal: stop.signal,
    sleep: async () => {
      if (++done >= polls) stop.abort()
    },
    ...options,
  })
}

describe('pulling', () => {
  it('takes every page, signs locally, and labels what it took', async () => {
    const listener = await aListener()
    await pull(listener, 1, aService(5))
    expect(listener.recordsOf('event').map(({ eventId, source, verified }) => [eventId, source, verified])).toEqual(
      [1, 2, 3, 4, 5].map((number) => [`evt_${number}`, 'pull', true]),
    )
  })

  it('keeps the bytes of the list, which are those of the webhook, however they are printed', async () => {
    const listener = await aListener()
    const data =
      '{ "eventId":"evt_1", "eventType" : "delivery.new_type", "occurredAt":"2026-03-02T15:00:00.000Z", "n":1.0 }'
    const text = `{"events": [{"data": ${data}, "eventId": "evt_1"}], "nextCursor": null}`
    const event = { ...JSON.parse(data), data: JSON.parse(data) }
    await pull(listener, 1, {
      listEvents: async () => ({ value: { events: [event], nextCursor: null }, body: Buffer.from(text) }),
    })
    await listener.close()
    const journal = readJournal(listener.journalFile)
    expect([...journal.list()].map(({ body }) => Buffer.from(body).toString())).toEqual([data])
    journal.close()
  })

  it('goes on after a restart where it was, and takes nothing twice', async () => {
    const service = aService(3)
    const first = await aListener()
    await pull(first, 2, service)
    await first.close()
    service.emit()
    const asked: string[] = []
    const { secret, journalFile } = first
    const second = await aListener({ secrets: [{ name: 'test', secret }], journalFile })
    await pull(second, 1, {
      sinceMs: 0,
      listEvents: (query) => {
        asked.push(query.since)
        return service.listEvents(query)
      },
    })
    expect(second.recordsOf('event').map(({ eventId }) => eventId)).toEqual(['evt_4'])
    // A minute back from the newest event of the first run.
    expect(asked[0]).toBe('2026-03-02T14:59:02.000Z')
  })

  it('asks for no more than the service keeps, however long ago it last ran', async () => {
    const listener = await aListener()
    const asked: string[] = []
    await pull(listener, 1, {
      sinceMs: startMs - 90 * 86_400_000,
      now: () => startMs,
      listEvents: async ({ since }) => {
        asked.push(since)
        return { value: { events: [], nextCursor: null } }
      },
    })
    expect(asked).toEqual(['2026-01-31T15:01:00.000Z'])
  })

  it('knows an event that was posted as well', async () => {
    const service = aService(1)
    const listener = await aListener()
    const [event] = service.events
    await postEvent(listener.url, listener.secret, {
      id: 'evt_1',
      body: Buffer.from(JSON.stringify(event?.data, null, 2)),
    })
    await pull(listener, 1, service)
    expect(listener.recordsOf('event').map(({ source }) => source)).toEqual(['webhook'])
  })

  it('reports a failed poll, waits longer, and goes on', async () => {
    const service = aService(1)
    const listener = await aListener()
    const waits: number[] = []
    const errors: unknown[] = []
    let polls = 0
    const stop = new AbortController()
    await pullEvents({
      listener,
      secret: { name: 'test', secret: listener.secret },
      sinceMs: startMs,
      now: () => startMs + 3_600_000,
      intervalMs: 100,
      signal: stop.signal,
      onError: (error) => errors.push(error),
      listEvents: (query) => (++polls <= 2 ? Promise.reject(new Error('away')) : service.listEvents(query)),
      sleep: async (ms) => {
        waits.push(ms)
        if (polls === 3) stop.abort()
      },
    })
    expect(waits).toEqual([200, 400, 100])
    expect(errors).toEqual([new Error('away'), new Error('away')])
    expect(listener.recordsOf('event')).toHaveLength(1)
  })

  it('passes over an event that it cannot take, saying so once', async () => {
    const service = aService(2)
    service.events[0] = { ...(service.events[0] as EventRecord), data: { eventId: 'evt_of_someone_else' } }
    const listener = await aListener()
    const errors: string[] = []
    await pull(listener, 3, { ...service, onError: (error) => errors.push(String(error)) })
    expect(listener.recordsOf('event').map(({ eventId }) => eventId)).toEqual(['evt_2'])
    expect(errors).toEqual([expect.stringContaining('evt_1')])
  })
})

describe('gaps', () => {
  it('are what the service emitted and the journal lacks; a replay closes them, and nothing comes twice', async () => {
    const { events } = aService(6)
    const listener = await aListener()
    for (const index of [0, 3]) {
      const event = events[index] as EventRecord
      await postEvent(listener.url, listener.secret, {
        id: event.eventId,
        body: Buffer.from(JSON.stringify(event.data)),
      })
    }
    const gaps = await gapsOf(listener, events)
    expect(gaps.map(({ eventId }) => eventId)).toEqual(['evt_2', 'evt_3', 'evt_5', 'evt_6'])
    expect(gaps[0]).toEqual({
      eventId: 'evt_2',
      eventType: 'delivery.eta_updated',
      occurredAt: '2026-03-02T15:00:01.000Z',
      deliveryId: 'del_1',
      lastDeliveryStatus: 'failed',
      deliveryAttempts: 8,
    })
    const missing = new Set(gaps.map(({ eventId }) => eventId))
    const replayable = events
      .filter(({ eventId }) => missing.has(eventId))
      .map(({ eventId, data }) => ({ id: eventId, body: Buffer.from(JSON.stringify(data)) }))
    const sending = { events: replayable, url: listener.url, sign: { secrets: [listener.secret] } }
    await Array.fromAsync(replayEvents(sending))
    expect(await gapsOf(listener, events)).toEqual([])
    expect(listener.recordsOf('event').every(({ duplicate }) => !duplicate)).toBe(true)
    expect(listener.recordsOf('event')).toHaveLength(6)
  })

  it('are found in the journal of a listener that is not running', async () => {
    const { events } = aService(2)
    const listener = await aListener()
    await listener.close()
    const journal = readJournal(listener.journalFile)
    expect(await gapsOf(journal, events)).toHaveLength(2)
    journal.close()
  })
})

async function gapsOf(journal: { has(eventId: string): boolean }, events: EventRecord[]): Promise<Gap[]> {
  const gaps: Gap[] = []
  for await (const gap of findGaps(journal, events)) gaps.push(gap)
  return gaps
}
