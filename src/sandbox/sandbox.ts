import { UsageError } from '../contract/index.js'
import { seededRandom } from '../shared/math.js'
import { assertKnownOptions } from '../shared/word-match.js'
import { App } from './app.js'
import { type Steering, steer, steeringOf } from './control/steering.js'
import { accounts } from './core/accounts.js'
import { type Engine, Identifiers, secretsOf } from './engine/engine.js'
import { FaultDraws } from './engine/fault-rules.js'
import { seedStore } from './engine/seeding.js'
import { MAX_TIME_SCALE, VirtualClock } from './engine/virtual-clock.js'
import { exchangeOfRequest, responseOf } from './http/fetch-adapter.js'
import { type SandboxOptions, sandboxOptionNames } from './options.js'
import { Store } from './store/store.js'
import { defaultSwitches, type Switches } from './switches.js'
import { Worker } from './worker/worker.js'

/** The whole service in this process. */
export interface Sandbox extends Steering {
  /** Serves `/delivery/v1` and `/_sandbox`, whatever the host of the address. */
  fetch(request: Request): Promise<Response>
  /**
   * A call of the control API, such as `steer('POST', '/clock', { advance: '25h' })`. Answers with its JSON; throws
   * `ApiError` if it is refused.
   */
  steer(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>
  /** The key of the default account. */
  apiKey: string
  /** The newest signing secret of the default account. */
  readonly webhookSecret: string
  /** The signing secrets of an account, newest first; `account` is its id, that of the default account unless given. */
  webhookSecrets(account?: string): readonly string[]
  /** The file, or `:memory:`. */
  data: string
  /** The name that a damaged file was given, if `replaceDamaged` set one aside. */
  damagedFile: string | undefined
  /** Whether a process serves this state, so that its tracking pages and proof images answer. */
  readonly isServed: boolean
  /** Sends webhooks and runs due jobs until closed; safe in several processes on one file. */
  startOutbox(): void
  /** Resolves once nothing is due now. */
  settled(): Promise<void>
  /** Ends what is under way and closes the file; every later call rejects with UsageError. Closing twice is fine. */
  close(): Promise<void>
  /** Closes the sandbox at the end of `await using sandbox = createSandbox()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A sandbox with the parts that a server needs. @internal */
interface OpenSandbox {
  sandbox: Sandbox
  app: App
  engine: Engine
}

const defaultPublicUrl = 'http://127.0.0.1:4010'

/** Opens a sandbox without a socket. @internal */
export function openSandbox(options: SandboxOptions = {}): OpenSandbox {
  assertKnownOptions('switches', options.switches, defaultSwitches)
  refuseRateLimit(options.rateLimit)
  refuseTimeScale(options.timeScale)
  const store = new Store(options.data ?? ':memory:', options.replaceDamaged)
  try {
    return openOn(store, options)
  } catch (error) {
    store.close()
    throw error
  }
}

function openOn(store: Store, options: SandboxOptions): OpenSandbox {
  const clock = new VirtualClock(store, () => (options.clock ?? Date).now())
  const random = options.seed === undefined ? Math.random : seededRandom(options.seed + runNumber(store))
  const engine: Engine = {
    store,
    clock,
    identifiers: new Identifiers(options.seed === undefined ? undefined : () => Math.floor(random() * 32)),
    random,
    draws: new FaultDraws(store, random),
    realNowMs: () => Date.now(),
    origin: undefined,
    allowedHosts: allowedHostsOf(options.allowedHosts),
    allowsHttpReceivers: options.allowHttpReceivers === true,
    publicUrl: () => options.publicUrl ?? engine.origin ?? store.settings.get<string>('publicUrl') ?? defaultPublicUrl,
    rateLimit: options.rateLimit,
    initialSwitches: options.switches ?? {},
    initialTimeScale: options.timeScale,
    wake: () => worker.wake(),
    sendWebhook: options.sendWebhook,
    report: options.onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  }
  const worker = new Worker(engine, options.deliverWebhooks ?? true)
  const closed = new AbortController()
  if (options.timeScale !== undefined && options.timeScale !== clock.scale) clock.set(clock.nowMs(), options.timeScale)
  if (options.switches !== undefined) {
    store.write(() =>
      store.settings.set('switches', { ...store.settings.get<Partial<Switches>>('switches'), ...options.switches }),
    )
  }
  secretsOf(store, accounts[0].accountId)
  seedStore(engine)
  const app = new App(engine, worker, options.onRequest)
  const assertOpen = () => {
    if (closed.signal.aborted) throw new UsageError('The sandbox is closed', { hint: 'Start another one.' })
  }
  const fetch = async (request: Request) => {
    assertOpen()
    const exchange = exchangeOfRequest(request, closed.signal)
    return responseOf(await app.answer(exchange), exchange)
  }
  const call: Sandbox['steer'] = (method, path, body) => steer(fetch, method, path, body)
  const sandbox: Sandbox = {
    fetch,
    steer: call,
    ...steeringOf(call),
    apiKey: accounts[0].apiKey,
    get webhookSecret() {
      return sandbox.webhookSecrets()[0] ?? ''
    },
    webhookSecrets(account = accounts[0].accountId) {
      assertOpen()
      store.refresh()
      return secretsOf(store, account)
    },
    data: store.path,
    damagedFile: store.damagedFile,
    get isServed() {
      assertOpen()
      store.refresh()
      return engine.origin !== undefined || store.settings.get<string>('publicUrl') !== undefined
    },
    startOutbox() {
      assertOpen()
      worker.start()
    },
    settled: () => worker.settled(),
    [Symbol.asyncDispose]: () => sandbox.close(),
    async close() {
      if (closed.signal.aborted) return
      closed.abort(new DOMException('The sandbox was closed.', 'AbortError'))
      await worker.close()
      app.close()
      store.close()
    },
  }
  return { sandbox, app, engine }
}

function refuseRateLimit(rateLimit: SandboxOptions['rateLimit']): void {
  if (rateLimit === undefined || rateLimit === 'off') return
  if (Number.isInteger(rateLimit) && rateLimit >= 1 && rateLimit <= 1_000_000) return
  throw new UsageError(`rateLimit must be "off" or a whole number from 1 to 1,000,000, not ${rateLimit}.`)
}

function refuseTimeScale(scale: number | undefined): void {
  if (scale === undefined || (scale >= 0 && scale <= MAX_TIME_SCALE)) return
  throw new UsageError(`timeScale must be a number from 0 to 1,000,000, not ${scale}.`)
}

/** Names as a `Host` header has them, without their port. */
function allowedHostsOf(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(
    names.map((name) => {
      const url = `http://${name}`
      const isName = /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(name)
      if (isName && URL.canParse(url) && new URL(url).host === name.toLowerCase()) return name.toLowerCase()
      throw new UsageError(`"${name}" is not a host name that can be allowed.`, {
        hint: 'Give one name or address without http://, port or wildcard, such as sandbox or 192.168.1.5.',
      })
    }),
  )
}

/** A file that is opened again with the same seed must not give the same identifiers again. */
function runNumber(store: Store): number {
  return store.write(() => {
    const run = store.settings.get<number>('runs') ?? 0
    store.settings.set('runs', run + 1)
    return run
  })
}

/**
 * The whole service in this process, with no socket: it answers `Request`s. Opens or creates its file at once.
 *
 * @throws UsageError for an option that does not exist or cannot be used
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  assertKnownOptions('createSandbox', options, sandboxOptionNames)
  return openSandbox(options).sandbox
}
