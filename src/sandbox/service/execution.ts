import { sleep } from '../../shared/sleep.js'
import { magicIdempotency } from '../core/magic.js'
import { commitDecision, isReadOnly } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Account, Decision, Force, World } from '../model.js'
import type { Store } from '../store/store.js'
import type { ForceCounter } from './force.js'
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
