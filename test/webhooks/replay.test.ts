import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cursorFile,
  newSecret,
  type ReplayResult,
  replayEvents,
  sendEvent,
  signatureHeaders,
  verify,
} from '../../src/webhooks/index.js'
import { type Arrived, anApp } from '../support/listener/test-app.js'
import { createTempDir } from '../support/temp-dir.js'

const secret = newSecret()
const events = Array.from({ length: 6 }, (_, index) => ({
  id: `evt_${index + 1}`,
  body: Buffer.from(`{"n":${index + 1}}`),
}))
const ids = events.map(({ id }) => id)

/** A receiver that keeps what comes, and answers as it is told. */
const aTarget = (statusOf: (arrived: Arrived) => number = () => 200) =>
  anApp((arrived, response) => {
    response.statusCode = statusOf(arrived)
    response.end()
  })

describe('a replay', () => {
  it('sends in order, signed afresh under the same ids', async () => {
    const target = await aTarget()
    expect(await replayEvents({ events, url: target.url, sign: { secrets: [secret] } })).toEqual({
      delivered: 6,
      skipped: 0,
    })
    expect(target.ids()).toEqual(ids)
    for (const { rawHeaders, body } of target.arrived) {
      expect(verify({ secrets: [secret], headers: rawHeaders, body })).toMatchObject({ ok: true })
    }
  })

  it('sends bytes and headers as they were where it is asked to', async () => {
    const target = await aTarget()
    const old = { ...signatureHeaders({ secrets: [secret], id: 'evt_1', timestampSeconds: 1_000, body: '{"n":1}' }) }
    const rawHeaders = [
      'Host',
      'elsewhere',
      'Content-Type',
      'application/json; charset=utf-8',
      ...Object.entries(old).flat(),
    ]
    await replayEvents({
      events: [{ id: 'evt_1', body: Buffer.from('{"n":1}'), rawHeaders }],
      url: target.url,
      sign: 'verbatim',
    })
    const [arrived] = target.arrived
    expect(
      verify({
        secrets: [secret],
        headers: arrived?.rawHeaders ?? [],
        body: arrived?.body ?? Buffer.of(),
        nowSeconds: 1_000,
      }),
    ).toMatchObject({ ok: true })
    expect(arrived?.rawHeaders).toContain('application/json; charset=utf-8')
    expect(arrived?.rawHeaders).not.toContain('elsewhere')
  })

  it('keeps its pace', async () => {
    const target = await aTarget()
    let nowMs = 1_000_000
    const sentAtMs: number[] = []
    await replayEvents({
      events,
      url: target.url,
      sign: { secrets: [secret] },
      eventsPerSecond: 4,
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms
      },
      onResult: () => sentAtMs.push(nowMs - 1_000_000),
    })
    expect(sentAtMs).toEqual([0, 250, 500, 750, 1_000, 1_250])
  })

  it('stops at an event that cannot be delivered, and goes on there the next time', async () => {
    let isBroken = true
    const target = await aTarget(({ id }) => (isBroken && id === 'evt_3' ? 500 : 200))
    const file = join(createTempDir(), 'cursors', 'replay')
    const replay = (results: ReplayResult[] = []) =>
      replayEvents({
        events,
        url: target.url,
        sign: { secrets: [secret] },
        cursor: cursorFile(file),
        retryDelaysMs: [1],
        onResult: (result) => results.push(result),
      })
    expect(await replay()).toMatchObject({ delivered: 2, stoppedAt: { eventId: 'evt_3', status: 500, attempts: 2 } })
    expect(await readFile(file, 'utf8')).toBe('evt_2\n')
    isBroken = false
    const results: ReplayResult[] = []
    expect(await replay(results)).toEqual({ delivered: 4, skipped: 2 })
    expect(results.map(({ eventId, outcome }) => `${eventId} ${outcome}`)).toEqual([
      'evt_1 skipped',
      'evt_2 skipped',
      'evt_3 delivered',
      'evt_4 delivered',
      'evt_5 delivered',
      'evt_6 delivered',
    ])
    expect(target.ids()).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_3', ...ids.slice(2)])
    // It came to its end: asked for once more, it begins anew.
    expect(await replay()).toEqual({ delivered: 6, skipped: 0 })
  })

  it('does not take the cursor of another replay for its own', async () => {
    const target = await aTarget()
    const cursor = cursorFile(join(createTempDir(), 'replay'))
    await cursor.write('evt_of_another_replay')
    expect(await replayEvents({ events, url: target.url, sign: { secrets: [secret] }, cursor })).toEqual({
      delivered: 6,
      skipped: 0,
    })
    expect(target.ids()).toEqual(ids)
  })

  it('ends where it is told to stop', async () => {
    const target = await aTarget()
    const stop = new AbortController()
    const onResult = ({ eventId }: ReplayResult) => (eventId === 'evt_2' ? stop.abort() : undefined)
    const summary = await replayEvents({
      events,
      url: target.url,
      sign: { secrets: [secret] },
      signal: stop.signal,
      onResult,
    })
    expect(summary).toEqual({ delivered: 2, skipped: 0 })
    expect(target.ids()).toEqual(ids.slice(0, 2))
  })

  it('says that nothing is listening', async () => {
    const summary = await replayEvents({
      events,
      url: 'http://localhost:1/',
      sign: { secrets: [secret] },
      retryDelaysMs: [],
    })
    expect(summary.stoppedAt).toMatchObject({ status: null, error: expect.stringContaining('is your app up?') })
  })
})

describe('sending one event', () => {
  it('takes the id from the body, or makes one', async () => {
    const target = await aTarget()
    for (const body of ['{"eventId":"evt_7"}', '{"eventId":7}', 'no JSON']) {
      await sendEvent({ url: target.url, secrets: [secret, newSecret()], body })
    }
    expect(target.ids()).toEqual(['evt_7', expect.stringMatching(/^evt_[0-9a-f]{32}$/), expect.stringMatching(/^evt_/)])
    const [first] = target.arrived
    expect(
      verify({ secrets: [secret], headers: first?.rawHeaders ?? [], body: first?.body ?? Buffer.of() }),
    ).toMatchObject({ ok: true })
  })

  it('follows no redirect, and tells what was answered', async () => {
    const target = await aTarget(() => 302)
    expect(await sendEvent({ url: target.url, secrets: [secret], body: '{}' })).toMatchObject({
      answered: true,
      status: 302,
    })
    expect(target.arrived).toHaveLength(1)
  })
})
