import { headers, type Operation, type OperationName, operationNames, operationRows } from '../../contract/index.js'
import { sleep } from '../../shared/sleep.js'
import { accounts } from '../core/accounts.js'
import { handlers } from '../core/handlers.js'
import { holdMs } from '../core/magic.js'
import { Refusal } from '../core/refusal.js'
import { timestamp } from '../core/trip-times.js'
import { accountAuthorized } from '../engine/accounts.js'
import { requestFault } from '../engine/drawn-faults.js'
import { type Engine, isOut, switchesOf } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import { type Answer, type HttpExchange, jsonAnswer, Router, rawJsonAnswer } from '../http/exchange.js'
import { type Allowance, RateLimiter } from '../http/rate-limiter.js'
import type { Account } from '../model.js'
import {
  execute,
  ForceCounter,
  faultAfter,
  faultBefore,
  forcedRefusal,
  forceOf,
  type OperationHandler,
  readRequest,
} from './execution.js'
import { listHandlers } from './lists.js'
import {
  allowanceOf,
  anonymousAllowance,
  errorAnswer,
  healthAllowance,
  type ResponseContext,
  refusalFor,
  secondsToWait,
  withContext,
} from './response-context.js'

/** The path prefix of the service, with its version. */
export const servicePath = '/delivery/v1'

/** Health needs no account and is answered apart. */
type AuthenticatedOperation = Exclude<OperationName, 'getHealth'>

/** Every operation of the table with what answers it: one that is missing does not compile. */
const operationHandlers: Readonly<Record<AuthenticatedOperation, OperationHandler>> = { ...handlers, ...listHandlers }

/** The service of the contract: takes a request to its operation and answers in the contract's shapes. */
export class Service {
  private readonly router = new Router<Promise<Answer>>()
  private readonly limiter = new RateLimiter()
  private readonly counter = new ForceCounter()

  constructor(private readonly engine: Engine) {
    for (const name of operationNames) {
      const row = operationRows[name]
      this.router.add(row.method, servicePath + row.path, (exchange, parameters) =>
        name === 'getHealth' ? this.answerHealth(exchange) : this.answerOperation(name, row, exchange, parameters),
      )
    }
  }

  /** Answers any request under the service's path. */
  answer(exchange: HttpExchange): Promise<Answer> {
    const found = this.router.find(exchange.method, exchange.path)
    if (found !== undefined && 'handler' in found) return found.handler(exchange, found.parameters)
    return this.answerUnknown(exchange, found?.allow)
  }

  /** Refuses what never became a request of the contract, with the headers that every answer carries. */
  refuse(address: string | undefined, refusal: Refusal): Answer {
    const context = this.anonymousContext(address)
    return this.finish(context, errorAnswer(refusal, context.requestId))
  }

  private async answerUnknown(exchange: HttpExchange, allow: string[] | undefined): Promise<Answer> {
    const context = this.anonymousContext(exchange.address)
    const refusal =
      allow === undefined
        ? new Refusal('NOT_FOUND', 'There is no such path in this service.')
        : new Refusal('METHOD_NOT_ALLOWED', `This path has ${allow.join(', ')} only.`, { details: { allowed: allow } })
    const answer = errorAnswer(refusal, context.requestId)
    if (allow !== undefined) answer.headers.Allow = allow.join(', ')
    return this.finish(context, answer)
  }

  private async answerHealth(exchange: HttpExchange): Promise<Answer> {
    const allowance = healthAllowance(this.limiter, exchange.address, this.engine.rateLimit)
    const context = { requestId: this.newRequestId(), allowance }
    try {
      if (!allowance.allowed) throw tooMany(allowance)
      const fault = requestFault(this.engine, 'getHealth')
      const force = forceOf(exchange, fault.force, this.counter)
      await sleep(fault.latencyMs + (force?.delayMs ?? 0), exchange.signal)
      const spoilt = faultBefore(force)
      if (spoilt !== undefined) return spoilt
      const refusal = forcedRefusal(force)
      if (refusal !== undefined && refusal.status !== 503) throw refusal
      const isDegraded = refusal !== undefined || isOut(this.engine.store)
      const checkedAt = timestamp(this.engine.clock.nowMs())
      const retryAfter: Record<string, string> = isDegraded
        ? { [headers.retryAfter]: String(refusal?.retryAfterSeconds ?? 1) }
        : {}
      const health = { status: isDegraded ? 'degraded' : 'healthy', checkedAt }
      return this.finish(context, faultAfter(force, jsonAnswer(isDegraded ? 503 : 200, health, retryAfter)))
    } catch (error) {
      return this.finish(context, errorAnswer(refusalFor(this.engine, error), context.requestId, allowance))
    }
  }

  private async answerOperation(
    name: AuthenticatedOperation,
    row: Operation,
    exchange: HttpExchange,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const account = this.accountOf(exchange)
    if (account === undefined) {
      const context = this.anonymousContext(exchange.address)
      const refusal = new Refusal('UNAUTHORIZED', 'The API key is missing or unknown.')
      return this.finish(context, errorAnswer(refusal, context.requestId))
    }
    const allowance = allowanceOf(this.limiter, account, this.engine.rateLimit)
    const context = { requestId: this.newRequestId(), allowance }
    try {
      if (!allowance.allowed) throw tooMany(allowance)
      return await this.answerAccount(name, row, exchange, parameters, account, context)
    } catch (error) {
      return this.finish(context, errorAnswer(refusalFor(this.engine, error), context.requestId, allowance))
    }
  }

  /** Everything after the key and the quota have been found good. */
  private async answerAccount(
    name: AuthenticatedOperation,
    row: Operation,
    exchange: HttpExchange,
    parameters: Readonly<Record<string, string>>,
    account: Account,
    context: ResponseContext,
  ): Promise<Answer> {
    const { engine } = this
    engine.store.refreshThisTurn()
    if (isOut(engine.store)) throw outage()
    const fault = requestFault(engine, name)
    const force = forceOf(exchange, fault.force, this.counter)
    const spoilt = faultBefore(force)
    if (spoilt !== undefined) {
      await sleep(force?.delayMs ?? 0, exchange.signal)
      return spoilt.transport === undefined ? this.finish(context, spoilt) : spoilt
    }
    const refusal = forcedRefusal(force)
    if (refusal !== undefined) {
      await sleep(force?.delayMs ?? 0, exchange.signal)
      throw refusal
    }
    const handler = operationHandlers[name]
    // A simulation is refused for who asks and what for before its body is read; others are read first.
    if (row.sandboxOnly === true) handler.admit?.(worldOf(engine, account, engine.clock.nowMs()), parameters)
    const input = await readRequest(row, exchange, switchesOf(engine.store))
    const executed = await execute(
      engine,
      {
        method: exchange.method,
        path: exchange.path,
        handler,
        account,
        parameters,
        input,
        force: force?.kind === 'outcome' || force?.kind === 'noQuoteReason' ? force : undefined,
        isDryRun: exchange.header('x-sandbox-dry-run') === 'true',
        delayMs: fault.latencyMs + (force?.delayMs ?? 0) + holdMs(input.body),
      },
      this.counter,
      exchange,
    )
    const replayed: Record<string, string> = executed.isReplay ? { [headers.idempotencyReplayed]: 'true' } : {}
    return this.finish(context, faultAfter(force, rawJsonAnswer(executed.status, executed.body, replayed)))
  }

  private accountOf(exchange: HttpExchange): Account | undefined {
    const account = accountAuthorized(this.engine.store, exchange)
    if (account === undefined) return undefined
    const { rateLimit } = this.engine
    // A limit given at the start replaces the contract's default one; the accounts made for extremes keep theirs.
    if (typeof rateLimit !== 'number' || account.maxRequestsPerSecond !== accounts[0].maxRequestsPerSecond)
      return account
    return { ...account, maxRequestsPerSecond: rateLimit }
  }

  private anonymousContext(address: string | undefined): ResponseContext {
    const allowance = anonymousAllowance(this.limiter, address, this.engine.rateLimit)
    return { requestId: this.newRequestId(), allowance }
  }

  private newRequestId(): string {
    return this.engine.identifiers.next('req', this.engine.realNowMs())
  }

  private finish(context: ResponseContext, answer: Answer): Answer {
    return withContext(this.engine, context, switchesOf(this.engine.store), answer)
  }
}

function tooMany(allowance: Allowance): Refusal {
  const { requests, windowMs } = allowance.quota
  const retryAfterSeconds = secondsToWait(allowance)
  const message = `More than ${requests} requests in ${windowMs / 1_000} s; wait ${retryAfterSeconds} s and try again.`
  return new Refusal('RATE_LIMIT_EXCEEDED', message, {
    retryAfterSeconds,
    details: { limit: requests, windowSeconds: windowMs / 1_000, retryAfterSeconds },
  })
}

function outage(): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable.', { retryAfterSeconds: 1 })
}
