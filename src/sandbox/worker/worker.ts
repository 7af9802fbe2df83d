import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '../../contract/index.js'
import { dayMs, hourMs } from '../../shared/durations.js'
import { postConnections } from '../../webhooks/index.js'
import { advance } from '../core/autopilot.js'
import { accountById } from '../engine/accounts.js'
import { commitDecision, keepEventOutcome } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { DeliveryRow } from '../model.js'
import type { Webhook } from '../store/webhooks.js'
import { makeAttempt } from './attempts.js'

/** Maximum number of rows of a kind to delete before requests get a turn. */
const BATCH = 1_000

/** Forgets what the contract no longer keeps, by virtual time: events after 30 days, idempotency keys after 24 hours. */
class Retention {
  private nextRunAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly engine: Engine) {}

  /** Does a little of it, at most once a virtual hour while there is nothing left to forget. */
  run(nowMs: number): void {
    if (nowMs < this.nextRunAtMs) return
    const forgotten = this.forget(nowMs)
    this.nextRunAtMs = forgotten < BATCH ? nowMs + hourMs : nowMs
  }

  /** Does all of it, with turns for requests in between, for as long as `goesOn` says so. */
  async runAll(nowMs: number, goesOn: () => boolean): Promise<void> {
    while (goesOn() && this.forget(nowMs) >= BATCH) await nextTurn()
    this.nextRunAtMs = nowMs + hourMs
  }

  /** Number of rows deleted of the kind that had most. */
  private forget(nowMs: number): number {
    const { store } = this.engine
    const keptSinceMs = nowMs - limits.eventRetentionDays * dayMs
    return store.write(() =>
      Math.max(
        // A listing that began in time gets its other pages.
        store.events.prune(keptSinceMs - hourMs, BATCH),
        store.idempotency.prune(nowMs - limits.idempotencyRetentionHours * hourMs, BATCH),
        store.quotes.prune(keptSinceMs, BATCH),
      ),
    )
  }
}

/** Interval of the check for commits by other processes and for jobs that are due. */
const TICK_MS = 50
/** One process at a time does what falls due; when it dies, another takes over after this time. */
const LEASE_MS = 3_000
const LEASE = 'worker'
/** How long a closing worker waits for responses to requests in flight. */
const CLOSE_GRACE_MS = 1_000

/** Does what falls due by itself, in order: steps of deliveries, webhooks and their retries, and forgetting. */
export class Worker {
  private readonly owner = randomUUID()
  private readonly dispatcher: Dispatcher
  private readonly retention: Retention
  private ticker: NodeJS.Timeout | undefined
  private leaseUntilRealMs = 0
  private isStarted = false
  private isClosed = false
  private isWoken = false
  private lastFailure: string | undefined
  private waiters: (() => void)[] = []
  private advancing: Promise<void> = Promise.resolve()

  constructor(
    private readonly engine: Engine,
    private readonly sendsWebhooks: boolean,
  ) {
    this.dispatcher = new Dispatcher(engine, () => this.wake(true))
    this.retention = new Retention(engine)
  }

  /** Works until closed. */
  start(): void {
    this.isStarted = true
    this.tick()
    this.wake()
  }

  /** Looks at once, after the running request; `force` also if nobody has started the worker. */
  wake(force = false): void {
    if (this.isWoken || this.isClosed || !(this.isStarted || force)) return
    this.isWoken = true
    setImmediate(() => {
      this.isWoken = false
      this.pump()
    })
  }

  /**
   * Moves deliveries to where they are by now in a sandbox that nobody has started, such as one that a command opens to
   * ask something. Their webhooks wait for whoever sends them.
   */
  async catchUp(): Promise<void> {
    if (this.isStarted || this.isClosed) return
    while (!runDueDeliveries(this.engine, this.engine.clock.nowMs())) await nextTurn()
  }

  private tick(): void {
    if (this.ticker !== undefined || this.isClosed) return
    this.ticker = setInterval(() => this.pump(), TICK_MS)
    if (this.waiters.length === 0) this.ticker.unref()
  }

  private pump(): void {
    if (this.isClosed) return
    try {
      this.engine.store.refresh()
      const nowMs = this.engine.clock.nowMs()
      let isIdle = !this.dispatcher.isBusy && !this.hasDue(nowMs)
      if (!isIdle) {
        this.work(nowMs)
        isIdle = !this.dispatcher.isBusy && !this.hasDue(nowMs)
      }
      if (this.isStarted) this.retention.run(nowMs)
      if (isIdle) this.settle()
      this.lastFailure = undefined
    } catch (error) {
      this.reportOnce(error)
    }
  }

  /** A file that is damaged or a disk that is full fails every look in the same way. */
  private reportOnce(error: unknown): void {
    const failure = String(error)
    if (failure !== this.lastFailure) this.engine.report(error)
    this.lastFailure = failure
  }

  private work(nowMs: number): void {
    if (!this.holdLease()) return
    const isAllDone = runDueDeliveries(this.engine, nowMs)
    if (!isAllDone) this.wake(true)
    if (this.sendsWebhooks) this.dispatcher.startDue(nowMs)
  }

  private hasDue(nowMs: number): boolean {
    const dueAtMs = this.nextDueAtMs()
    return dueAtMs !== undefined && dueAtMs <= nowMs
  }

  private nextDueAtMs(): number | undefined {
    const { store } = this.engine
    const dues = [store.deliveries.nextDueAtMs(), this.sendsWebhooks ? store.webhooks.nextDueAtMs() : undefined]
    const known = dues.filter((due) => due !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  private holdLease(): boolean {
    const nowMs = this.engine.realNowMs()
    if (this.leaseUntilRealMs - nowMs > LEASE_MS / 2) return true
    const { leases } = this.engine.store
    const held = this.engine.store.write(() => leases.acquire(LEASE, this.owner, nowMs, LEASE_MS))
    this.leaseUntilRealMs = held ? nowMs + LEASE_MS : 0
    return held
  }

  private settle(): void {
    const waiters = this.waiters
    this.waiters = []
    for (const resolve of waiters) resolve()
    // Only somebody who waits for it keeps the process alive.
    if (this.isStarted) this.ticker?.unref()
    if (this.isStarted || waiters.length === 0) return
    clearInterval(this.ticker)
    this.ticker = undefined
  }

  /** Resolves once nothing is due now and nothing is on its way, whichever process does it. */
  settled(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      this.waiters.push(resolve)
      this.tick()
      this.ticker?.ref()
      this.wake(true)
    })
  }

  /** Moves virtual time, stopping at every moment at which something falls due until it is done. */
  advanceTo(targetMs: number): Promise<void> {
    const turn = this.advancing.then(() => this.advance(targetMs))
    this.advancing = turn.catch(() => undefined)
    return turn
  }

  private async advance(targetMs: number): Promise<void> {
    const { clock } = this.engine
    try {
      do await this.settled()
      while (!this.isClosed && this.leap(targetMs))
    } catch (error) {
      if (!this.isClosed) clock.set(targetMs)
      throw error
    }
    await this.settled()
    await this.retention.runAll(clock.nowMs(), () => !this.isClosed)
  }

  /**
   * Moves the clock to the next moment at which something falls due and holds it there; `false` if it was moved to its
   * target. One transaction: an order that another process commits meanwhile is not left behind by months.
   */
  private leap(targetMs: number): boolean {
    const { clock, store } = this.engine
    return store.write(() => {
      const dueAtMs = this.nextDueAtMs()
      const isBefore = dueAtMs !== undefined && dueAtMs <= targetMs
      if (isBefore) clock.hold(Math.max(dueAtMs, clock.nowMs()))
      else clock.set(targetMs)
      return isBefore
    })
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    clearInterval(this.ticker)
    this.settle()
    await this.dispatcher.close(CLOSE_GRACE_MS)
    if (this.leaseUntilRealMs > 0) this.engine.store.leases.release(LEASE, this.owner)
  }
}

/** Maximum number of steps before requests get a turn. */
const MAX_STEPS_AT_ONCE = 100

/**
 * Makes the steps of deliveries that have fallen due, the earliest first, each at its own moment of virtual time.
 * `false` if there are more.
 */
function runDueDeliveries(engine: Engine, nowMs: number): boolean {
  for (let step = 0; step < MAX_STEPS_AT_ONCE; step++) {
    const dueAtMs = engine.store.deliveries.nextDueAtMs()
    if (dueAtMs === undefined || dueAtMs > nowMs) return true
    engine.store.write(() => {
      const delivery = engine.store.deliveries.firstDue(nowMs)
      if (delivery !== undefined) stepDelivery(engine, delivery, nowMs)
    })
  }
  return false
}

function stepDelivery(engine: Engine, delivery: DeliveryRow, nowMs: number): void {
  const { nextDueAtMs = nowMs, ...rest } = delivery
  const account = accountById(engine.store, delivery.accountId)
  // Without this a delivery that cannot be moved would be due forever.
  if (account === undefined) {
    engine.store.deliveries.save(rest)
    return
  }
  const decision = advance(worldOf(engine, account, nextDueAtMs), delivery)
  const moved = decision.deliveries?.find((candidate) => candidate.deliveryId === delivery.deliveryId)
  if (moved === undefined) engine.store.deliveries.save(rest)
  commitDecision(engine, decision, nextDueAtMs)
}

const MAX_IN_FLIGHT = 64
const MAX_IN_FLIGHT_PER_ENDPOINT = 16
/** Number of webhooks to search for one whose lane is free. */
const MAX_LOOK_AHEAD = 4_096

/**
 * Sends due webhooks: those of one delivery to one receiver one after the other, the rest at the same time. An event
 * that fails lets the next one pass and comes back when its retry is due.
 */
class Dispatcher {
  private readonly connections = postConnections(MAX_IN_FLIGHT)
  private readonly abort = new AbortController()
  private readonly inFlight = new Set<Promise<void>>()
  private readonly busyLanes = new Set<string>()
  private readonly busyEndpoints = new Map<string, number>()

  constructor(
    private readonly engine: Engine,
    private readonly onDone: () => void,
  ) {}

  get isBusy(): boolean {
    return this.inFlight.size > 0
  }

  /** Starts what is due and can start now. */
  startDue(nowMs: number): void {
    let look = 4 * MAX_IN_FLIGHT
    while (this.inFlight.size < MAX_IN_FLIGHT) {
      const due = this.engine.store.webhooks.due(nowMs, look)
      const started = due.filter((webhook) => this.start(webhook)).length
      if (due.length < look || started > 0 || look >= MAX_LOOK_AHEAD) return
      look *= 4
    }
  }

  private start(webhook: Webhook): boolean {
    const { webhookId, endpointId, eventSeq } = webhook
    const lane = `${endpointId} ${webhook.lane}`
    const load = this.busyEndpoints.get(endpointId) ?? 0
    if (this.inFlight.size >= MAX_IN_FLIGHT || load >= MAX_IN_FLIGHT_PER_ENDPOINT) return false
    // One that is on its way is due until its answer has come, and its lane is busy.
    if (this.busyLanes.has(lane)) return false
    const event = this.engine.store.events.bySeq(eventSeq)
    const endpoint = this.engine.store.endpoints.get(endpointId)
    if (event === undefined || endpoint === undefined) {
      const { store } = this.engine
      store.write(() => {
        store.webhooks.settle(webhookId, webhook.attempts, 'failed')
        if (event !== undefined) keepEventOutcome(store, eventSeq)
      })
      return true
    }
    this.busyLanes.add(lane)
    this.busyEndpoints.set(endpointId, load + 1)
    const sent = makeAttempt(this.engine, this.connections, webhook, event, endpoint, this.abort.signal)
      .catch((error) => this.engine.report(error))
      .finally(() => {
        this.inFlight.delete(sent)
        this.busyLanes.delete(lane)
        this.busyEndpoints.set(endpointId, (this.busyEndpoints.get(endpointId) ?? 1) - 1)
        this.onDone()
      })
    this.inFlight.add(sent)
    return true
  }

  /** Waits a moment for answers on their way, then gives up on them: they are due again at the next start. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.abort.abort(), graceMs)
    await Promise.all(this.inFlight)
    clearTimeout(timer)
    this.connections.close()
  }
}
