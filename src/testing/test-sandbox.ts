import { type Client, type ClientOptions, createClient, fetchTransport } from '../client/index.js'
import { UsageError, type WebhookEvent } from '../contract/index.js'
import { type RunningSandbox, type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/index.js'
import { servedSandboxOptionNames } from '../sandbox/internal.js'
import { assertKnownOptions } from '../shared/word-match.js'
import { openInbox, type WaitForEvent } from './webhook-inbox.js'

/** Options of a sandbox for tests. */
export interface TestSandboxOptions extends SandboxOptions {
  /**
   * Where webhooks are sent: URLs of the app under test. Without it they are received, verified and kept in `events`.
   */
  receivers?: readonly string[]
}

const optionNames = { ...servedSandboxOptionNames, receivers: 0 }

/** A service of a test's own, with a client and what its webhooks brought. */
export interface TestSandbox extends RunningSandbox {
  /** A client of the default account. */
  client: Client
  /** Verified webhooks since the last reset, oldest first; empty if `receivers` were given. */
  readonly events: readonly WebhookEvent[]
  /**
   * Resolves with the first event that matches, received before or from now on.
   *
   * @throws UsageError if none came in time, with what came instead
   */
  waitForEvent: WaitForEvent
  /** Resets the sandbox: no deliveries, no faults, the clock at the current time. Receivers stay registered. */
  reset(): Promise<void>
}

/**
 * Starts a sandbox in memory on a free port, without a rate limit, with a receiver that is wired to it. Takes milliseconds.
 *
 * @example
 * await using sandbox = await startTestSandbox()
 * const { deliveryId } = await sandbox.client.createDelivery({ body: order })
 * await sandbox.clock.advance('2h')
 * await sandbox.waitForEvent('delivery.delivered')
 */
export async function startTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  assertKnownOptions('startTestSandbox', options, optionNames)
  const { receivers, ...rest } = options
  const sandbox = await startSandbox({ rateLimit: 'off', ...rest })
  const inbox = await openInbox(
    () => [sandbox.webhookSecret],
    (url) => whyNothing(sandbox, options, url),
  )
  const client = clientOf(sandbox)
  const closeSandbox = sandbox.close
  const close = async () => {
    await client.close()
    await closeSandbox()
    await inbox.close()
  }
  try {
    for (const url of receivers ?? [inbox.url]) await sandbox.steer('POST', '/endpoints', { url })
  } catch (error) {
    await close()
    throw error
  }
  return Object.assign(sandbox, {
    client,
    events: inbox.events,
    waitForEvent: inbox.waitForEvent,
    async reset() {
      await sandbox.settled()
      await sandbox.steer('POST', '/reset', { keepEndpoints: true })
      inbox.events.length = 0
    },
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** Why no webhooks are sent to the inbox at this URL; `undefined` if they are. */
async function whyNothing(
  sandbox: Sandbox,
  { receivers, deliverWebhooks, sendWebhook }: TestSandboxOptions,
  url: string,
): Promise<string | undefined> {
  if (deliverWebhooks === false)
    return 'Nothing is sent with deliverWebhooks: false; client.listEvents() has the events.'
  if (sendWebhook !== undefined) return 'Webhooks are passed to sendWebhook instead.'
  if (receivers !== undefined)
    return 'Webhooks are sent to the receivers that were given; client.listEvents() has the events.'
  const { endpoints } = (await sandbox.steer('GET', '/endpoints')) as {
    endpoints: { url: string; disabled: boolean }[]
  }
  const own = endpoints.find((endpoint) => endpoint.url === url)
  if (own === undefined) return 'The receiver of this sandbox was removed; sandbox.reset() keeps it.'
  return own.disabled ? 'The receiver of this sandbox is disabled after webhooks that failed.' : undefined
}

/** The base URL of a sandbox that is called without a socket. */
const baseUrl = 'http://127.0.0.1/delivery/v1'

/**
 * A client straight onto a sandbox in this process: the same requests and responses as over the network, without a socket.
 *
 * @param options other than where the service is; `apiKey` defaults to the sandbox's default account
 */
export function clientOf(
  sandbox: Pick<Sandbox, 'fetch' | 'apiKey'>,
  options: Partial<Omit<ClientOptions, 'baseUrl' | 'transport'>> = {},
): Client {
  const transport = fetchTransport((request) => sandbox.fetch(request))
  return createClient({ apiKey: sandbox.apiKey, ...options, baseUrl, transport })
}

type Hook = (work: () => Promise<void>) => unknown

/**
 * Hooks of a test runner, in one object or as the runner's own: `beforeAll` and `afterAll` of vitest, Jest, Jasmine, Bun, Deno and
 * Playwright Test, `before` and `after` of `node:test`, mocha, tap, AVA, QUnit and lab, a group of Japa, a suite of uvu, the hooks
 * of Cucumber.
 */
export type TestHooks =
  | {
      /** Runs once before the tests of a file. */
      beforeAll: Hook
      /** Runs before each test. */
      beforeEach: Hook
      /** Runs once after them. */
      afterAll: Hook
    }
  | {
      /** Runs once before the tests of a file. */
      before: Hook
      /** Runs before each test. */
      beforeEach: Hook
      /** Runs once after them. */
      after: Hook
    }
  | {
      /** Runs once before the tests of a group. */
      setup: Hook
      /** Hooks around each test of the group. */
      each: {
        /** Runs before each test. */
        setup: Hook
      }
      /** Runs once after them. */
      teardown: Hook
    }
  | {
      /** Runs once before the tests of a suite, and by `each` before each test. */
      before: Hook & {
        /** Runs before each test. */
        each: Hook
      }
      /** Runs once after them. */
      after: Hook
    }
  | {
      /** Runs once before the scenarios. */
      BeforeAll: Hook
      /** Runs before each scenario. */
      Before: Hook
      /** Runs once after them. */
      AfterAll: Hook
    }

/** The hooks before all, before each and after all, each called as a method of its own object; `undefined` if one is missing. */
function hooksOf(given: unknown): [all: Hook, each: Hook, after: Hook] | undefined {
  const named = (path: string): Hook | undefined => {
    const names = path.split('.')
    const name = names.pop() ?? path
    let owner = given as Record<string, unknown> | null | undefined
    for (const next of names) owner = owner?.[next] as typeof owner
    return typeof owner?.[name] === 'function' ? (work) => (owner as Record<string, Hook>)[name]?.(work) : undefined
  }
  for (const paths of [
    ['beforeAll', 'beforeEach', 'afterAll'],
    ['before', 'beforeEach', 'after'],
    ['setup', 'each.setup', 'teardown'],
    ['before', 'before.each', 'after'],
    ['BeforeAll', 'Before', 'AfterAll'],
  ]) {
    const [all, each, after] = paths.map(named)
    if (all !== undefined && each !== undefined && after !== undefined) return [all, each, after]
  }
  return undefined
}

/**
 * One sandbox for a test file, started before its first test, reset before each and closed after the last.
 *
 * @example
 * import { afterAll, beforeAll, beforeEach } from 'vitest'
 * const sandbox = useSandbox({ beforeAll, beforeEach, afterAll })
 *
 * @returns the sandbox; it can be used in hooks and tests
 * @throws UsageError for an option that does not exist, and without hooks, which are not taken from the globals of a runner
 */
export function useSandbox(hooks: TestHooks, options?: TestSandboxOptions): TestSandbox {
  const found = hooksOf(hooks)
  if (found === undefined)
    throw new UsageError('useSandbox needs the hooks of the test runner', {
      hint: "import { afterAll, beforeAll, beforeEach } from 'vitest', and call useSandbox({ beforeAll, beforeEach, afterAll }).",
    })
  const [before, beforeEach, after] = found
  assertKnownOptions('useSandbox', options, optionNames)
  let running: TestSandbox | undefined
  before(async () => {
    running = await startTestSandbox(options)
  })
  beforeEach(async () => {
    await running?.reset()
  })
  after(async () => {
    await running?.close()
    running = undefined
  })
  return new Proxy({} as TestSandbox, {
    get(_, name) {
      if (running !== undefined) return Reflect.get(running, name)
      throw new UsageError(`The sandbox is not running: ${String(name)} can be used only in tests and hooks.`)
    },
    has: (_, name) => running !== undefined && name in running,
  })
}
