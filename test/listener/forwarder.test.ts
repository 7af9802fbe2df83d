import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../support/listener/test-app.js'
import { launchListener, postEvent, testEvent } from '../support/listener/test-listener.js'
import { until } from '../support/until.js'

describe('forwarding', () => {
  it('passes on the exact bytes and headers, so that other verifiers accept them', async () => {
    const app = await startTestApp()
    const listener = await launchListener({ forward: { routes: [{ url: app.url }] } })
    const event = testEvent('del_1')
    event.body = Buffer.from(event.body.toString().replace('"status"', '"clientOrderReference": "ORDER-1", "status"'))
    await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    const [arrived] = app.arrived
    expect(arrived?.body).toEqual(event.body)
    const headers = Object.fromEntries(
      Object.entries(arrived?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    for (const peer of [new Webhook(listener.secret), new SvixWebhook(listener.secret)]) {
      expect(peer.verify(event.body.toString(), headers)).toMatchObject({ eventId: event.id })
    }
    expect(listener.recordsOf('forwarded')).toMatchObject([
      { eventId: event.id, reference: 'ORDER-1', url: app.url, status: 200, delivered: true, signedAgain: false },
    ])
  })

  it('keeps the order of a delivery and lets others pass while its target hangs', async () => {
    const held: ServerResponse[] = []
    const app = await startTestApp((arrived, response) => {
      if (arrived.body.includes('del_hanging')) held.push(response)
      else response.end()
    })
    const other = await startTestApp()
    const listener = await launchListener({ forward: { routes: [{ url: app.url }, { url: other.url }], timeoutMs: 0 } })
    const hanging = [testEvent('del_hanging'), testEvent('del_hanging'), testEvent('del_hanging')]
    const passing = [testEvent('del_2'), testEvent('del_3'), testEvent('del_2'), testEvent('del_3')]
    for (const event of [...hanging, ...passing]) await postEvent(listener.url, listener.secret, event)
    await until('events at both apps', () => app.arrived.length === 5 && other.arrived.length === 7)
    const ofDelivery = (deliveryId: string) =>
      app.arrived.filter(({ body }) => body.includes(deliveryId)).map(({ id }) => id)
    expect(ofDelivery('del_hanging')).toEqual([hanging[0]?.id])
    expect(ofDelivery('del_2')).toEqual([passing[0]?.id, passing[2]?.id])
    expect(ofDelivery('del_3')).toEqual([passing[1]?.id, passing[3]?.id])
    for (let released = 0; released < 3; released++) {
      await until('the next request', () => held.length > released)
      held[released]?.end()
    }
    await listener.forwarded()
    expect(ofDelivery('del_hanging')).toEqual(hanging.map(({ id }) => id))
  })

  it('tries again in order, and gives up what the target refuses after its last attempt', async () => {
    let failures = 3
    const app = await startTestApp((_, response) => {
      response.statusCode = failures-- > 0 ? 422 : 200
      response.end('no')
    })
    const listener = await launchListener({
      forward: { routes: [{ url: app.url }], retryDelaysMs: [1, 1], showResponse: true },
    })
    const events = [testEvent('del_1'), testEvent('del_1')]
    for (const event of events) await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    expect(app.ids()).toEqual([events[0]?.id, events[0]?.id, events[0]?.id, events[1]?.id])
    expect(
      listener
        .recordsOf('forwarded')
        .map(({ status, attempt, retryInMs, givenUp, body }) => [status, attempt, retryInMs, givenUp, body]),
    ).toEqual([
      [422, 1, 1, undefined, 'no'],
      [422, 2, 1, undefined, 'no'],
      [422, 3, undefined, true, 'no'],
      [200, 1, undefined, undefined, 'no'],
    ])
  })

  it.each([
    ['answers 503', 503],
    ['asks for time', 429],
    ['closes the connection', 0],
  ])('keeps an event for a target that %s, however many attempts that takes', async (_, status) => {
    let attempts = 0
    const app = await startTestApp((_, response) => {
      if (++attempts > 20) return void response.end()
      if (status === 0) return void response.destroy()
      response.statusCode = status
      response.end()
    })
    const listener = await launchListener({ forward: { routes: [{ url: app.url }], retryDelaysMs: [1, 1] } })
    const event = testEvent('del_1')
    await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    await until('the delivery', () => listener.recordsOf('forwarded').at(-1)?.delivered === true)
    const records = listener.recordsOf('forwarded')
    expect(records.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1))
    expect(records.some(({ givenUp }) => givenUp)).toBe(false)
  })

  it('counts refusals alone before it gives up: an app that was down and answers 404 first gets its events', async () => {
    const answers = [503, 503, 503, 503, 404, 503, 404, 200]
    const app = await startTestApp((_, response) => {
      response.statusCode = answers.shift() ?? 404
      response.end()
    })
    const listener = await launchListener({ forward: { routes: [{ url: app.url }], retryDelaysMs: [1, 2] } })
    await postEvent(listener.url, listener.secret, testEvent('del_1'))
    await until('the delivery', () => listener.recordsOf('forwarded').at(-1)?.status === 200)
    await postEvent(listener.url, listener.secret, testEvent('del_2'))
    await until('the end', () => listener.recordsOf('forwarded').some(({ givenUp }) => givenUp))
    expect(listener.recordsOf('forwarded').map(({ status, retryInMs }) => [status, retryInMs])).toEqual([
      [503, 1],
      [503, 2],
      [503, 2],
      [503, 2],
      [404, 1],
      [503, 2],
      [404, 2],
      [200, undefined],
      [404, 1],
      [404, 2],
      [404, undefined],
    ])
  })

  it('gives up what a target that is down has not taken within a week', async () => {
    let nowMs = Date.now()
    const listener = await launchListener({
      forward: { routes: [{ url: 'http://localhost:1/hooks' }], retryDelaysMs: [1] },
      now: () => nowMs,
    })
    await postEvent(listener.url, listener.secret, testEvent(), nowMs)
    await listener.forwarded()
    expect(listener.recordsOf('forwarded').some(({ givenUp }) => givenUp)).toBe(false)
    nowMs += 7 * 86_400_000
    await until('the last attempt', () => listener.recordsOf('forwarded').some(({ givenUp }) => givenUp))
  })

  it('says that nothing is listening', async () => {
    const listener = await launchListener({
      forward: { routes: [{ url: 'http://localhost:1/hooks' }], retryDelaysMs: [] },
    })
    await postEvent(listener.url, listener.secret, testEvent())
    await listener.forwarded()
    expect(listener.recordsOf('forwarded')).toMatchObject([
      { status: null, delivered: false, error: 'nothing is listening on http://localhost:1; is your app up?' },
    ])
  })

  it('gives up on an attempt after its time', async () => {
    const app = await startTestApp(() => {})
    const listener = await launchListener({ forward: { routes: [{ url: app.url }], timeoutMs: 30, retryDelaysMs: [] } })
    await postEvent(listener.url, listener.secret, testEvent())
    await listener.forwarded()
    expect(listener.recordsOf('forwarded')).toMatchObject([
      { status: null, error: expect.stringContaining('no response') },
    ])
  })

  it('gives up what an app takes and never answers, as what it refuses, and lets the next event pass', async () => {
    const app = await startTestApp((arrived, response) => {
      if (arrived.body.includes('del_slow')) return
      response.end()
    })
    const routes = [{ url: app.url }]
    const listener = await launchListener({ forward: { routes, timeoutMs: 60, retryDelaysMs: [1, 1] } })
    await postEvent(listener.url, listener.secret, testEvent('del_slow'))
    await postEvent(listener.url, listener.secret, testEvent('del_2'))
    await until('the end', () => listener.recordsOf('forwarded').some(({ givenUp }) => givenUp))
    const slow = listener.recordsOf('forwarded').filter(({ deliveryId }) => deliveryId === 'del_slow')
    expect(slow.map(({ attempt, givenUp }) => [attempt, givenUp])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, true],
    ])
    expect(slow[0]?.error).toMatch(/within 0\.06 s: the app took the event and did not answer within the time limit/)
  })

  it('names where a redirect leads, and does not follow it', async () => {
    const elsewhere = await startTestApp()
    const app = await startTestApp((_, response) => void response.writeHead(307, { location: elsewhere.url }).end())
    const listener = await launchListener({ forward: { routes: [{ url: app.url }], retryDelaysMs: [] } })
    await postEvent(listener.url, listener.secret, testEvent())
    await until('an attempt', () => listener.recordsOf('forwarded').length > 0)
    const error = `redirects to ${elsewhere.url}, which is not followed: use that address if it is the receiver's`
    expect(listener.recordsOf('forwarded')[0]).toMatchObject({ status: 307, delivered: false, error })
    expect(elsewhere.arrived).toEqual([])
  })

  it('sends each event to the routes of its type', async () => {
    const [all, drivers, deliveries] = [await startTestApp(), await startTestApp(), await startTestApp()]
    const routes = [
      { url: all.url },
      { url: drivers.url, eventTypes: ['driver.*'] },
      { url: deliveries.url, eventTypes: ['delivery.accepted', 'delivery.*'] },
    ]
    const listener = await launchListener({ forward: { routes } })
    const accepted = testEvent()
    const driver = {
      id: 'evt_driver',
      body: Buffer.from('{"eventId":"evt_driver","eventType":"driver.created","occurredAt":"2026-03-02T15:00:00Z"}'),
    }
    for (const event of [accepted, driver]) await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    expect([all.ids().toSorted(), drivers.ids(), deliveries.ids()]).toEqual([
      [accepted.id, driver.id].toSorted(),
      [driver.id],
      [accepted.id],
    ])
  })

  it('continues after a restart with what was left, signed again if the signature is too old, and never with what was done', async () => {
    const app = await startTestApp((arrived, response) => {
      response.statusCode = arrived.body.includes('del_later') ? 500 : 200
      response.end()
    })
    const forward = { routes: [{ url: app.url }], retryDelaysMs: [3_600_000] }
    const first = await launchListener({ forward, limits: { drainMs: 100 } })
    const [done, later] = [testEvent('del_done'), testEvent('del_later')]
    for (const event of [done, later]) await postEvent(first.url, first.secret, event)
    await until('two forwards', () => first.recordsOf('forwarded').length === 2)
    await first.close()
    const { secret, journalFile } = first
    const second = await launchListener({
      secrets: [{ name: 'test', secret }],
      journalFile,
      forward,
      now: () => Date.now() + 600_000,
    })
    await until('one forward', () => second.recordsOf('forwarded').length === 1)
    expect(second.records[0]?.type).toBe('ready')
    expect(app.ids().filter((id) => id === done.id)).toHaveLength(1)
    expect(second.recordsOf('forwarded')).toMatchObject([{ eventId: later.id, signedAgain: true }])
    const timestamps = app.arrived
      .filter(({ id }) => id === later.id)
      .map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((timestamps[1] ?? 0) - (timestamps[0] ?? 0)).toBeGreaterThanOrEqual(599)
    expect(app.arrived.at(-1)?.body).toEqual(later.body)
  })

  it('holds a few events in memory and the rest in the journal, and sends each once, in order', async () => {
    const held: ServerResponse[] = []
    let isOpen = false
    const app = await startTestApp((_, response) => {
      if (isOpen) response.end()
      else held.push(response)
    })
    const listener = await launchListener({ forward: { routes: [{ url: app.url }], windowSize: 4, concurrency: 2 } })
    const events = Array.from({ length: 40 }, (_, index) => testEvent(`del_${index % 3}`))
    for (const event of events.slice(0, 20)) await postEvent(listener.url, listener.secret, event)
    isOpen = true
    for (const response of held) response.end()
    for (const event of events.slice(20)) await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    expect([...app.ids()].sort()).toEqual(events.map(({ id }) => id).sort())
    for (const lane of [0, 1, 2]) {
      const ids = events.filter((_, index) => index % 3 === lane).map(({ id }) => id)
      expect(app.ids().filter((id) => ids.includes(id))).toEqual(ids)
    }
  })

  it('resends an event on request, with a new signature, to the targets of its type', async () => {
    const app = await startTestApp()
    let nowMs = Date.now()
    const listener = await launchListener({
      forward: { routes: [{ url: app.url, eventTypes: ['delivery.*'] }] },
      now: () => nowMs,
    })
    const event = testEvent('del_1')
    await postEvent(listener.url, listener.secret, event, nowMs)
    await listener.forwarded()
    nowMs += 3_600_000
    expect(await listener.resend(event.id)).toBe(1)
    expect(await listener.resend('evt_unknown')).toBe(0)
    expect(app.ids()).toEqual([event.id, event.id])
    const [first, second] = app.arrived.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((second ?? 0) - (first ?? 0)).toBe(3_600)
    expect(app.arrived[1]?.body).toEqual(event.body)
    expect(listener.recordsOf('forwarded').map(({ signedAgain }) => signedAgain)).toEqual([false, true])
  })

  it('forwards a repetition no second time', async () => {
    const app = await startTestApp()
    const listener = await launchListener({ forward: { routes: [{ url: app.url }] } })
    const event = testEvent()
    for (let time = 0; time < 3; time++) await postEvent(listener.url, listener.secret, event)
    await listener.forwarded()
    expect(app.ids()).toEqual([event.id])
  })
})
