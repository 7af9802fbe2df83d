import { postConnections } from '../../webhooks/index.js'
import { keepEventOutcome } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import type { Webhook } from '../store/webhooks.js'
import { makeAttempt } from './attempts.js'

const MAX_IN_FLIGHT = 64
const MAX_IN_FLIGHT_PER_ENDPOINT = 16
/** Number of webhooks to search for one whose lane is free. */
const MAX_LOOK_AHEAD = 4_096

/**
 * Sends due webhooks: those of one delivery to one receiver one after the other, the rest at the same time. An event
 * that fails lets the next one pass and comes back when its retry is due.
 */
export class Dispatcher {
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
