import { hash } from 'node:crypto'
import {
  type FieldError,
  fieldErrorsOf,
  headers,
  isKnownErrorCode,
  limits,
  type Operation,
  operationRows,
  parseQuery,
} from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { hourMs } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import { magicIdempotency, parseForce } from '../core/magic.js'
import { Refusal, refusalOf } from '../core/refusal.js'
import { timestamp } from '../core/trip-times.js'
import { commitDecision, isReadOnly } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import { type Answer, type HttpExchange, rawJsonAnswer } from '../http/exchange.js'
import { readJsonBody, schemaRefusal, unknownFieldErrors } from '../http/json-body.js'
import type { Account, Decision, Force, World } from '../model.js'
import type { Store } from '../store/store.js'
import type { Switches } from '../switches.js'

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

const RETENTION_MS = limits.idempotencyRetentionHours * hourMs
/** How long a request may hold its key beyond its own delay before another may take over. */
const CLAIM_GRACE_MS = 30_000

/** A request's idempotency key, and the meaning of the request. */
interface IdempotencyKey {
  accountId: string
  key: string
  fingerprint: string
}

/** Two requests mean the same if method, path and canonical body do. */
function fingerprintOf(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method} ${path} ${canonicalJson(body ?? null)}`, 'base64url')
}

/**
 * Looks a key up: the stored answer if the request was executed, nothing if it is new. Throws if the key
 * belongs to another request, or to the same one that is still being executed by somebody else.
 */
function findReplay(engine: Engine, key: IdempotencyKey, nowMs: number, holdsClaim: boolean): string | undefined {
  const known = engine.store.idempotency.get(key.accountId, key.key)
  if (known === undefined || nowMs - known.createdAtMs >= RETENTION_MS) return undefined
  const isAbandoned = known.body === undefined && engine.realNowMs() >= (known.inFlightUntilRealMs ?? 0)
  if (isAbandoned || (holdsClaim && known.body === undefined)) return undefined
  if (known.fingerprint !== key.fingerprint) throw reused(known.createdAtMs)
  if (known.body === undefined) throw conflict()
  return known.body
}

/** Holds a key while its request waits, for everybody on the file to see. */
function claimKey(engine: Engine, key: IdempotencyKey, nowMs: number, delayMs: number): void {
  engine.store.idempotency.save(key.accountId, key.key, {
    fingerprint: key.fingerprint,
    createdAtMs: nowMs,
    body: undefined,
    inFlightUntilRealMs: engine.realNowMs() + delayMs + CLAIM_GRACE_MS,
  })
}

function keepAnswer(engine: Engine, key: IdempotencyKey, nowMs: number, body: string): void {
  const answer = { fingerprint: key.fingerprint, createdAtMs: nowMs, body, inFlightUntilRealMs: undefined }
  engine.store.idempotency.save(key.accountId, key.key, answer)
}

/** `firstUsedAtMs` is in virtual time; absent for a magic key. */
function reused(firstUsedAtMs?: number): Refusal {
  const message = 'This Idempotency-Key was used for another request; nothing was executed.'
  const details = firstUsedAtMs === undefined ? {} : { details: { firstUsedAt: timestamp(firstUsedAtMs) } }
  return new Refusal('IDEMPOTENCY_KEY_REUSED', message, details)
}

function conflict(): Refusal {
  return new Refusal('IDEMPOTENCY_CONFLICT', 'A request with this Idempotency-Key is still being executed.', {
    retryAfterSeconds: 1,
  })
}

/** A request as its row of the contract reads it. */
interface RequestInput {
  query?: unknown
  body?: unknown
  rawBody?: unknown
  idempotencyKey: string | undefined
}

/** Reads headers, query and body, or throws the 400 that says what does not fit. */
export async function readRequest(row: Operation, exchange: HttpExchange, switches: Switches): Promise<RequestInput> {
  const json = row.body === undefined ? undefined : await readJsonBody(exchange, 'input')
  const fieldErrors: FieldError[] = []
  const idempotencyKey = row.idempotencyKey === undefined ? undefined : exchange.header('idempotency-key')
  fieldErrors.push(...keyErrors(row, idempotencyKey))
  const input: RequestInput = { idempotencyKey }
  if (row.query !== undefined) {
    const parsed = parseQuery(row.query, parametersOf(row, exchange.search))
    if ('issues' in parsed) fieldErrors.push(...parsed.issues.map((issue) => ({ ...issue })))
    else input.query = parsed.query
  }
  if (row.body !== undefined && !(json === undefined && row.bodyOptional === true)) {
    const parsed = row.body.safeParse(json?.value, { reportInput: true })
    if (!parsed.success) fieldErrors.push(...fieldErrorsOf(parsed.error.issues))
    else {
      input.body = parsed.data
      input.rawBody = json?.value
      if (switches.unknownFields === 'reject') fieldErrors.push(...unknownFieldErrors(row.body, json?.value))
    }
  }
  if (fieldErrors.length > 0) throw schemaRefusal(fieldErrors)
  return input
}

/** A lookup by reference ignores `from` and `to`, whatever they say. */
function parametersOf(row: Operation, search: string): URLSearchParams {
  const parameters = new URLSearchParams(search)
  if (row === operationRows.listDeliveries && parameters.has('clientOrderReference')) {
    parameters.delete('from')
    parameters.delete('to')
  }
  return parameters
}

function keyErrors(row: Operation, key: string | undefined): FieldError[] {
  const refuse = (code: string, message: string) => [{ field: `header.${headers.idempotencyKey}`, code, message }]
  if (key === undefined) return row.idempotencyKey === 'required' ? refuse('REQUIRED', 'is required') : []
  if (key === '') return refuse('REQUIRED', 'must not be empty')
  return key.length > limits.idempotencyKeyMaxLength
    ? refuse('TOO_LONG', `must be at most ${limits.idempotencyKeyMaxLength} characters long`)
    : []
}
