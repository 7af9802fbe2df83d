import { secondMs } from '../shared/durations.js'
import { isRecord, tryParseJson } from '../shared/json.js'
import {
  isAccepted,
  type Post,
  type PostConnections,
  type PostResult,
  parseSecret,
  post,
  signatureHeaders,
} from '../webhooks/index.js'

/** An event and the results of its webhooks. */
export interface SentEvent {
  eventId: string
  eventType: string
  deliveryId: string
  occurredAt: string
  /** Number of times that the app responded to it, with any status. */
  posts: number
  /** Number of times that the app accepted it. */
  accepted: number
  /** The virtual time of the first acceptance. */
  acceptedAtMs: number | undefined
  /** The virtual time of an attempt that failed because of an outage. */
  missedAtMs: number | undefined
  /** A newer event of its delivery had been accepted before. */
  wasOutdated: boolean
  /** Whether it was delayed on purpose, so that its time says nothing about the app. */
  wasHeld: boolean
  /** The last response that was no 2xx, or why there was none. */
  problem: string | undefined
}

/** A webhook with an old timestamp and a valid signature. */
export interface StaleWebhook {
  eventId: string
  status: number
}

/** Disturbances of webhooks in addition to the service's own behaviour. */
interface Disturbance {
  twice: number
  late: number
}

interface CourierOptions {
  target: string
  secrets: readonly string[]
  connections: PostConnections
  signal: AbortSignal
  /** In [0, 1), the same for the same seed and text. */
  chance(text: string): number
}

/** The age of a stale webhook; the contract allows five minutes. */
const staleAgeSeconds = 900
/** Maximum number of attempts for which an event is delayed until a newer one has arrived. */
const heldAttempts = 5

const terminal: ReadonlySet<string> = new Set(['delivered', 'failed', 'returned', 'cancelled', 'expired'])

/** Carries webhooks from the service to the app: with outages, twice, late and stale, and remembers all of it. */
export class Courier {
  /** By id, in the order in which the service first sent them. */
  readonly events = new Map<string, SentEvent>()
  readonly stale: StaleWebhook[] = []
  /** Whether the app can be reached. */
  isOut = false
  disturbance: Disturbance = { twice: 0, late: 0 }
  /** Number of stale webhooks still to be sent. */
  staleWanted = 0
  secrets: readonly string[]
  private readonly newest = new Map<string, string>()
  private readonly finished = new Set<string>()
  private readonly held = new Map<string, number>()
  private readonly heldOf = new Set<string>()
  private hasSentTwice = false

  constructor(private readonly options: CourierOptions) {
    this.secrets = options.secrets
  }

  /** One attempt of the service. */
  async send(webhook: Post, nowMs: number): Promise<PostResult> {
    const body = bytesOf(webhook)
    const event = this.eventOf(webhook.headers['webhook-id'] ?? '', body)
    if (this.isOut) {
      event.missedAtMs ??= nowMs
      return unsent('the receiver cannot be reached, as the scenario has it')
    }
    if (this.isHeld(event)) return unsent('held back until a newer event has arrived, as the scenario has it')
    await this.sendStale(event, body)
    const result = await this.post(event, webhook.headers, body)
    if (!isAccepted(result)) return result
    this.noteAcceptance(event, nowMs)
    if (this.isSentTwice(event)) await this.post(event, webhook.headers, body)
    return result
  }

  private eventOf(eventId: string, body: Buffer): SentEvent {
    const known = this.events.get(eventId)
    if (known !== undefined) return known
    const value = tryParseJson(body)?.value
    const read = isRecord(value) ? value : {}
    const delivery = isRecord(read.delivery) ? read.delivery : {}
    const event: SentEvent = {
      eventId,
      eventType: String(read.eventType ?? ''),
      deliveryId: String(delivery.deliveryId ?? ''),
      occurredAt: String(read.occurredAt ?? ''),
      posts: 0,
      accepted: 0,
      acceptedAtMs: undefined,
      missedAtMs: undefined,
      wasOutdated: false,
      wasHeld: false,
      problem: undefined,
    }
    this.events.set(eventId, event)
    return event
  }

  private postToTarget(headers: Post['headers'], body: Buffer): Promise<PostResult> {
    const { target, connections, signal } = this.options
    return post({
      url: target,
      headers,
      body,
      timeoutMs: 10 * secondMs,
      responseMaxBytes: 0,
      connections,
      signal,
    })
  }

  private async post(event: SentEvent, headers: Post['headers'], body: Buffer): Promise<PostResult> {
    const result = await this.postToTarget(headers, body)
    event.posts++
    if (isAccepted(result)) event.accepted++
    else event.problem = result.answered ? `answered ${result.status}` : result.message
    return result
  }

  private noteAcceptance(event: SentEvent, nowMs: number): void {
    event.acceptedAtMs ??= nowMs
    const newest = this.newest.get(event.deliveryId)
    if (newest !== undefined && newest > event.occurredAt) event.wasOutdated = true
    else this.newest.set(event.deliveryId, event.occurredAt)
    if (terminal.has(event.eventType.replace('delivery.', ''))) this.finished.add(event.deliveryId)
  }

  /** One event of a chosen delivery waits until the last one has been accepted: then the app must not go back. */
  private isHeld(event: SentEvent): boolean {
    const { deliveryId, eventId, eventType } = event
    const held = this.held.get(eventId)
    if (held === undefined) {
      const isCandidate = eventType === 'delivery.driver_enroute_to_dropoff' && !this.heldOf.has(deliveryId)
      if (!isCandidate || this.disturbance.late === 0) return false
      const isFirst = this.heldOf.size === 0
      if (!isFirst && this.options.chance(`late ${deliveryId}`) >= this.disturbance.late) return false
      this.heldOf.add(deliveryId)
    }
    if (this.finished.has(deliveryId) || (held ?? 0) >= heldAttempts) return false
    this.held.set(eventId, (held ?? 0) + 1)
    event.wasHeld = true
    return true
  }

  private isSentTwice({ eventId, accepted }: SentEvent): boolean {
    const { twice } = this.disturbance
    if (twice === 0 || accepted > 1) return false
    const isChosen = !this.hasSentTwice || this.options.chance(`twice ${eventId}`) < twice
    this.hasSentTwice ||= isChosen
    return isChosen
  }

  /** Sends the event with a valid signature of 15 minutes ago, before the app has seen it. */
  private async sendStale(event: SentEvent, body: Buffer): Promise<void> {
    if (this.staleWanted === 0 || event.posts > 0) return
    const timestampSeconds = Math.floor(Date.now() / 1_000) - staleAgeSeconds
    const signed = signatureHeaders({ secrets: this.secrets.map(keyOf), id: event.eventId, timestampSeconds, body })
    const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'dlv-sandbox' }
    const result = await this.postToTarget(headers, body)
    if (!result.answered) return
    this.staleWanted--
    this.stale.push({ eventId: event.eventId, status: result.status })
  }
}

/** Whether a weak one is wanted was asked when it was read. */
const keyOf = (secret: string) => parseSecret(secret, { allowWeak: true })

function bytesOf({ body }: Post): Buffer {
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(body)
}

function unsent(message: string): PostResult {
  return { answered: false, failure: 'refused', message, durationMs: 0 }
}
