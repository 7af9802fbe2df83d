import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { deliveryStatuses, OutcomeError, reasonCodesFor } from '../../src/contract/index.js'
import { EventLines } from '../../src/render/event-line.js'
import type { Report } from '../../src/report/index.js'
import { boardColumns, columnOf, endedProblemMs, problemOf, stuckLimits } from '../../src/trade/problems.js'
import { promiseOf } from '../../src/trade/promise.js'
import { isActive, isExpected, toneOf } from '../../src/trade/statuses.js'
import { hasHoles, stepsOf } from '../../src/trade/story.js'
import { mayUpdate } from '../../src/trade/updates.js'
import { webhookStatusOf, webhookTone } from '../../src/trade/webhook-status.js'
import { columnsOf, problemNow } from '../../src/ui/page/models/board.js'
import { DeliveryIndex } from '../../src/ui/server/feed/delivery-index.js'
import { eventItem } from '../../src/ui/server/feed/items.js'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { connectAgent } from '../support/mcp/agent.js'
import { until } from '../support/until.js'

const nowMs = Date.parse('2026-11-20T15:00:00Z')
const style = { terminal: false, colour: false, columns: 200, accessible: false, nowMs, timeZone: 'UTC' } as const
const minutesAgo = (count: number) => new Date(nowMs - count * 60_000).toISOString()

/** A delivery of every status with every reason that may accompany it; `held` is a status that nobody has heard of. */
const cases = [...deliveryStatuses, 'held'].flatMap((status) => {
  const reasons = reasonCodesFor(status)
  return (reasons.length === 0 ? [undefined] : reasons).map((statusReasonCode) => ({ status, statusReasonCode }))
})
/** In their status for 97 minutes, expected 30 minutes ago by the first ETA and in 5 by the newest. */
const deliveries = cases.map(({ status, statusReasonCode }, index) => ({
  deliveryId: `del_${index}`,
  clientOrderReference: `CASE-${index}`,
  dropoff: { installation: { code: 'FTBRAGG' } },
  status,
  statusReasonCode,
  createdAt: minutesAgo(120),
  updatedAt: minutesAgo(97),
  statusHistory: [{ status, occurredAt: minutesAgo(97) }],
  driver: { id: 'drv_1', name: 'Ana', location: { latitude: 1, longitude: 1, updatedAt: minutesAgo(40) } },
}))
const events = deliveries.flatMap(({ statusHistory: _, ...delivery }) => {
  const { deliveryId, status } = delivery
  const event = (eventType: string, minutes: number, more: object = {}) => ({
    eventId: `evt_${deliveryId}_${eventType}_${minutes}`,
    eventType,
    occurredAt: minutesAgo(minutes),
    deliveryId,
    data: { delivery, ...more },
  })
  return [
    event('delivery.eta_updated', 98, { eta: { dropoff: minutesAgo(30) } }),
    event(`delivery.${status}`, 97),
    event('delivery.eta_updated', 14, { eta: { dropoff: minutesAgo(-5) } }),
  ]
})

/** What is under way, accepted two hours ago, comes to its door now: listed only for the test that asks for it. */
let isOver = false
const endings = deliveries
  .filter(({ status }) => isActive(status) && status !== 'return_in_progress')
  .flatMap(({ statusHistory: _, ...delivery }) =>
    [['accepted', 120] as const, ['delivered', 0] as const].map(([status, minutes]) => ({
      eventId: `evt_${delivery.deliveryId}_${minutes}`,
      eventType: `delivery.${status}`,
      occurredAt: minutesAgo(minutes),
      deliveryId: delivery.deliveryId,
      data: { delivery: { ...delivery, status, statusReasonCode: undefined } },
    })),
  )

/** An installation's change, listed only for the test that asks for it. */
let isPolicyKnown = false
const policy = {
  eventId: 'evt_policy',
  eventType: 'installation.access_policy_changed',
  occurredAt: minutesAgo(5),
  deliveryId: '',
  data: {
    eventId: 'evt_policy',
    eventType: 'installation.access_policy_changed',
    occurredAt: minutesAgo(5),
    changed: ['fpconLevel'],
    affectedDeliveryCount: 3,
    installation: { code: 'FTBRAGG', fpconLevel: 'bravo' },
  },
}

/** A service that answers from these, filters by what it is asked for, and has said nothing of its clock. */
function answer(path: string): string {
  const url = new URL(path, 'http://service.test')
  const has = (name: string, value: string) => {
    const wanted = url.searchParams.getAll(name)
    return wanted.length === 0 || wanted.includes(value)
  }
  if (url.pathname === '/health') return JSON.stringify({ status: 'healthy', checkedAt: minutesAgo(0) })
  if (url.pathname === '/deliveries')
    return JSON.stringify({
      deliveries: deliveries.filter(
        (one) => has('status', one.status) && has('clientOrderReference', one.clientOrderReference),
      ),
      nextCursor: null,
    })
  if (url.pathname === '/installations') return JSON.stringify({ installations: [{ code: 'FTX' }], nextCursor: null })
  if (url.pathname === '/installations/FTX') return JSON.stringify({ code: 'FTX' })
  if (url.pathname === '/serviceability') return JSON.stringify({ serviceable: true })
  if (url.pathname === '/events') {
    const chosen = [...events, ...(isPolicyKnown ? [policy] : []), ...(isOver ? endings : [])]
      .filter(({ deliveryId, eventType }) => has('deliveryId', deliveryId) && has('eventType', eventType))
      .filter(({ occurredAt }) => occurredAt >= (url.searchParams.get('since') ?? ''))
      .sort((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1))
    return JSON.stringify({ events: chosen, nextCursor: null })
  }
  const delivery = deliveries.find(({ deliveryId }) => url.pathname === `/deliveries/${deliveryId}`)
  return JSON.stringify(delivery ?? { error: { code: 'DELIVERY_NOT_FOUND', message: '', requestId: '' } })
}

let service: JsonServer
beforeAll(async () => {
  service = await startJsonServer(answer)
})
afterAll(() => service.close())

const run = <Result>(words: readonly string[]) =>
  createCli().json<Result>(words, { env: service.env, nowMs: () => nowMs })

interface Judged {
  clientOrderReference: string
  status: string
  stage: string
  problem: string | null
  lateSeconds: number | null
}

describe('The board, the list and the page', () => {
  it('say the same of every status and reason', async () => {
    const board = await run<Judged[]>(['deliveries', 'board'])
    const listed = await run<Judged[]>(['deliveries', 'list', '--problem', '--from', '1d', '--all'])
    const index = new DeliveryIndex(() => ({}))
    for (const { data, ...event } of events) index.note(data.delivery, { ...event, ...data })
    const onPage = deliveries.map(({ deliveryId }) => index.get(deliveryId))
    const page = columnsOf(
      onPage.filter((one) => one !== undefined),
      () => nowMs,
    )
    const titles = ['Problems', 'Waiting', 'To pickup', 'To dropoff', 'Other', 'Done']
    for (const [number, { status, clientOrderReference: reference }] of deliveries.entries()) {
      const row = board.find((one) => one.clientOrderReference === reference)
      const inList = listed.find((one) => one.clientOrderReference === reference)
      const summary = onPage[number]
      const place = page.findIndex((column) => column.deliveries.some((one) => one.reference === reference))
      const column = titles.indexOf(page[place]?.name ?? '')
      const problem = summary && problemNow(summary, nowMs)
      const said = { status, problem: problem?.text ?? null }
      expect({ status, problem: row?.problem ?? null }).toEqual(said)
      expect({ status, problem: inList?.problem ?? null }).toEqual(said)
      expect(row?.stage ?? 'done').toBe(boardColumns[column])
      expect(row?.lateSeconds ?? 0).toBe((problem?.lateMs ?? 0) / 1_000)
    }
    const problems = Object.fromEntries(listed.map(({ status, problem }) => [status, problem]))
    expect(problems).toMatchObject({
      accepted: 'no driver for 97 min, 30 min late',
      driver_at_pickup: 'at the store for 97 min, 30 min late',
      driver_enroute_to_dropoff: '30 min late, no position for 40 min',
      held: '30 min late',
    })
    expect(listed.map(({ problem }) => problem)).toContain('failed: gate_closed')
    // Nobody has to see to what the merchant or the recipient cancelled.
    const cancelled = listed.filter(({ status }) => status === 'cancelled').map(({ problem }) => problem)
    expect(new Set(cancelled)).toEqual(new Set(['cancelled: cancelled_by_carrier']))
  })

  it('are what the card says, of one delivery and of each of several', async () => {
    const problem = (status: string) =>
      deliveries.find((one) => one.status === status)?.clientOrderReference ?? 'missing'
    const words = [problem('accepted'), problem('driver_at_pickup'), problem('delivered')]
    const cards = async (...names: string[]) =>
      (
        await createCli().run(['deliveries', 'get', ...names, '--no-color'], {
          env: service.env,
          nowMs: () => nowMs,
          columns: 100,
        })
      ).stdout
    const [first = ''] = words
    expect(await cards(first)).toMatch(/Problem +no driver for 97 min, 30 min late/)
    const several = await cards(...words)
    expect(several.match(/Problem .*/g)?.map((line) => line.replace(/ +/g, ' '))).toEqual([
      expect.stringMatching(/^Problem no driver for 97 min, 30 min late \(first ETA (\S+ )?\d\d:\d\d:\d\d\)$/),
      expect.stringMatching(/^Problem at the store for 97 min, 30 min late \(first ETA (\S+ )?\d\d:\d\d:\d\d\)$/),
    ])
  })

  it('are what an agent is told', async () => {
    const { call } = await connectAgent(createCli(), [], { env: service.env })
    const { data } = await call('deliveries_find', { problem: true, limit: 100 })
    const listed = await run<Judged[]>(['deliveries', 'list', '--problem', '--from', '1d', '--all'])
    const said = (rows: Judged[]) => rows.map(({ status, problem }) => `${status}: ${problem}`).sort()
    expect(said(data.deliveries)).toEqual(said(listed))
    expect(listed).not.toEqual([])
  })

  it('give a status one tone: its colour in the list, and its event on the page', async () => {
    const colours = { good: 32, bad: 31, warn: 33, active: 36, neutral: 34 }
    const words = ['deliveries', 'list', '--from', '1d', '--all', '--color']
    const { stdout } = await createCli().run(words, { env: service.env, nowMs: () => nowMs, columns: 200 })
    const index = new DeliveryIndex(() => ({}))
    for (const { clientOrderReference: reference, status } of deliveries) {
      const line = stdout.split('\n').find((one) => one.includes(`${reference} `)) ?? ''
      const tone = toneOf(status)
      expect(line).toContain(`\u001B[${colours[tone]}m${status}`)
      const event = { eventId: reference, eventType: `delivery.${status}`, occurredAt: minutesAgo(1) }
      expect([status, eventItem(event, index)?.outcome]).toEqual([status, tone === 'active' ? 'neutral' : tone])
    }
  })

  it('follow --stuck-after, --sla and --promise', async () => {
    const of = async (...flags: string[]) => {
      const rows = await run<Judged[]>(['deliveries', 'board', ...flags])
      return rows.find(({ status }) => status === 'accepted')?.problem
    }
    expect(await of('--stuck-after', '2h')).toBe('30 min late')
    expect(await of('--stuck-after', 'driver=2h', '--sla', '3h')).toBeNull()
    expect(await of('--stuck-after', 'store=2h', '--sla', '1h')).toBe('no driver for 97 min, 60 min late')
    const cli = createCli()
    const refused = await cli.run(['deliveries', 'board', '--stuck-after', 'dor=5m'], { env: service.env })
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean "door"?') })
  })
})

describe('The report', () => {
  it('counts late what the board showed late, by the same promise and grace', async () => {
    const file = join(createCli().home, 'promises.csv')
    const [first, second] = endings
      .map(({ data }) => data.delivery.clientOrderReference)
      .filter((_, at) => at % 2 === 0)
    const promised = [300_000, 300_001].map((ms) => new Date(nowMs - ms).toISOString())
    writeFileSync(file, `clientOrderReference,promisedBy\n${first},${promised[0]}\n${second},${promised[1]}\n`)
    const options = { env: service.env, nowMs: () => nowMs }
    const active = new Set(endings.map(({ deliveryId }) => deliveryId))
    const shares: number[] = []
    for (const flags of [[], ['--sla', '115m'], ['--sla', '114m'], ['--promise', file]]) {
      // Each has an archive of its own: the service rewrites its past in between.
      const board = await createCli().json<(Judged & { deliveryId: string })[]>(
        ['deliveries', 'board', ...flags],
        options,
      )
      const judged = board.filter(({ deliveryId }) => active.has(deliveryId))
      isOver = true
      const { metrics } = await createCli().json<Report>(['report', '--from', '1d', ...flags], options)
      isOver = false
      const inTime = judged.filter(({ lateSeconds }) => (lateSeconds ?? 0) === 0).length
      // One was delivered long before, in time.
      expect(metrics.onTime).toMatchObject({ n: judged.length + 1, value: (inTime + 1) / (judged.length + 1) })
      shares.push(inTime / judged.length)
    }
    expect(shares).toEqual([0, 1, 0, 1 / active.size])
  })
})

describe('A word that this version does not know', () => {
  it('is listed, watched, simulated and searched for with a notice; a misspelt one is refused', async () => {
    const cli = createCli()
    const ended = (words: string[]) => cli.run(words, { env: service.env, nowMs: () => nowMs })
    const held = deliveries.find(({ status }) => status === 'held')?.deliveryId ?? ''
    const notice = (flag: string) => `${flag}: "held" is not a status that this version knows; it is used as it is.`
    const listed = await ended(['deliveries', 'list', '--status', 'held', '--from', '1d', '--json'])
    expect(JSON.parse(listed.stdout)).toHaveLength(1)
    expect(listed.stderr).toContain(notice('--status'))
    const watched = await ended(['deliveries', 'watch', held, '--until', 'held'])
    expect(watched).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(notice('--until')) })
    await ended(['simulate', held, '--to', 'held'])
    expect(service.asked).toContain(`/deliveries/${held}/simulate`)
    const moves = await cli.run(['simulate', held, '--list', '--no-color'], { env: service.env, columns: 120 })
    expect(moves.stdout).toContain('What follows held is not known to this version')
    const found = await ended(['events', 'list', '--type', 'delivery.held', '--json'])
    expect(JSON.parse(found.stdout)).toHaveLength(1)
    const every = await ended(['events', 'list', '--type', 'delivery.*', '--all', '-q'])
    expect(every.stdout.trim().split('\n')).toHaveLength(events.length)
    expect((await ended(['events', 'list', '--type', 'driver.*', '--all', '-q'])).stdout).toBe('')
    expect(await ended(['events', 'list', '--type', 'faild'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean "failed"?'),
    })
    expect(await ended(['deliveries', 'list', '--status', 'heldd,faild'])).toMatchObject({ exitCode: 2 })
  })

  it('is found by an agent, who is told so', async () => {
    const { call } = await connectAgent(createCli(), [], { env: service.env })
    const { data } = await call('deliveries_find', { status: ['held', 'expired'] })
    expect(data.notice).toBe('This version does not know held; used as it is.')
    const statuses = data.deliveries.map(({ status }: Judged) => status)
    expect(new Set(statuses)).toEqual(new Set(['held', 'expired']))
  })

  it('is waited for by the library, until it comes or cannot any more', async () => {
    const { DLV_BASE_URL: baseUrl = '', DLV_API_KEY: apiKey = '' } = service.env
    await using client = createClient({ baseUrl, apiKey })
    const accepted = deliveries.find(({ status }) => status === 'accepted')
    const delivered = deliveries.find(({ status }) => status === 'delivered')
    if (accepted === undefined || delivered === undefined) throw new Error('no such delivery')
    const { deliveryId } = accepted
    const looks = () => service.asked.filter((path) => path === `/deliveries/${deliveryId}`).length
    const before = looks()
    const waiting = client.waitFor(deliveryId, 'held', { pollMs: 1 })
    await until('the second look', async () => looks() > before + 1)
    accepted.status = 'held'
    expect(await waiting).toMatchObject({ deliveryId, status: 'held' })
    accepted.status = 'accepted'
    await expect(client.waitFor(delivered.deliveryId, 'held')).rejects.toBeInstanceOf(OutcomeError)
  })
})

describe('What an installation is not said to be', () => {
  const shown = async (...words: string[]) => {
    const { stdout } = await createCli().run([...words, '--no-color'], { env: service.env, columns: 120 })
    return stdout.split('\n').filter((line) => line.trim() !== '')
  }

  it('stands on no card, in no list and in no check before an order', async () => {
    expect(await shown('installations', 'get', 'FTX')).toEqual([expect.stringMatching(/^FTX\s*$/)])
    expect((await shown('installations', 'list'))[1]).toMatch(/^FTX\s*$/)
    expect(await shown('installations', 'check', 'FTX')).toEqual(['Can be served'])
  })

  it('is named by its code where a delivery is explained', async () => {
    const closed = deliveries.find((one) => one.status === 'failed' && one.statusReasonCode === 'gate_closed')
    const reference = closed?.clientOrderReference ?? ''
    const found = await run<{ code: string; next: string[] }[]>(['explain', reference])
    expect(found.map(({ code }) => code)).toEqual(['failed', 'gate_closed'])
    const next = found.flatMap((one) => one.next)
    expect(next).toContain('dlv installations get FTBRAGG')
    expect(next.filter((command) => command.includes('<code>'))).toEqual([])
  })
})

describe('A history', () => {
  it('whose entries have other names is read, and one without names is filled from the events', () => {
    const named = [{ state: 'accepted', timestamp: minutesAgo(9) }]
    expect(stepsOf(named)).toEqual([expect.objectContaining({ status: 'accepted', occurredAt: minutesAgo(9) })])
    const told = events.filter(({ deliveryId }) => deliveryId === 'del_0')
    expect(hasHoles([{ code: 1 }])).toBe(true)
    expect(stepsOf([{ code: 1 }], told)).toEqual([{ status: 'scheduled', occurredAt: minutesAgo(97) }])
    expect(stepsOf([{ code: 1 }, ...named])).toHaveLength(1)
  })

  it('is filled on the card of a delivery', async () => {
    const cli = createCli()
    const strange = deliveries.find(({ status }) => status === 'delivered')
    if (strange === undefined) throw new Error('no delivery was delivered')
    const { statusHistory } = strange
    Object.assign(strange, { statusHistory: [{ phase: 'D' }] })
    const { stdout } = await cli.run(['deliveries', 'get', strange.deliveryId, '--no-color'], {
      env: service.env,
      nowMs: () => nowMs,
      columns: 100,
    })
    Object.assign(strange, { statusHistory })
    expect(stdout).toMatch(/Timeline\n +✓ .*13:23:00 +delivered/)
  })
})

describe('What a policy change affects', () => {
  it('is what is on its way to its installation', async () => {
    isPolicyKnown = true
    const rows = await run<(Judged & { obstacle: string; next: string[] })[]>([
      ...['deliveries', 'list', '--affected', 'evt_policy'],
    ])
    isPolicyKnown = false
    // What returns to the store, or is at the door, needs no gate any more.
    const onTheWay = deliveries.filter(({ status }) => isExpected(status) && status !== 'driver_at_dropoff')
    expect(rows.map(({ status }) => status).sort()).toEqual(onTheWay.map(({ status }) => status).sort())
    const touched = rows.find(({ status }) => status === 'accepted')
    expect(touched?.obstacle).toBe('FPCON bravo: expect longer waits at the gate')
    expect(touched?.next).toContain(
      `dlv deliveries cancel ${(touched as unknown as { deliveryId: string }).deliveryId}`,
    )
    expect(await run(['deliveries', 'list', '--installation', 'FTDRUM', '--from', '1d'])).toEqual([])
    expect(new EventLines().line(policy, style)).toContain('3 deliveries affected, fpconLevel bravo')
  })
})

describe('A fact', () => {
  it('is a wait only after its limit, a window that ended, and a failure for a day', () => {
    const since = (status: string, ms: number) => problemOf({ status, sinceMs: nowMs - ms }, nowMs)?.text
    expect(since('accepted', stuckLimits.driver)).toBeUndefined()
    expect(since('accepted', stuckLimits.driver + 1)).toBe('no driver for 15 min')
    expect(since('driver_at_dropoff', stuckLimits.door + 60_000)).toBe('at the door for 16 min')
    expect(since('held', 9e9)).toBeUndefined()
    const promise = promiseOf({ reference: 'W-1' }, { windows: new Map([['W-1', { endMs: nowMs - 7_200_000 }]]) })
    expect(problemOf({ status: 'scheduled', promise }, nowMs)?.text).toBe('window ended 2 h ago')
    const failed = (ms: number) => columnOf({ status: 'failed', sinceMs: nowMs - ms }, { text: '', lateMs: 0 }, nowMs)
    expect([failed(endedProblemMs), failed(endedProblemMs + 1)]).toEqual(['problems', 'done'])
  })

  it('of webhooks: delivered is what was attempted and has no word for the rest', () => {
    expect(webhookStatusOf(null, 1)).toBe('delivered')
    expect(webhookStatusOf('succeeded', 2)).toBe('delivered')
    expect(webhookStatusOf(undefined, 0)).toBeUndefined()
    for (const word of ['pending', 'failed', 'no_endpoint_configured']) expect(webhookStatusOf(word, 3)).toBe(word)
    const tones = {
      delivered: 'good',
      pending: 'warn',
      retrying: 'warn',
      failed: 'bad',
      no_endpoint_configured: 'neutral',
    }
    for (const [word, tone] of Object.entries(tones)) expect([word, webhookTone(word)]).toEqual([word, tone])
  })

  it('of updates: everything but the identity before pickup, three fields after it, nothing at the end', () => {
    const fields = ['pickup.storeReference', 'tipAmountCents', 'quoteId', 'dispatch.mode']
    const open = (status: string) => fields.filter((path) => mayUpdate(status, path))
    expect(open('driver_at_pickup')).toEqual(fields.slice(0, 2))
    expect(open('pickup_complete')).toEqual(['tipAmountCents'])
    for (const status of deliveryStatuses.filter((one) => !isActive(one))) expect(open(status)).toEqual([])
    expect(open('held')).toEqual(fields.slice(0, 2))
  })
})
