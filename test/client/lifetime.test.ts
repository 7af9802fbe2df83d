import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type CallOptions,
  type ClientOptions,
  createClient,
  createPacer,
  fetchTransport,
  networkTransport,
  type Transport,
} from '../../src/client/index.js'
import { ApiError, ConnectionError, OutcomeError, UsageError } from '../../src/contract/index.js'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'
import { hurriedClock } from '../support/client/hurried-clock.js'
import { testOrder } from '../support/orders.js'

const baseUrl = 'http://127.0.0.1/delivery/v1'

function open(options: Partial<ClientOptions> = {}) {
  const sandbox = createSandbox({ rateLimit: 'off' })
  onTestFinished(() => sandbox.close())
  const requests: { method: string; path: string; userAgent: string | undefined }[] = []
  const inProcess = fetchTransport((request) => sandbox.fetch(request))
  const transport: Transport = {
    send(request) {
      requests.push({
        method: request.method,
        path: new URL(request.url).pathname,
        userAgent: request.headers['user-agent'],
      })
      return inProcess.send(request)
    },
  }
  const client = createClient({ baseUrl, apiKey: sandbox.apiKey, transport, clock: hurriedClock(), ...options })
  return { sandbox, client, requests, inProcess }
}

const rejectionOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('should have rejected'),
    (error: unknown) => error,
  )

describe('Creating a client', () => {
  it.each([
    undefined,
    null,
    {},
    { baseUrl: undefined },
    { baseUrl: '' },
    { baseUrl: 42 },
  ])('with %j is a mistake that is told at once', (options) => {
    expect(() => createClient(options as unknown as ClientOptions)).toThrow(UsageError)
  })

  it.each([
    [{ timeoutMs: -1 }, 'timeoutMs must be a number of at least 0, not -1'],
    [{ attemptTimeoutMs: Number.NaN }, 'attemptTimeoutMs must be a number of at least 0, not NaN'],
    [{ maxBytes: '64' }, 'maxBytes must be a number of at least 0, not 64'],
    [{ retries: { maxRetries: -2 } }, 'maxRetries must be a number of at least 0, not -2'],
  ])('refuses %j, of the client and of one call', async (limits, message) => {
    const given = limits as unknown as CallOptions
    expect(() => createClient({ baseUrl: 'http://127.0.0.1:9/v1', ...given })).toThrow(message)
    if (!('maxBytes' in limits))
      expect(await rejectionOf(open().client.getHealth({}, given))).toMatchObject({ kind: 'usage', message })
  })

  it('names the package and Node to the service', async () => {
    const { client, requests } = open()
    await client.getHealth()
    expect(requests[0]?.userAgent).toMatch(/^dlv-cli\/\d+\.\d+\.\d+ node\/\d+$/)
  })
})

it('says that its own pace, not the service, asks for a longer wait than is allowed', async () => {
  const clock = hurriedClock()
  const { client } = open({ clock, pacer: createPacer({ clock, requestsPerSecond: 1 }) })
  await client.listTeams()
  await expect(client.listTeams({}, { maxWaitMs: 100 })).rejects.toMatchObject({
    reason: 'held',
    message: expect.stringContaining("At the client's own pace the next request would wait longer than 100 ms"),
  })
})

describe('An order without a key', () => {
  it('is one delivery however often it is sent, and the second answer is replayed', async () => {
    const { client } = open()
    const first = await client.call('createDelivery', { body: testOrder('R-1') })
    const second = await client.call('createDelivery', { body: testOrder('R-1') })
    expect(second.value.deliveryId).toBe(first.value.deliveryId)
    expect([first.replayed, second.replayed]).toEqual([false, true])
    const other = client.createDelivery({ body: { ...testOrder('R-1'), tipAmountCents: 1 } })
    expect(await rejectionOf(other)).toMatchObject({ code: 'DUPLICATE_ORDER' })
  })
})

describe('Aborting a call', () => {
  it.each([
    'call',
    'client',
  ])('rejects with the reason of the signal of the %s, before anything is sent', async (whose) => {
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    const { client, requests } = open(whose === 'client' ? { signal } : {})
    expect(await rejectionOf(client.getCapabilities({}, whose === 'call' ? { signal } : {}))).toBe(reason)
    expect(requests).toEqual([])
    expect(reason.cause).toBeUndefined()
  })

  it('rejects with the reason in flight, whatever it is', async () => {
    for (const reason of ['a text', undefined, new TypeError('mine')]) {
      const controller = new AbortController()
      const never: Transport = {
        send: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
            controller.abort(reason)
          }),
      }
      const { client } = open({ transport: never, signal: new AbortController().signal })
      const rejection = await rejectionOf(client.getCapabilities({}, { signal: controller.signal }))
      expect(rejection).toBe(controller.signal.reason)
      if (rejection instanceof Error) expect(rejection.cause).toMatchObject({ kind: 'connection', reason: 'aborted' })
    }
  })

  it('rejects with the reason while it waits, with the attempts so far as the cause', async () => {
    const controller = new AbortController()
    const clock = hurriedClock()
    const waits: number[] = []
    const { client, sandbox } = open({
      random: () => 0.5,
      clock: {
        ...clock,
        async sleep(delayMs, signal) {
          if (waits.push(delayMs) === 2) controller.abort()
          await clock.sleep(delayMs, signal)
        },
      },
    })
    await sandbox.force('SERVICE_UNAVAILABLE', { times: 9 })
    const rejection = await rejectionOf(client.getCapabilities({}, { signal: controller.signal }))
    expect(rejection).toBe(controller.signal.reason)
    expect(rejection).toMatchObject({ name: 'AbortError' })
    const { cause } = rejection as Error
    expect(cause).toBeInstanceOf(ApiError)
    expect(cause).toMatchObject({ code: 'SERVICE_UNAVAILABLE', hint: expect.stringContaining('Tried 2 times') })
    expect(waits).toHaveLength(2)
  })
})

describe('The limits of attempts that are under way at once', () => {
  it('end each at its own time and not at the first one’s, and leave those alone that were answered', async () => {
    const { sandbox, inProcess } = open()
    const transport: Transport = {
      send: (request) =>
        request.url.includes('health')
          ? inProcess.send(request)
          : new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
    }
    const { client } = open({ transport, apiKey: sandbox.apiKey, retries: { maxRetries: 0 } })
    const call = async (attemptTimeoutMs: number) => {
      const rejection = await rejectionOf(client.getCapabilities({}, { attemptTimeoutMs }))
      expect(rejection).toMatchObject({
        reason: 'timeout',
        message: `No complete answer within ${attemptTimeoutMs} ms`,
      })
    }
    const controller = new AbortController()
    const patient = rejectionOf(client.getCapabilities({}, { attemptTimeoutMs: 3_600_000, signal: controller.signal }))
    const calls = [call(90), call(30), call(60), call(30)]
    expect(await client.getHealth()).toMatchObject({ status: 'healthy' })
    // None of them waits for the first one's limit.
    await Promise.all(calls)
    controller.abort()
    expect(await patient).toBe(controller.signal.reason)
    await call(10)
  })
})

describe('The signals of many calls', () => {
  it('leave no listener behind', async () => {
    const controller = new AbortController()
    const answers: (() => void)[] = []
    const { sandbox, inProcess } = open()
    const slow: Transport = {
      send: (request) => new Promise<void>((resolve) => answers.push(resolve)).then(() => inProcess.send(request)),
    }
    const { client } = open({ transport: slow, apiKey: sandbox.apiKey, signal: controller.signal })
    const calls = Array.from({ length: 20 }, () => client.getCapabilities())
    await expect.poll(() => answers.length).toBe(20)
    for (const answer of answers) answer()
    await Promise.all(calls)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('reach the network through a transport that wraps it and gives a signal of its own', async () => {
    const network = networkTransport()
    onTestFinished(() => network.close?.())
    const reason = new Error('the wrapper has had enough')
    const wrapping: Transport = {
      ...network,
      send: (request) => network.send({ ...request, signal: AbortSignal.abort(reason) }),
    }
    const { client } = open({ transport: wrapping, retries: { maxRetries: 0 } })
    expect(await rejectionOf(client.getCapabilities())).toMatchObject({ cause: reason })
  })
})

describe('A mistake in a transport', () => {
  const mistakes: [string, () => unknown][] = [
    ['a name that is not defined', () => new ReferenceError('send is not defined')],
    ['a call of what is no function', () => new TypeError('this.pool.send is not a function')],
    ['a property of undefined', () => new TypeError("Cannot read properties of undefined (reading 'fetch')")],
    ['an argument that Node refuses', () => Object.assign(new TypeError('bad'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['an error of this package', () => new UsageError('no such route')],
  ]
  it.each(mistakes)('ends the call after one attempt, as itself: %s', async (_, make) => {
    const thrown = make()
    for (const transport of [
      { send: () => Promise.reject(thrown) },
      fetchTransport(() => Promise.reject(thrown)),
      fetchTransport(() => {
        throw thrown
      }),
    ]) {
      let attempts = 0
      const counting: Transport = {
        send(request) {
          attempts++
          return transport.send(request)
        },
      }
      const { client } = open({ transport: counting })
      expect(await rejectionOf(client.getCapabilities())).toBe(thrown)
      expect(attempts).toBe(1)
    }
  })

  it.each([
    [
      'undici',
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }),
    ],
    ['Chromium', new TypeError('Failed to fetch')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Safari', new TypeError('Load failed')],
    ['Deno', new TypeError('error sending request for url (http://127.0.0.1/deliveries/undefined)')],
    ['workerd', new Error('Network connection lost.')],
  ])('is not what a fetch of %s says of the network', async (_, thrown) => {
    const { client } = open({ transport: fetchTransport(() => Promise.reject(thrown)), retries: { maxRetries: 1 } })
    const failure = await rejectionOf(client.getCapabilities())
    expect(failure).toBeInstanceOf(ConnectionError)
    expect(failure).toMatchObject({ hint: expect.stringContaining('Tried 2 times') })
  })
})

describe('After close', () => {
  it('every call of a client rejects and sends nothing', async () => {
    const { client, requests } = open()
    await client.close()
    await client.close()
    const calls: Promise<unknown>[] = [
      client.getCapabilities(),
      client.call('getHealth', {}),
      client.raw({ method: 'GET', path: '/health' }),
      client.waitFor('del_1', 'delivered'),
      client.pages('listInstallations').next(),
      client.answers('listEvents').next(),
      client.each('listInstallations').next(),
    ]
    for (const call of calls) expect(await rejectionOf(call)).toBeInstanceOf(UsageError)
    expect(requests).toEqual([])
  })

  it('what was under way has ended', async () => {
    const never: Transport = {
      send: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    }
    const { client } = open({ transport: never })
    const call = rejectionOf(client.getCapabilities())
    await client.close()
    expect(await call).toMatchObject({ kind: 'connection', reason: 'aborted' })
  })

  it('steering a sandbox and requests to it reject', async () => {
    let kept: Sandbox
    {
      await using sandbox = createSandbox()
      kept = sandbox
      await sandbox.clock.advance('1m')
    }
    await kept.close()
    for (const call of [
      () => kept.steer('GET', '/clock'),
      () => kept.clock.advance('1m'),
      () => kept.force('RESET'),
      () => kept.fetch(new Request(`${baseUrl}/health`)),
    ])
      expect(await rejectionOf(call())).toBeInstanceOf(UsageError)
    for (const use of [() => kept.webhookSecret, () => kept.isServed, () => kept.startOutbox()])
      expect(use).toThrow('The sandbox is closed')
  })
})

describe('Waiting for a status', () => {
  it('ends at once if the delivery has it, or had it on its way', async () => {
    const { client, requests } = open()
    const { deliveryId } = await client.createDelivery({ body: testOrder('R-1') })
    await client.simulateDelivery({ deliveryId, body: { advanceTo: 'pickup_complete' } })
    requests.length = 0
    expect(await client.waitFor(deliveryId, 'pickup_complete')).toMatchObject({ deliveryId, status: 'pickup_complete' })
    expect(await client.waitFor(deliveryId, 'driver_assigned')).toMatchObject({ status: 'pickup_complete' })
    expect(requests).toHaveLength(2)
  })

  it('looks until the delivery gets there', async () => {
    const waits: number[] = []
    const clock = hurriedClock()
    let deliveryId = ''
    const { client } = open({
      clock: {
        ...clock,
        async sleep(delayMs) {
          waits.push(delayMs)
          if (waits.length === 3) await client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } })
        },
      },
    })
    deliveryId = (await client.createDelivery({ body: testOrder('R-1') })).deliveryId
    expect(await client.waitFor(deliveryId, 'delivered', { pollMs: 100 })).toMatchObject({ status: 'delivered' })
    expect(waits).toEqual([100, 150, 225])
  })

  it('fails once the status cannot be reached any more, and when the time is up', async () => {
    const { client } = open()
    const { deliveryId } = await client.createDelivery({ body: testOrder('R-1') })
    const late = await rejectionOf(client.waitFor(deliveryId, 'delivered', { timeoutMs: 5_000 }))
    expect(late).toMatchObject({ kind: 'connection', reason: 'timeout' })
    await client.cancelDelivery({ deliveryId })
    const ended = await rejectionOf(client.waitFor(deliveryId, 'delivered'))
    expect(ended).toBeInstanceOf(OutcomeError)
    expect(ended).toMatchObject({ deliveryId, status: 'cancelled', expected: 'delivered' })
  })

  it('refuses a misspelt status; a new one can be waited for', async () => {
    const { client } = open()
    expect(await rejectionOf(client.waitFor('del_1', 'deliverd'))).toBeInstanceOf(UsageError)
    expect(await rejectionOf(client.waitFor('del_1', 'failed', { pollMs: 0 }))).toBeInstanceOf(UsageError)
  })
})

describe('What a client tells', () => {
  it('is a line for each attempt, to a logger', async () => {
    const lines: string[] = []
    const { client, sandbox } = open({
      random: () => 1,
      logger: { debug: (line) => lines.push(`debug ${line}`), warn: (line) => lines.push(`warn ${line}`) },
    })
    await sandbox.force('SERVICE_UNAVAILABLE')
    await client.getCapabilities()
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /^warn dlv: GET \/delivery\/v1\/capabilities → 503 in \d+ ms \(req_\w+\): .+; attempt 2 follows in \d+ ms$/,
    )
    expect(lines[1]).toMatch(/^debug dlv: GET \/delivery\/v1\/capabilities → 200 in \d+ ms \(req_\w+\)$/)
  })
})
