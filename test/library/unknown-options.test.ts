import { expect, it } from 'vitest'
import { run } from '../../src/bulk/index.js'
import { createClient, createPacer, fetchTransport } from '../../src/client/index.js'
import { startListener } from '../../src/listener/index.js'
import { createSandbox, startSandbox } from '../../src/sandbox/index.js'
import { startTestSandbox, useSandbox } from '../../src/testing/index.js'
import { expressReceiver, fastifyReceiver, fetchReceiver, honoReceiver } from '../../src/webhooks/index.js'

const baseUrl = 'http://127.0.0.1/delivery/v1'
const transport = fetchTransport(() => Promise.reject(new Error('Nothing is sent')))
const hooks = { beforeAll: () => {}, beforeEach: () => {}, afterAll: () => {} }

/** Calls as plain JavaScript can make them, with the message and the hint that each gives. */
const calls: (readonly [call: (options: never) => unknown, options: object, message: string, hint: string])[] = [
  [createClient, { baseUrl, apikey: 'k' }, 'createClient has no option "apikey"', 'Did you mean "apiKey"?'],
  [createClient, { baseUrl, timeout: 5 }, 'createClient has no option "timeout"', 'Did you mean "timeoutMs"?'],
  [
    createClient,
    { baseUrl, retries: { maxretries: 1 } },
    'retries has no option "maxretries"',
    'Did you mean "maxRetries"?',
  ],
  [
    (options) => createClient({ baseUrl, transport }).getHealth({}, options),
    { abortSignal: 0 },
    'A call has no option "abortSignal"',
    'It has signal, timeoutMs, attemptTimeoutMs, maxWaitMs, retries, headers, drain, budget.',
  ],
  [
    (options) => createClient({ baseUrl, transport }).getHealth({}, options),
    { retries: { basedelayMs: 1 } },
    'retries has no option "basedelayMs"',
    'Did you mean "baseDelayMs"?',
  ],
  [createPacer, { requestPerSecond: 5 }, 'createPacer has no option', 'Did you mean "requestsPerSecond"?'],
  [createSandbox, { timescale: 60 }, 'createSandbox has no option "timescale"', 'Did you mean "timeScale"?'],
  [createSandbox, { switches: { duplicate: 'active' } }, 'switches has no option', 'Did you mean "duplicates"?'],
  [startSandbox, { hostt: '::1' }, 'startSandbox has no option "hostt"', 'Did you mean "host"?'],
  [startTestSandbox, { receiver: [] }, 'startTestSandbox has no option', 'Did you mean "receivers"?'],
  [(options) => useSandbox(hooks, options), { ratelimit: 'off' }, 'useSandbox has no', 'Did you mean "rateLimit"?'],
  ...[expressReceiver, fetchReceiver, honoReceiver].map(
    (receiver) =>
      [receiver, { secret: 'whsec_' }, 'The receiver has no option "secret"', 'Did you mean "secrets"?'] as const,
  ),
  [fastifyReceiver, { paths: '/hooks' }, 'The receiver has no option "paths"', 'Did you mean "path"?'],
  [run, { concurency: 8 }, 'run() has no option "concurency"', 'Did you mean "concurrency"?'],
  [startListener, { secret: [] }, 'startListener has no option "secret"', 'Did you mean "secrets"?'],
  [startListener, { limits: { connection: 1 } }, 'limits has no option', 'Did you mean "connections"?'],
  [startListener, { forward: { route: [] } }, 'forward has no option "route"', 'Did you mean "routes"?'],
]

it.each(calls)('An option that does not exist is refused (%o with %j)', async (call, options, message, hint) => {
  const refused = { name: 'UsageError', message: expect.stringContaining(message), hint }
  await expect((async () => call(options as never))()).rejects.toMatchObject(refused)
})
