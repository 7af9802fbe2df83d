import { readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  newSecret,
  type ReplayInput,
  type ReplayResult,
  replayEvents,
  replayProgressFile,
  sendEvent,
  signatureHeaders,
  verify,
} from '../../src/webhooks/index.js'
import { type Arrived, startTestApp } from '../support/listener/test-app.js'
import { createTempDir } from '../support/temp-dir.js'

const secret = newSecret()
const events = Array.from({ length: 6 }, (_, index) => ({
  id: `evt_${index + 1}`,
  body: Buffer.from(`{"n":${index + 1}}`),
}))
const ids = events.map(({ id }) => id)

/** A receiver that keeps what comes, and answers as it is told. */
const testTarget = (statusOf: (arrived: Arrived) => number = () => 200) =>
  startTestApp((arrived, response) => {
    response.statusCode = statusOf(arrived)
    response.end()
  })

const sending = { events, sign: { secrets: [secret] } }

async function resultsOf(input: ReplayInput): Promise<ReplayResult[]> {
  return await Array.fromAsync(replayEvents(input))
}

const outcomesOf = (results: ReplayResult[]) => results.map(({ eventId, outcome }) => `${eventId} ${outcome}`)

describe('a replay', () => {
  it('sends in order, signed afresh under the same ids', async () => {
    const target = await testTarget()
    const results = await resultsOf({ ...sending, url: target.url })
    expect(outcomesOf(results)).toEqual(ids.map((id) => `${id} delivered`))
    expect(target.ids()).toEqual(ids)
    for (const { rawHeaders, body } of target.arrived) {
      expect(verify({ secrets: [secret], headers: rawHeaders, body })).toMatchObject({ ok: true })
    }
  })

  it('sends bytes and headers as they were where it is asked to', async () => {
    const target = await testTarget()
    const old = { ...signatureHeaders({ secrets: [secret], id: 'evt_1', timestampSeconds: 1_000, body: '{"n":1}' }) }
    const rawHeaders = [
      'Host',
      'elsewhere',
      'Content-Type',
      'application/json; charset=utf-8',
      ...Object.entries(old).flat(),
    ]
    await resultsOf({
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

  it('keeps its rate by a clock that is never set back', async () => {
    const target = await testTarget()
    let elapsedMs = 500
    const sentAtMs: number[] = []
    const clock = {
      // The wall clock jumps back by an hour with each look.
      now: () => 1_000_000_000 - 3_600_000 * sentAtMs.length,
      monotonicMs: () => elapsedMs,
      async sleep(ms: number) {
        elapsedMs += ms
      },
    }
    for await (const _ of replayEvents({ ...sending, url: target.url, eventsPerSecond: 4, clock }))
      sentAtMs.push(elapsedMs - 500)
    expect(sentAtMs).toEqual([0, 250, 500, 750, 1_000, 1_250])
  })

  it('ends a wait at its signal', async () => {
    const target = await testTarget()
    const stop = new AbortController()
    const results: ReplayResult[] = []
    // One event an hour, for all that the rate says.
    for await (const result of replayEvents({
      ...sending,
      url: target.url,
      eventsPerSecond: 1 / 3_600,
      signal: stop.signal,
    })) {
      results.push(result)
      setImmediate(() => stop.abort())
    }
    expect(outcomesOf(results)).toEqual(['evt_1 delivered'])
  })

  it('stops at an event that fails, and continues there the next time', async () => {
    let isBroken = true
    const target = await testTarget(({ id }) => (isBroken && id === 'evt_3' ? 500 : 200))
    const file = join(createTempDir(), 'replays', 'one.sent')
    const replay = () =>
      resultsOf({ ...sending, url: target.url, progress: replayProgressFile(file), retryDelaysMs: [1] })
    const first = await replay()
    expect(first.at(-1)).toMatchObject({ eventId: 'evt_3', outcome: 'failed', status: 500, attempts: 2 })
    expect(await readFile(file, 'utf8')).toBe('evt_1\nevt_2\n')
    isBroken = false
    expect(outcomesOf(await replay())).toEqual([
      'evt_1 skipped',
      'evt_2 skipped',
      'evt_3 delivered',
      'evt_4 delivered',
      'evt_5 delivered',
      'evt_6 delivered',
    ])
    expect(target.ids()).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_3', ...ids.slice(2)])
    // Nothing is sent twice until the progress is cleared.
    expect(outcomesOf(await replay())).toEqual(ids.map((id) => `${id} skipped`))
    replayProgressFile(file).clear()
    expect(outcomesOf(await replay())).toEqual(ids.map((id) => `${id} delivered`))
  })

  it('does not believe a line of its progress that a crash cut off', async () => {
    const target = await testTarget()
    const file = join(createTempDir(), 'one.sent')
    await writeFile(file, 'evt_1\nevt_2\nevt_3')
    const results = await resultsOf({ ...sending, url: target.url, progress: replayProgressFile(file) })
    expect(outcomesOf(results).slice(0, 3)).toEqual(['evt_1 skipped', 'evt_2 skipped', 'evt_3 delivered'])
    expect(await readFile(file, 'utf8')).toBe(ids.map((id) => `${id}\n`).join(''))
  })

  it.each([
    ['garbage', Buffer.from([0xff, 0xfe, 0x0a])],
    ['garbage without any end of a line', Buffer.from([0xff, 0xfe])],
    ['a sentence', Buffer.from('evt_1\nthis was something else\n')],
    ['zeros', Buffer.from('evt_1\n\0\0\0\n')],
  ])('names %s in its progress as damage, and leaves it', (_, bytes) => {
    const file = join(createTempDir(), 'progress')
    writeFileSync(file, bytes)
    expect(() => replayProgressFile(file)).toThrow(`${file}, which keeps the place of this replay, is damaged at line`)
    expect(readFileSync(file)).toEqual(bytes)
  })

  it('ends at its signal between two events', async () => {
    const target = await testTarget()
    const stop = new AbortController()
    const results: ReplayResult[] = []
    for await (const result of replayEvents({ ...sending, url: target.url, signal: stop.signal })) {
      results.push(result)
      if (result.eventId === 'evt_2') stop.abort()
    }
    expect(target.ids()).toEqual(ids.slice(0, 2))
  })

  it('says that nothing is listening', async () => {
    const results = await resultsOf({ ...sending, url: 'http://localhost:1/', retryDelaysMs: [] })
    expect(results).toMatchObject([{ status: null, error: expect.stringContaining('is your app up?') }])
  })
})

describe('sending one event', () => {
  it('takes the id from the body, or makes one', async () => {
    const target = await testTarget()
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
    const target = await testTarget(() => 302)
    expect(await sendEvent({ url: target.url, secrets: [secret], body: '{}' })).toMatchObject({
      answered: true,
      status: 302,
    })
    expect(target.arrived).toHaveLength(1)
  })
})
