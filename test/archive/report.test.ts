import { expect, it } from 'vitest'
import { ArchiveReader } from '../../src/archive/index.js'
import { gatherReport } from '../../src/cli/report/gather.js'
import { deliveryStatuses, statusReasonCodes } from '../../src/contract/index.js'
import { eventFact, groupings } from '../../src/report/index.js'
import { eventList, fillOnce, type ListEvent, pathsIn, startMs } from '../support/archive/event-list.js'
import { reportFromEvents } from '../support/report/from-events.js'
import { fc, sampleCount } from '../support/samples.js'
import { createTempDir } from '../support/temp-dir.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const way = deliveryStatuses.slice(0, 11)

const webhook = fc.constantFrom('delivered', 'pending', 'failed', 'no_endpoint_configured', 'later', null)
const drawnStep = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 1, max: 40 * minuteMs }), fc.constant(5 * minuteMs)),
  attempts: fc.nat(2),
  webhook,
  reason: fc.option(fc.constantFrom(...statusReasonCodes), { nil: undefined }),
  etaMs: fc.option(fc.integer({ min: 0, max: 30 * hourMs }), { nil: undefined, freq: 3 }),
})
const drawnDelivery = fc.record({
  beginsMs: fc.integer({ min: 3 * hourMs, max: 20 * hourMs }),
  statuses: fc.oneof(
    fc.subarray(way),
    fc.constant(way),
    fc.array(fc.constantFrom(...deliveryStatuses), { minLength: 1, maxLength: 12 }),
  ),
  steps: fc.array(drawnStep, { minLength: 12, maxLength: 12 }),
  driver: fc.integer({ min: 1, max: 9 }),
  snapshot: fc.record(
    {
      pricing: fc.record({
        currency: fc.constant('USD'),
        totalPriceCents: fc.nat(3_000),
        tipAmountCents: fc.nat(500),
        cancellationFeeCents: fc.nat(900),
      }),
      timeWindows: fc.nat(20 * hourMs).map((ms) => ({
        deliveryMode: 'scheduled',
        dropoff: { start: new Date(startMs + ms).toISOString(), end: new Date(startMs + ms + hourMs).toISOString() },
      })),
      proofOfDelivery: fc.constantFrom([{ type: 'photo' }], [{ type: 'signature' }, { type: 'photo' }]),
      resolvedVerification: fc.constant({ dropoff: { photo: { level: 'required' } } }),
    },
    { requiredKeys: [] },
  ),
})

function eventsOf(drawn: (typeof drawnDelivery extends fc.Arbitrary<infer Drawn> ? Drawn : never)[]): ListEvent[] {
  return drawn.flatMap(({ beginsMs, statuses, steps, driver, snapshot }, delivery) => {
    const createdAt = new Date(startMs + beginsMs + (steps[0]?.afterMs ?? 0)).toISOString()
    let atMs = beginsMs
    return statuses.flatMap((status, index): ListEvent[] => {
      const { afterMs = 1, attempts = 0, webhook = null, reason, etaMs } = steps[index] ?? {}
      atMs += afterMs
      const event = { delivery, status, atMs, attempts, webhook, driver }
      const more = { ...snapshot, createdAt, ...(reason === undefined ? {} : { statusReasonCode: reason }) }
      const eta = { ...event, atMs: ++atMs, eventType: 'delivery.eta_updated', more }
      return [{ ...event, more }, ...(etaMs === undefined ? [] : [{ ...eta, etaMs }])]
    })
  })
}

it('a report from the archive is equal to one that is put together event by event', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawnDelivery, { minLength: 50, maxLength: 90 }),
      fc.record({ fromMs: fc.integer({ min: 8 * hourMs, max: 12 * hourMs }), hours: fc.integer({ min: 1, max: 8 }) }),
      fc.constantFrom(undefined, ...groupings),
      fc.constantFrom({}, { slaMs: 50 * minuteMs }, { file: new Map([['ORDER-7', startMs + 11 * hourMs]]) }),
      async (drawn, { fromMs, hours }, by, promises) => {
        const list = eventList(eventsOf(drawn))
        const paths = pathsIn(createTempDir())
        // Their webhooks went another way when they were first read.
        const first = eventList(
          eventsOf(drawn).map((event) => ({ ...event, attempts: 1, webhook: event.webhook && 'pending' })),
        )
        first.setNow(26 * hourMs)
        list.setNow(48 * hourMs)
        await fillOnce(paths, first)
        await fillOnce(paths, list)
        const period = { fromMs: startMs + fromMs, toMs: startMs + fromMs + hours * hourMs }
        const options = { ...period, by, promises }
        const facts = list.records.flatMap((record) => eventFact(record) ?? [])
        const fromEvents = reportFromEvents(facts, { ...options, eventsSinceMs: startMs - minuteMs })
        const archive = ArchiveReader.open(paths)
        const fromArchive = gatherReport([{ archive, promises }], options)
        archive.close()
        expect(fromArchive).toEqual(fromEvents)
      },
    ),
    { numRuns: sampleCount(5), endOnFailure: true },
  )
})
