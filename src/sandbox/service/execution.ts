import { isKnownErrorCode } from '../../contract/index.js'
import { sleep } from '../../shared/sleep.js'
import { parseForce } from '../core/force-header.js'
import { magicIdempotency } from '../core/magic.js'
import { type Refusal, refusalOf } from '../core/refusal.js'
import { commitDecision, isReadOnly } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import { type Answer, type HttpExchange, rawJsonAnswer } from '../http/exchange.js'
import type { Account, Decision, Force, World } from '../model.js'
import type { Store } from '../store/store.js'
import {
  claimKey,
  conflict,
  findReplay,
  fingerprintOf,
  type IdempotencyKey,
  keepAnswer,
  reused,
} from './idempotency.js'
import type { RequestInput } from './request-input.js'

/** Maximum number of different requests that are counted. */
const MAX_COUNTED = 10_000

/** Counts the forced requests with the same method, path and key. */
export class ForceCounter {
  private readonly counts = new Map<string, number>()

  /** Counts a request; `false` if `times` were counted already. */
  take(what: string, times: number): boolean {
    const used = this.counts.get(what) ?? 0
    if (used >= times) return false
    if (this.counts.size >= MAX_COUNTED) this.counts.clear()
    this.counts.set(what, used + 1)
    return true
  }
}

/** The behaviour to force on a request: from its own header, else from a rule of the sandbox. */
export function forceOf(exchange: HttpExchange, rule: string | undefined, counter: ForceCounter): Force | undefined {
  const text = exchange.header('x-sandbox-force') ?? rule
  if (text === undefined) return undefined
  const force = parseForce(text)
  if (force?.times === undefined) return force
  const caller = `${exchange.header('authorization')} ${exchange.header('idempotency-key')}`
  return counter.take(`${exchange.method} ${exchange.path} ${caller} ${text}`, force.times) ? force : undefined
}

/** The refusal that is forced, if one is. */
export function forcedRefusal(force: Force | undefined): Refusal | undefined {
  if (force?.kind !== 'error' || !isKnownErrorCode(force.token)) return undefined
  return refusalOf(force.token, { status: force.status, retryAfterSeconds: force.retryAfterSeconds })
}

/** The response of a transport fault that prevents the request from being executed. */
export function faultBefore(force: Force | undefined): Answer | undefined {
  if (force?.kind !== 'fault') return undefined
  if (force.token === 'HANG' || force.token === 'RESET') {
    return { ...rawJsonAnswer(500, ''), transport: force.token }
  }
  if (force.token !== 'GARBAGE') return undefined
  const body = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n'
  return { status: 502, headers: { 'Content-Type': 'text/html' }, body }
}

/** The response to an executed request, damaged by a transport fault if one is forced. */
export function faultAfter(force: Force | undefined, answer: Answer): Answer {
  if (force?.kind !== 'fault') return answer
  if (force.token === 'TIMEOUT_AFTER_COMMIT') return { ...answer, transport: 'RESET' }
  return force.token === 'TRUNCATE' ? { ...answer, transport: 'TRUNCATE' } : answer
}

/** Any operation as the shell calls it: what it decides, or the JSON text of a list that the store has read. */
export interface OperationHandler {
  admit?(world: World, parameters: Readonly<Record<string, string>>): void
  decide(world: World, input: unknown, store: Store): Decision | string
}

/** A request that has been read and found to fit the contract. */
interface ReadRequest {
  method: string
  path: string
  handler: OperationHandler
  account: Account
  parameters: Readonly<Record<string, string>>
  input: RequestInput
  /** An outcome that is forced on it. */
  force: Force | undefined
  /** It is decided and answered, and nothing of it is kept. */
  isDryRun: boolean
  /** The delay of the execution, in real time; its idempotency key is held meanwhile, but nothing is locked. */
  delayMs: number
}

/** An answer to a request that was executed, now or before. */
interface Executed {
  status: number
  /** JSON text. */
  body: string
  isReplay: boolean
}

/**
 * Executes a request once: gives the answer of before if its idempotency key is known, else decides and commits
 * everything of the decision, the key's record included, in one transaction.
 */
export async function execute(
  engine: Engine,
  request: ReadRequest,
  counter: ForceCounter,
  caller: { readonly signal: AbortSignal },
): Promise<Executed> {
  const key = request.isDryRun ? undefined : keyOf(request)
  if (key !== undefined) refuseMagicKey(key, counter)
  if (key === undefined || request.delayMs === 0) {
    if (request.delayMs > 0) {
      await sleep(request.delayMs, caller.signal)
      engine.store.refresh()
    }
    return executeNow(engine, request, key, false)
  }
  const replay = engine.store.write(() => claimOrReplay(engine, request, key))
  if (replay !== undefined) return replay
  await sleep(request.delayMs, caller.signal)
  try {
    return await executeNow(engine, request, key, true)
  } catch (error) {
    engine.store.write(() => engine.store.idempotency.remove(key.accountId, key.key))
    throw error
  }
}

function keyOf(request: ReadRequest): IdempotencyKey | undefined {
  const key = request.input.idempotencyKey
  if (key === undefined) return undefined
  const fingerprint = fingerprintOf(request.method, request.path, request.input.rawBody)
  return { accountId: request.account.accountId, key, fingerprint }
}

function refuseMagicKey(key: IdempotencyKey, counter: ForceCounter): void {
  const magic = magicIdempotency(key.key)
  if (magic === 'reused') throw reused()
  if (magic === 'conflict' && counter.take(`conflict ${key.accountId} ${key.key}`, 1)) throw conflict()
}

function claimOrReplay(engine: Engine, request: ReadRequest, key: IdempotencyKey): Executed | undefined {
  const nowMs = engine.clock.nowMs()
  request.handler.admit?.(worldOf(engine, request.account, nowMs), request.parameters)
  const replay = findReplay(engine, key, nowMs, false)
  if (replay !== undefined) return { status: 200, body: replay, isReplay: true }
  claimKey(engine, key, nowMs, request.delayMs)
  return undefined
}

function executeNow(
  engine: Engine,
  request: ReadRequest,
  key: IdempotencyKey | undefined,
  holdsClaim: boolean,
): Executed | Promise<Executed> {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  return (
    (reads ? answerByReading(engine, request) : undefined) ??
    engine.store.writeTogether(() => answerByWriting(engine, request, key, holdsClaim))
  )
}

/** Takes no lock; gives nothing if the decision turns out to ask for a write. */
function answerByReading(engine: Engine, request: ReadRequest): Executed | undefined {
  const world = worldOf(engine, request.account, engine.clock.nowMs())
  const decision = request.handler.decide(world, inputOf(request), engine.store)
  if (typeof decision === 'string') return { status: 200, body: decision, isReplay: false }
  if (!isReadOnly(decision)) return undefined
  return { status: decision.status, body: JSON.stringify(decision.body), isReplay: false }
}

function answerByWriting(
  engine: Engine,
  request: ReadRequest,
  key: IdempotencyKey | undefined,
  holdsClaim: boolean,
): Executed {
  const nowMs = engine.clock.nowMs()
  const world = worldOf(engine, request.account, nowMs)
  request.handler.admit?.(world, request.parameters)
  const replay = key === undefined ? undefined : findReplay(engine, key, nowMs, holdsClaim)
  if (replay !== undefined) return { status: 200, body: replay, isReplay: true }
  const decision = request.handler.decide(world, inputOf(request), engine.store)
  if (typeof decision === 'string') return { status: 200, body: decision, isReplay: false }
  const body = JSON.stringify(decision.body)
  if (request.isDryRun) return { status: decision.status, body, isReplay: false }
  commitDecision(engine, decision, nowMs)
  if (key !== undefined) keepAnswer(engine, key, nowMs, body)
  engine.wake()
  return { status: decision.status, body, isReplay: false }
}

function inputOf(request: ReadRequest): unknown {
  const { query, body, rawBody } = request.input
  return {
    ...request.parameters,
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body, rawBody }),
    ...(request.force === undefined ? {} : { force: request.force }),
  }
}
