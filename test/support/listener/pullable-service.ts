import { sampleEvent } from '../../../src/webhooks/index.js'

/** What the clock of a `pullableService` says at first. */
export const startMs = Date.parse('2026-03-02T15:00:00.000Z')

const pageSize = 2

interface Emitted {
  record: Record<string, unknown>
  data: string | undefined
  occurredAt: string
  visibleAtMs: number
}

/**
 * The service's list of events with a clock of its own, which moves when time passes and by a millisecond with each
 * event. Pages of two, in the order of `occurredAt`.
 */
export function pullableService() {
  const events: Emitted[] = []
  let nowMs = startMs
  let elapsedMs = 0

  function emit(
    change: { occurredAt?: string; visibleAfterMs?: number; data?: string | undefined; eventId?: undefined } = {},
  ) {
    const eventId = `evt_${events.length + 1}`
    const { occurredAt = new Date(nowMs).toISOString(), visibleAfterMs = 0 } = change
    const occurredAtMs = Date.parse(occurredAt)
    const event = sampleEvent('delivery.eta_updated', { eventId, deliveryId: 'del_1', occurredAtMs })
    const body = JSON.stringify(event, null, 1)
    const { eventType } = event
    const record = {
      ...('eventId' in change ? {} : { eventId }),
      eventType,
      occurredAt,
      deliveryId: 'del_1',
      lastDeliveryStatus: 'failed',
      deliveryAttempts: 8,
    }
    const data = 'data' in change ? change.data : body
    events.push({ record, data, occurredAt, visibleAtMs: nowMs + visibleAfterMs })
    nowMs++
    return { body }
  }

  async function listEvents({ since, cursor = '0' }: { since: string; cursor?: string; limit?: number }) {
    const shown = events
      .filter(({ occurredAt, visibleAtMs }) => occurredAt >= since && visibleAtMs <= nowMs)
      .sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : a.occurredAt > b.occurredAt ? 1 : 0))
    const at = Number(cursor)
    const texts = shown.slice(at, at + pageSize).map(({ record, data }) => {
      const members = JSON.stringify(record).slice(1, -1)
      return data === undefined ? `{${members}}` : `{${members},"data":${data}}`
    })
    const nextCursor = at + pageSize < shown.length ? String(at + pageSize) : null
    return Buffer.from(`{"events":[${texts.join(', ')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  }

  return {
    emit,
    listEvents,
    now: async () => nowMs,
    nowMs: () => nowMs,
    monotonicMs: () => elapsedMs,
    /** Time passes, here and at the service. */
    pass(ms: number) {
      nowMs += ms
      elapsedMs += ms
    },
    /** The service's clock is set. */
    reset(ms: number) {
      nowMs = ms
    },
  }
}
