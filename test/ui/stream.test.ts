import { describe, expect, it } from 'vitest'
import { filteredRows, filterOf, rowsOf } from '../../src/ui/page/models/live-rows.js'
import { readEvents } from '../../src/ui/page/state/sse.js'
import type { EventDetail } from '../../src/ui/wire/events.js'
import type { LiveItem } from '../../src/ui/wire/live.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

/** Reads the stream until a line fits, and returns all lines until then with the id of the last message. */
async function linesUntil(
  served: Served,
  fits: (item: LiveItem) => boolean,
  lastEventId?: number,
): Promise<LiveItem[]> {
  const headers = {
    authorization: `Bearer ${served.token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
  }
  const stop = new AbortController()
  const response = await fetch(`${served.origin}/ui/stream`, { headers, signal: stop.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const items: LiveItem[] = []
  if (response.body === null) throw new Error('The stream has no body.')
  for await (const { event, data } of readEvents(response.body)) {
    if (event !== 'items') continue
    items.push(...(JSON.parse(data) as LiveItem[]))
    if (items.some(fits)) break
  }
  stop.abort()
  return items
}

describe('The stream', () => {
  it('tells of a request, its event, the webhook and what received it, linked by the delivery', async () => {
    const served = await serveUi()
    const fits = ({ kind, title }: LiveItem) => kind === 'attempt' && title === 'delivery.accepted'
    const reading = linesUntil(served, fits)
    const order = { ...(await exampleOrder(served)), clientOrderReference: 'STREAM-1' }
    const { deliveryId } = (await (await served.post('/deliveries', { order })).json()) as { deliveryId: string }
    const items = (await reading).filter((item) => item.deliveryId === deliveryId)
    const kinds = items.map(({ kind, title }) => `${kind} ${title}`)
    expect(kinds).toEqual(
      expect.arrayContaining([
        'request POST /deliveries',
        'event delivery.accepted',
        'webhook delivery.accepted',
        'attempt delivery.accepted',
      ]),
    )
    expect(items.find(({ kind }) => kind === 'request')).toMatchObject({
      status: '201',
      reference: 'STREAM-1',
      requestId: expect.stringMatching(/^req_/),
    })
    expect(items.find(({ kind }) => kind === 'webhook')).toMatchObject({ status: 'verified', reference: 'STREAM-1' })
    expect(items.find(({ kind }) => kind === 'event')?.delivery).toMatchObject({ status: 'accepted' })
    const ids = items.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((one, other) => one - other))
  })

  it('begins with what happened before a page was open, in the order in which it happened', async () => {
    const served = await serveUi('test', {
      before: async (cli) => {
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'BEFORE-1'])
      },
    })
    const { deliveryId } = await served.cli.json<{ deliveryId: string }>([
      ...['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'AFTER-1'],
    ])
    const [event] = await served.cli.json<{ eventId: string }[]>(['events', 'list', '--delivery', deliveryId])
    await expect
      .poll(async () => (await served.read<EventDetail>(`/events/${event?.eventId}`)).verdict.state)
      .toBe('verified')
    const { items } = await served.read<{ items: LiveItem[] }>('/live')
    const lines = items.map(({ kind, reference }) => `${kind} ${reference}`)
    expect(lines.indexOf('event BEFORE-1')).toBe(0)
    expect(lines.slice(1).sort()).toEqual(['attempt AFTER-1', 'event AFTER-1', 'webhook AFTER-1'])
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4])
  })

  it('keeps the order of arrival when the clock is moved forward and back', async () => {
    const served = await serveUi()
    const lines = async () =>
      (await served.read<{ items: LiveItem[] }>('/live')).items
        .filter(({ kind, title }) => kind !== 'attempt' && title === 'delivery.accepted')
        .map(({ kind, reference }) => `${kind} ${reference}`)
    const create = async (reference: string) => {
      await served.cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference])
      await expect.poll(lines).toContain(`webhook ${reference}`)
    }
    await create('FIRST')
    await served.cli.run(['sandbox', 'clock', 'advance', '10d'])
    await create('AHEAD')
    await served.cli.run(['sandbox', 'clock', 'set', new Date().toISOString()])
    await create('BACK')
    expect(await lines()).toEqual(['FIRST', 'AHEAD', 'BACK'].flatMap((name) => [`event ${name}`, `webhook ${name}`]))
  })

  it('has what happens while the clock leaps ahead above what was before, and below what comes after', async () => {
    const served = await serveUi('test', {
      before: async (cli) => {
        await cli.json(['sandbox', 'seed', '--over', '1h', '--count', '40', '--seed', '5'])
      },
    })
    const rows = async () => {
      const { items } = await served.read<{ items: LiveItem[] }>('/live')
      return filteredRows(rowsOf(items), filterOf(new URLSearchParams()))
    }
    const create = async (reference: string) => {
      await served.post('/deliveries', { order: { ...(await exampleOrder(served)), clientOrderReference: reference } })
      await expect.poll(async () => (await rows())[0]?.reference).toBe(reference)
    }
    await create('BEFORE-LEAP')
    await served.cli.run(['sandbox', 'clock', 'advance', '6m'])
    await create('AFTER-LEAP')
    const shown = await rows()
    expect(shown.findIndex(({ reference }) => reference === 'BEFORE-LEAP')).toBeGreaterThan(3)
    expect(shown.map(({ kind }) => kind)).toContain('request')
    const times = shown.map(({ at }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((one, other) => other - one))
  })

  it('gives the page a history that was written order by order in the order of its times', async () => {
    const served = await serveUi('test', {
      before: async (cli) => {
        await cli.json(['sandbox', 'seed', '--over', '24h', '--per-day', '60', '--pace', 'real', '--seed', '5'])
      },
    })
    const times = async () => {
      const { items } = await served.read<{ items: LiveItem[] }>('/live')
      const rows = filteredRows(rowsOf(items), filterOf(new URLSearchParams('kind=event')))
      return rows.map(({ at }) => Date.parse(at))
    }
    await expect.poll(async () => (await times()).length).toBeGreaterThan(50)
    const shown = await times()
    expect(shown).toEqual(shown.toSorted((one, other) => other - one))
  })

  it('continues after the last line that was seen, without a gap or a repetition', async () => {
    const served = await serveUi()
    const order = await exampleOrder(served)
    const { deliveryId } = await served.cli.json<{ deliveryId: string }>(['deliveries', 'create', '--file', '-'], {
      stdin: JSON.stringify(order),
    })
    const isAccepted = ({ title, deliveryId: id }: LiveItem) => title === 'delivery.accepted' && id === deliveryId
    const before = await linesUntil(served, isAccepted, 0)
    const last = before.at(-1)?.id ?? 0
    await served.post(`/deliveries/${deliveryId}/simulate`, { advanceTo: 'delivered' })
    const after = await linesUntil(served, ({ title }) => title === 'delivery.delivered', last)
    const ids = after.map(({ id }) => id)
    expect(ids[0]).toBe(last + 1)
    expect(ids).toEqual(ids.map((_, index) => last + 1 + index))
    const backlog = await served.read<{ items: LiveItem[] }>(`/live?after=${last}`)
    expect(backlog.items.slice(0, ids.length).map(({ id }) => id)).toEqual(ids)
  })
})

async function exampleOrder(served: Served): Promise<object> {
  return JSON.parse((await served.cli.run(['deliveries', 'template'])).stdout)
}
