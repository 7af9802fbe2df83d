import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { RunEngine } from '../../src/bulk/engine.js'
import { createAction, run, runExitCode } from '../../src/bulk/index.js'
import { openFileRecord } from '../../src/bulk/record/file-record.js'
import { createClient, createPacer, systemClock } from '../../src/client/index.js'
import { UsageError } from '../../src/contract/index.js'
import { type CreateRun, orderLines, recordedResults, rowsOf, runCreates } from '../support/bulk/run.js'
import { type HurriedClock, hurriedClock } from '../support/client/hurried-clock.js'
import { type Fault, faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { testOrder } from '../support/orders.js'
import { createTempDir } from '../support/temp-dir.js'

let server: ScriptedServer
let clock: HurriedClock
let resultsFile: string

beforeEach(async () => {
  server = await startScriptedServer()
  clock = hurriedClock()
  resultsFile = join(createTempDir(), 'orders.results.ndjson')
})
afterEach(() => server.close())

const start = (input: string, setup: Partial<CreateRun> = {}) =>
  runCreates({ baseUrl: server.baseUrl, rows: rowsOf(input), resultsFile, client: { clock }, ...setup })

/** Faults in turn on every request, then serving again. */
const cycle = (...each: Fault[]): Fault => {
  let turn = 0
  return (request) => (each[turn++ % each.length] ?? faults.serve())(request)
}

describe('A bulk run', () => {
  test('creates each order once and writes one result a row', async () => {
    const summary = await start(orderLines(50))
    expect(summary).toMatchObject({ stopped: undefined, left: 0, counts: { created: 50, failed: 0 } })
    expect(runExitCode(summary)).toBe(0)
    expect(server.service.creations).toBe(50)
    const recorded = recordedResults(resultsFile)
    expect(recorded.size).toBe(50)
    expect(recorded.get(7)).toEqual({
      row: 7,
      line: 7,
      clientOrderReference: 'R-7',
      idempotencyKey: expect.stringMatching(/^dlv_[\w-]{43}$/),
      outcome: 'created',
      deliveryId: expect.stringMatching(/^del_/),
      status: 'accepted',
      error: null,
    })
  })

  test('says "replayed" where the same file was run with other results', async () => {
    await start(orderLines(5))
    resultsFile = join(createTempDir(), 'other.ndjson')
    expect((await start(orderLines(5))).counts).toMatchObject({ created: 0, replayed: 5 })
    expect(server.service.creations).toBe(5)
  })

  test.each([
    'rows',
    'action',
    'resultsFile',
    'owner',
    'pacer',
  ])('without %s is refused before it begins', async (name) => {
    const pacer = createPacer()
    await using client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', pacer })
    const action = createAction(client)
    const options = { rows: rowsOf(orderLines(1)), action, resultsFile, owner: 'test', pacer }
    const left = run({ ...options, [name]: undefined })
    await expect(left).rejects.toMatchObject({ name: 'UsageError', message: `run() needs ${name}` })
    expect(readdirSync(dirname(resultsFile))).toEqual([])
    expect(server.requests).toEqual([])
  })

  test('looks a taken reference up and tells the same order from another', async () => {
    await start(orderLines(2))
    server.service.forgetKeys()
    resultsFile = join(createTempDir(), 'other.ndjson')
    const dropoff = { address: '1 Other St, Killeen, TX 76541', contactName: 'Sam Ode', contactPhone: '+12025550101' }
    const input = `${orderLines(1)}${JSON.stringify(testOrder('R-2', { dropoff }))}\n`
    const summary = await start(input)
    expect(summary.counts).toMatchObject({ existing: 1, conflict: 1 })
    expect(summary.results.find((result) => result.row === 2)).toMatchObject({
      outcome: 'conflict',
      deliveryId: 'del_2',
      error: { code: 'DUPLICATE_ORDER', status: 409 },
    })
    expect(runExitCode(summary)).toBe(9)
  })

  /** A run that tells of the groups of rows that are claimed, and waits for `gate` with each. */
  async function runInGroups(orders: number, gate?: Promise<void>) {
    const record = await openFileRecord(resultsFile, { operation: 'createDelivery', owner: 'test' })
    const groups: number[][] = []
    const claim = record.claim.bind(record)
    record.claim = async (rows, at) => {
      const claims = await claim(rows, at)
      groups.push(rows.map(({ row }) => row))
      await gate
      return claims
    }
    const pacer = createPacer()
    const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', pacer })
    onTestFinished(async () => {
      await record.close()
      await client.close()
    })
    const action = createAction(client)
    const options = { rows: rowsOf(orderLines(orders)), action, resultsFile, owner: 'test', pacer }
    return { groups, ending: new RunEngine(options, record).run() }
  }

  test('sends nothing while the disk is still writing the intent', async () => {
    const writing = Promise.withResolvers<void>()
    const { groups, ending } = await runInGroups(5, writing.promise)
    await expect.poll(() => groups.flat().length).toBe(5)
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.requests).toEqual([])
    writing.resolve()
    expect((await ending).counts.created).toBe(5)
  })

  test('writes the intents of many rows at once, those of the first few before it knows the time', async () => {
    const { groups, ending } = await runInGroups(1_000)
    expect((await ending).counts.created).toBe(1_000)
    expect(groups.flat()).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))
    expect(groups[0]?.length).toBeLessThanOrEqual(20)
    expect(groups.length).toBeLessThan(30)
  })

  test.each([
    ['throws', () => expect.fail('the reader is broken')],
    ['rejects', () => Promise.reject(new Error('the reader is broken'))],
  ])('ends with the error of a reader of its results that %s, and loses no result', async (_, onResult) => {
    await expect(start(orderLines(100), { run: { onResult } })).rejects.toThrow('the reader is broken')
    expect(recordedResults(resultsFile).size).toBe(server.service.creations)
    expect(server.service.creations).toBeLessThan(100)
  })

  test('continues after rows that fail, with one attempt each', async () => {
    const refusals: [number, string][] = [
      [400, 'VALIDATION_ERROR'],
      [403, 'QUOTES_NOT_SUPPORTED'],
      [409, 'QUOTE_EXPIRED'],
      [422, 'NO_ELIGIBLE_PROVIDERS'],
      [409, 'IDEMPOTENCY_KEY_REUSED'],
    ]
    server.play(...refusals.map(([status, code]) => faults.refuse(status, code)))
    const summary = await start(orderLines(10))
    expect(summary.counts).toMatchObject({ created: 5, failed: 4, conflict: 1 })
    expect(server.requests).toHaveLength(10)
    expect(runExitCode(summary)).toBe(9)
  })

  test('tries failed rows again once the run has come to its end, and those alone', async () => {
    server.play(faults.refuse(422, 'NO_ELIGIBLE_PROVIDERS'))
    await start(orderLines(5))
    const again = await start(orderLines(5))
    expect(again.counts).toMatchObject({ created: 5, failed: 0 })
    expect(server.requests).toHaveLength(6)
  })

  test('names an answer that breaks the contract as the program does: CONTRACT_ERROR', async () => {
    server.always = (turn) => {
      if (turn.request.method === 'GET') return faults.serve()(turn)
      turn.send({ status: 201, headers: {}, body: '{"status":"accepted"}' })
    }
    const { results } = await start(orderLines(1), { run: {}, client: { retries: { maxRetries: 0 } } })
    expect(results).toMatchObject([{ outcome: 'unknown', error: { code: 'CONTRACT_ERROR' } }])
  })

  test('creates each order once under every fault at once', async () => {
    const serve = faults.serve()
    const quiet = Array.from({ length: 16 }, () => serve)
    server.always = cycle(
      ...[faults.resetBefore(), ...quiet, faults.resetAfter(), ...quiet, faults.truncatedJson(), ...quiet],
      ...[faults.refuse(409, 'IDEMPOTENCY_CONFLICT'), ...quiet, faults.without('deliveryId'), ...quiet],
      ...[faults.refuseAfter(500, 'INTERNAL_ERROR'), ...quiet, faults.closeDelimited(), ...quiet, faults.hangAfter()],
      ...quiet,
    )
    let summary = await start(orderLines(300), { run: { attemptTimeoutMs: 1_000 } })
    // On a busy machine timeouts may spend the budget for repetitions: the run is resumed, as a person would.
    for (let round = 0; round < 10 && summary.stopped === 'outage'; round++)
      summary = await start(orderLines(300), { run: { attemptTimeoutMs: 1_000 } })
    expect(summary.stopped, String(summary.cause)).toBeUndefined()
    expect(server.service.creations).toBe(300)
    const recorded = recordedResults(resultsFile)
    expect([...recorded.values()].filter(({ deliveryId }) => deliveryId === null)).toEqual([])
    expect(new Set([...recorded.values()].map(({ deliveryId }) => deliveryId)).size).toBe(300)
    expect(runExitCode(summary)).toBe(0)
  })

  test.each<[string, Fault, string]>([
    ['wait for an hour', faults.refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '3600' }), 'wait'],
    ['wait for an hour by 429', faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }), 'wait'],
    ['go away', faults.refuse(401, 'UNAUTHORIZED'), 'unauthorized'],
  ])('begins with few in flight: told by the tenth answer to %s, it has sent at most 16', async (_, refusal, stopped) => {
    let arrived = 0
    let answered = 0
    const waiting: (() => void)[] = []
    // Each request is answered when the next five have arrived, or no more come: as over a long way.
    server.always = (turn) => {
      const number = ++arrived
      const answer = () => {
        answered++
        if (number >= 10) refusal(turn)
        else turn.send(turn.execute())
      }
      waiting.push(answer)
      setTimeout(() => waiting.shift()?.(), 25)
    }
    const summary = await start(orderLines(500), { client: {} })
    expect(summary.stopped).toBe(stopped)
    expect(answered).toBe(arrived)
    expect(arrived).toBeGreaterThanOrEqual(10)
    expect(arrived).toBeLessThanOrEqual(16)
  })

  test('grows to as many in flight as it may have, once it is answered well', async () => {
    let inFlight = 0
    let most = 0
    server.always = (turn) => {
      most = Math.max(most, ++inFlight)
      setTimeout(() => {
        inFlight--
        turn.send(turn.execute())
      }, 50)
    }
    const summary = await start(orderLines(500), { client: {}, run: { concurrency: 32 } })
    expect(summary.counts.created).toBe(500)
    expect(most).toBe(32)
  })

  test('pauses at once where the service cannot be reached', async () => {
    await server.close()
    const summary = await start(orderLines(100))
    expect(summary.stopped).toBe('outage')
    expect(summary.cause).toMatchObject({ reason: 'refused' })
    server = await startScriptedServer()
  })

  test('leaves an unknown outcome unknown and settles it when run again', async () => {
    server.play(faults.serve())
    server.always = (turn) => (turn.request.method === 'GET' ? faults.serve()(turn) : faults.resetBefore()(turn))
    const summary = await start(orderLines(2), { client: { clock, retries: { maxRetries: 1 } } })
    expect(summary.counts).toMatchObject({ created: 1, unknown: 1 })
    expect(runExitCode(summary)).toBe(9)
    server.always = undefined
    expect((await start(orderLines(2))).counts).toMatchObject({ created: 2, unknown: 0 })
    expect(server.service.creations).toBe(2)
  })

  test('finds a lost create by its reference where replaying does not help', async () => {
    server.play(faults.resetAfter())
    server.always = (turn) => (turn.request.method === 'GET' ? faults.serve()(turn) : faults.resetBefore()(turn))
    const summary = await start(orderLines(1), { client: { clock, retries: { maxRetries: 1 } } })
    expect(summary.results).toEqual([expect.objectContaining({ outcome: 'created', deliveryId: 'del_1' })])
  })

  describe('looks a reference up before it sends what may have been sent', () => {
    /** Rows that the service executed and whose answers never came. */
    async function startLost(count: number, setup: Partial<CreateRun> = {}) {
      const abort = new AbortController()
      let executed = 0
      server.always = (turn) => {
        // The first answer says what the service's time is; the rows after it are lost.
        if (executed++ === 0) return turn.send(turn.execute())
        turn.execute()
        if (executed > count) abort.abort()
      }
      const run = { abortSignal: abort.signal, concurrency: count }
      await start(orderLines(count + 1), { run, ...setup })
      server.always = undefined
      server.service.forgetKeys()
      server.requests.length = 0
    }

    /** Changes when the rows were sent, by the service's clock, in the results file. */
    const rewriteTimes = (serviceAt: string | null) =>
      writeFileSync(
        resultsFile,
        readFileSync(resultsFile, 'utf8').replace(/"serviceAt":[^}]+/g, `"serviceAt":${JSON.stringify(serviceAt)}`),
      )
    const posts = () => server.requests.filter(({ method }) => method === 'POST')
    const daysMs = 86_400_000
    /** From the second row on the service has said its time. */
    const oneByOne = { run: { concurrency: 1 } }

    test.each<[string, string | null]>([
      ['a day ago', new Date(Date.now() - 1.1 * daysMs).toISOString()],
      ['in the future', new Date(Date.now() + 10 * daysMs).toISOString()],
      ['nobody knows when', null],
    ])('%s, by the clock of the service', async (_, serviceAt) => {
      await startLost(3)
      rewriteTimes(serviceAt)
      const { counts } = await start(orderLines(4), oneByOne)
      expect(counts).toMatchObject({ created: 1, existing: 3 })
      expect([posts(), server.service.creations]).toEqual([[], 4])
    })

    test.each([
      ['ten days back since', 0, -10],
      ['two days ahead then', 2, 0],
      ['a day back since, which hides the day that passed', 0, -1],
    ])('whatever the clock of this machine says: %s', async (_, daysThen, daysSince) => {
      const at = (days: number) => ({ clock: { ...systemClock, nowMs: () => Date.now() + days * daysMs } })
      await startLost(3, { client: at(daysThen) })
      rewriteTimes(new Date(Date.now() - daysMs).toISOString())
      const { counts } = await start(orderLines(4), { client: at(daysSince), ...oneByOne })
      expect(counts).toMatchObject({ created: 1, existing: 3 })
      expect([posts(), server.service.creations]).toEqual([[], 4])
    })

    test('but sends at once what was sent an hour ago, once the service has said the time', async () => {
      await startLost(3)
      rewriteTimes(new Date(Date.now() - 3_600_000).toISOString())
      const { counts } = await start(orderLines(4), oneByOne)
      expect(counts).toMatchObject({ created: 1, existing: 3 })
      expect(server.requests[0]).toMatchObject({
        method: 'GET',
        path: expect.stringContaining('clientOrderReference='),
      })
      expect(posts()).toHaveLength(2)
    })
  })

  test('looks up, instead of sending again, what was in flight when the machine fell asleep for days', async () => {
    const inFlight = 2
    server.play(
      ...Array.from(
        { length: inFlight },
        (): Fault => (turn) => {
          turn.execute()
          clock.oversleep(25 * 3_600_000)
          server.service.forgetKeys()
          turn.socket.resetAndDestroy()
        },
      ),
    )
    const summary = await start(orderLines(20), { run: { concurrency: inFlight } })
    expect(summary.stopped).toBeUndefined()
    expect(summary.counts).toMatchObject({ existing: 0, created: 20 })
    expect(server.service.creations).toBe(20)
    const keys = server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('The results file', () => {
  test('survives being torn at any byte', async () => {
    await start(orderLines(3))
    const whole = readFileSync(resultsFile)
    const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []))
    // Before, at and after the end of each line, and every now and then within one.
    const lengths = new Set([0, 1, ...ends.flatMap((end) => [end - 2, end - 1, end, end + 1])])
    for (let length = 0; length < whole.length; length += 43) lengths.add(length)
    for (const length of lengths) {
      writeFileSync(resultsFile, whole.subarray(0, length))
      const again = await start(orderLines(3))
      expect(runExitCode(again)).toBe(0)
    }
    expect(server.service.creations).toBe(3)
  })

  test('is not taken for another run, another owner or another kind of file', async () => {
    await start(orderLines(1))
    const header = readFileSync(resultsFile, 'utf8').split('\n', 1)[0] ?? ''
    for (const content of ['precious text\n', `${header.replace('createDelivery', 'cancelDelivery')}\n`, '{"a":1}\n']) {
      writeFileSync(resultsFile, content)
      await expect(start(orderLines(1))).rejects.toThrow(UsageError)
      expect(readFileSync(resultsFile, 'utf8')).toBe(content)
    }
  })

  test('is named as damaged, with the line and the fix, and left as it is', async () => {
    await start(orderLines(3))
    const lines = readFileSync(resultsFile, 'utf8').split('\n')
    for (const damage of [
      '\u0000\u0000\u0000',
      '{"intent":{"row":2',
      '{"intent":{"row":2}}',
      '{"intent":{"row":2,"bodyHash":"a","idempotencyKey":"b","clientOrderRefereNce":"R-2"}}',
      '{"row":4000000000,"outcome":"created"}',
    ]) {
      const content = [...lines.slice(0, 3), damage, ...lines.slice(3)].join('\n')
      writeFileSync(resultsFile, content)
      await expect(start(orderLines(3))).rejects.toMatchObject({
        kind: 'usage',
        message: `${resultsFile} is damaged at line 4: it is not a line of a run's record`,
        hint: expect.stringContaining('remove line 4'),
      })
      expect(readFileSync(resultsFile, 'utf8')).toBe(content)
    }
  })
})
