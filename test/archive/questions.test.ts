import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ArchivePaths, fillArchive, openArchive, runQuery } from '../../src/archive/index.js'
import { archiveService } from '../../src/cli/archive/archive-service.js'
import { createClient } from '../../src/client/index.js'
import type { Delivery, EventRecord } from '../../src/contract/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { pathsIn } from '../support/archive/event-list.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { createTempDir } from '../support/temp-dir.js'

const dayMs = 86_400_000
const beganMs = Date.parse('2026-06-17T15:00:00Z')

/** A delivery as `GET /deliveries/{deliveryId}` gives it, with the events about it. */
interface Told extends Delivery {
  events: EventRecord[]
}

const deliveries: Told[] = []
const events: EventRecord[] = []
let paths: ArchivePaths

beforeAll(async () => {
  let nowMs = beganMs
  const sandbox = await startSandbox({ clock: { now: () => nowMs }, rateLimit: 'off' })
  let end = () => {}
  const receiver = await startTestReceiver(
    ({ event }) => (/[0-4]$/.test(event.eventId) ? 500 : 204),
    (close) => {
      end = close
    },
  )
  const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
  await sandbox.steer('POST', '/seed', { over: '9d', count: 100, mix: 'bad-day', seed: 5 })
  await sandbox.steer('POST', '/endpoints', { url: receiver.url })
  nowMs += 30 * 3_600_000
  await sandbox.steer('POST', '/seed', { count: 20, seed: 6 })
  await sandbox.clock.advance('6h')
  const localNowMs = () => nowMs
  const serviceNowMs = async () => Date.parse((await sandbox.clock.now()).now)
  const since = new Date(beganMs - 12 * dayMs).toISOString()
  for await (const event of client.each('listEvents', { since, limit: 100 })) events.push(event)
  for await (const { deliveryId } of client.each('listDeliveries', { from: since, limit: 100 }))
    deliveries.push({
      ...(await client.getDelivery({ deliveryId })),
      events: events.filter((event) => event.deliveryId === deliveryId),
    })
  paths = pathsIn(createTempDir(afterAll))
  const writer = await openArchive(paths, { nowMs: localNowMs })
  const service = archiveService(client, { localNowMs, serviceNowMs })
  await fillArchive(writer, service, { nowMs: localNowMs, fromMs: () => Date.parse(since), onWarning: expect.fail })
  writer.close()
  await client.close()
  await sandbox.close()
  end()
}, 60_000)

type Step = NonNullable<Told['statusHistory']>[number] & { status: string; occurredAt: string }
const stepsOf = (one: Told) => (one.statusHistory ?? []) as Step[]
const first = (one: Told, ...statuses: string[]) => stepsOf(one).find(({ status }) => statuses.includes(status))
const firstMs = (one: Told, ...statuses: string[]) => Date.parse(first(one, ...statuses)?.occurredAt ?? '')
const lastMs = (one: Told, status: string) =>
  Date.parse(stepsOf(one).findLast((step) => step.status === status)?.occurredAt ?? '')
const minutes = (fromMs: number, toMs: number) => (Number.isNaN(toMs - fromMs) ? [] : [(toMs - fromMs) / 60_000])
const day = (time?: string | null) => time?.slice(0, 10) ?? null
const stateOf = ({ dropoff }: Told) => (dropoff?.address as { state: string }).state
const driver = (one: Told) => one.driver?.id ?? null
const installation = ({ dropoff }: Told) => dropoff?.installation?.code ?? null
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const quantile = (values: readonly number[], part = 0.5) => {
  const ascending = values.toSorted((one, other) => one - other)
  const place = part * (ascending.length - 1)
  const [low = 0, high = 0] = [ascending[Math.floor(place)], ascending[Math.ceil(place)]]
  return low + (high - low) * (place % 1)
}
/** The groups of a list, and a value of each. */
function by<Item, Value>(list: readonly Item[], key: (item: Item) => string | null, value: (group: Item[]) => Value) {
  const groups = new Map<string | null, Item[]>()
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups].map(([name, group]) => [name, value(group)] as [string | null, Value])
}
const count = (group: readonly unknown[]) => group.length
const is = (...statuses: string[]) => deliveries.filter(({ status }) => statuses.includes(status))
const bad = ['failed', 'return_in_progress', 'returned']
const failed = () => is(...bad, 'cancelled').filter((one) => first(one, ...bad) !== undefined)
const cancelled = () => is('cancelled').filter((one) => first(one, ...bad) === undefined)
const etas = ({ events }: Told) =>
  events.flatMap(({ eventType, data }) =>
    eventType === 'delivery.eta_updated' ? Date.parse((data as { eta: { dropoff: string } }).eta.dropoff) : [],
  )
const judged = () =>
  is('delivered').flatMap((one) => {
    const [etaMs] = etas(one)
    return etaMs === undefined ? [] : { one, isLate: firstMs(one, 'delivered') > etaMs + 300_000 }
  })
const toDriver = (one: Told) => minutes(firstMs(one, 'accepted'), firstMs(one, 'driver_assigned'))
const firstDriver = `(SELECT delivery_id, min(occurred_at) AS first_at FROM status_history WHERE status = 'driver_assigned' GROUP BY 1) USING (delivery_id)`
const span = (from: string, to: string) => `(julianday(${to}) - julianday(${from})) * 1440`

/** What an operator asks: the question, the SQL, and the answer from the service's own JSON. */
const questions: Record<string, [sql: string, answer: () => unknown[][]]> = {
  'How many deliveries has each status?': [
    'SELECT status, count(*) FROM deliveries GROUP BY 1',
    () => by(deliveries, ({ status }) => status, count),
  ],
  'What part came on time?': [
    'SELECT avg(is_on_time), count(is_on_time), count(*) FROM on_time',
    () => [[mean(judged().map(({ isLate }) => Number(!isLate))), judged().length, is('delivered').length]],
  ],
  'How many minutes does it take to the first driver, in the middle and at worst, in each state?': [
    `SELECT state, median(${span('accepted_at', 'first_at')}), max(${span('accepted_at', 'first_at')}) FROM deliveries JOIN ${firstDriver} WHERE accepted_at IS NOT NULL GROUP BY 1`,
    () =>
      by(
        deliveries.filter((one) => toDriver(one).length > 0),
        stateOf,
        (group) => group.flatMap(toDriver),
      ).map(([state, waits]) => [state, quantile(waits), Math.max(...waits)]),
  ],
  'How many minutes from the order to the door in nine of ten?': [
    `SELECT percentile(${span('accepted_at', 'ended_at')}, 90) FROM deliveries WHERE status = 'delivered'`,
    () => [
      [
        quantile(
          is('delivered').flatMap((one) => minutes(firstMs(one, 'accepted'), firstMs(one, 'delivered'))),
          0.9,
        ),
      ],
    ],
  ],
  'Which drivers wait longest at stores?': [
    `SELECT driver_id, avg(${span('at_store_at', 'picked_up_at')}) FROM deliveries WHERE status = 'delivered' GROUP BY 1`,
    () =>
      by(is('delivered'), driver, (group) =>
        mean(group.flatMap((one) => minutes(lastMs(one, 'driver_at_pickup'), lastMs(one, 'pickup_complete')))),
      ),
  ],
  'Why did deliveries fail?': [
    "SELECT status_reason_code, count(*) FROM failures WHERE outcome = 'failed' GROUP BY 1",
    () => by(failed(), (one) => first(one, ...bad)?.statusReasonCode ?? null, count),
  ],
  'What was paid for nothing?': [
    'SELECT sum(wasted_cents), count(*) FROM failures',
    () => [
      [
        sum(failed().map(({ pricing }) => pricing?.totalPriceCents ?? 0)) +
          sum(cancelled().map(({ pricing }) => pricing?.cancellationFeeCents ?? 0)),
        failed().length + cancelled().length + is('expired').length,
      ],
    ],
  ],
  'How did each day end?': [
    'SELECT day, delivered, failed, cancelled, expired, active FROM daily',
    () =>
      by(
        deliveries,
        ({ createdAt }) => day(createdAt),
        (group) => {
          const of = (list: readonly Told[]) => group.filter((one) => list.includes(one)).length
          const ended = [is('delivered'), failed(), cancelled(), is('expired')].map(of)
          return [...ended, group.length - sum(ended)]
        },
      ).map(([name, counts]) => [name, ...counts]),
  ],
  'Which deliveries lost their driver, and how often?': [
    "SELECT delivery_id, count(*) n FROM status_history WHERE status = 'reassigning' GROUP BY 1",
    () =>
      deliveries
        .map((one) => [one.deliveryId, stepsOf(one).filter(({ status }) => status === 'reassigning').length])
        .filter(([, n = 0]) => Number(n) > 0),
  ],
  'How many minutes does a return take?': [
    `SELECT avg(${span('failed_at', 'ended_at')}) FROM failures JOIN deliveries USING (delivery_id) WHERE deliveries.status = 'returned'`,
    () => [[mean(is('returned').flatMap((one) => minutes(firstMs(one, ...bad), firstMs(one, 'returned'))))]],
  ],
  'Which proofs are there?': [
    'SELECT type, count(*) FROM proofs GROUP BY 1',
    () =>
      by(
        deliveries.flatMap(({ proofOfDelivery }) => proofOfDelivery ?? []),
        ({ type }) => type ?? null,
        count,
      ),
  ],
  'How do deliveries to installations end?': [
    "SELECT installation_code || ' ' || status, count(*) FROM deliveries WHERE installation_code IS NOT NULL GROUP BY 1",
    () =>
      by(
        deliveries.filter((one) => installation(one) !== null),
        (one) => `${installation(one)} ${one.status}`,
        count,
      ),
  ],
  'What is under way, and since when?': [
    "SELECT delivery_id, status, status_since FROM deliveries WHERE status NOT IN ('delivered', 'failed', 'returned', 'cancelled', 'expired')",
    () =>
      deliveries
        .filter(({ status }) => !['delivered', 'failed', 'returned', 'cancelled', 'expired'].includes(status))
        .map((one) => [one.deliveryId, one.status, stepsOf(one).at(-1)?.occurredAt]),
  ],
  'How far was the first ETA off?': [
    `SELECT median(${span('first_eta', 'ended_at')}) FROM deliveries WHERE status = 'delivered'`,
    () => [
      [quantile(is('delivered').flatMap((one) => minutes(etas(one)[0] ?? Number.NaN, firstMs(one, 'delivered'))))],
    ],
  ],
  'How many webhooks failed or wait, each day?': [
    'SELECT day, failed, pending, no_endpoint_configured, attempts FROM webhook_health',
    () =>
      by(
        events,
        ({ occurredAt }) => day(occurredAt),
        (group) => [
          ...['failed', 'pending', 'no_endpoint_configured'].map(
            (word) => group.filter(({ lastDeliveryStatus }) => lastDeliveryStatus === word).length,
          ),
          sum(group.map(({ deliveryAttempts }) => deliveryAttempts ?? 0)),
        ],
      ).map(([name, counts]) => [name, ...counts]),
  ],
  'Who ordered more than three times?': [
    'SELECT contact_phone, count(*) n FROM people GROUP BY 1 HAVING n > 3',
    () => by(deliveries, ({ dropoff }) => dropoff?.contactPhone ?? null, count).filter(([, n]) => n > 3),
  ],
  'Which deliveries ended badly?': [
    "SELECT delivery_id FROM failures WHERE status IN ('failed', 'return_in_progress', 'expired')",
    () => is('failed', 'return_in_progress', 'expired').map(({ deliveryId }) => [deliveryId]),
  ],
  'Which deliveries lack a proof that they must have?': [
    `SELECT delivery_id FROM deliveries WHERE status = 'delivered' AND EXISTS (SELECT 1 FROM json_each(required_proofs) r WHERE r.value NOT IN (SELECT value FROM json_each(deliveries.proofs)))`,
    () =>
      is('delivered')
        .filter(({ resolvedVerification, proofOfDelivery = [] }) =>
          Object.entries(resolvedVerification?.dropoff ?? {}).some(
            ([name, check]) =>
              (check as { level?: string }).level === 'required' &&
              ['photo', 'signature', 'barcode', 'pinCode'].includes(name) &&
              !proofOfDelivery?.some(({ type }) => type === name.toLowerCase()),
          ),
        )
        .map(({ deliveryId }) => [deliveryId]),
  ],
}

const sorted = (rows: unknown[][]) =>
  rows.map((row) => [...row]).sort((one, other) => (String(one) < String(other) ? -1 : 1))

describe('SQL answers as the JSON of the service does', () => {
  it.each(Object.entries(questions))('%s', (question, [sql, answer]) => {
    const { rows } = runQuery({ paths, sql, parameters: {}, withPeople: sql.includes('FROM people') })
    const expected = sorted(answer())
    expect(expected.length > 0 || question.includes('lack a proof')).toBe(true)
    const close = (value: unknown) =>
      typeof value === 'number' && !Number.isInteger(value) ? expect.closeTo(value, 3) : value
    expect(sorted([...rows])).toEqual(expected.map((row) => row.map(close)))
  })
})
