import { createHash } from 'node:crypto'

/** What the scripted server answers. */
export interface ScriptedReply {
  status: number
  headers: Record<string, string>
  body: string
}

interface StoredDelivery {
  deliveryId: string
  clientOrderReference: string
  status: string
  statusHistory: { status: string; occurredAt: string }[]
  [property: string]: unknown
}

/**
 * A service in memory that is just large enough to count: creations, idempotency keys, lookup, update, cancel and
 * simulate. Faults are played on top of it.
 */
export class ScriptedService {
  readonly deliveries = new Map<string, StoredDelivery>()
  readonly #byReference = new Map<string, StoredDelivery>()
  readonly #answers = new Map<string, { fingerprint: string; reply: ScriptedReply }>()
  /** Deliveries that were ever created. */
  creations = 0
  /** Whether a reference is free again once its delivery has ended. */
  freesReferences = false
  updates = 0
  cancellations = 0
  simulations = 0
  /** Forgets idempotency keys, as the service does after 24 h. */
  forgetKeys(): void {
    this.#answers.clear()
  }

  /** A day later: every delivery has been delivered, and no key is known. */
  passDay(): void {
    this.forgetKeys()
    for (const delivery of this.deliveries.values()) delivery.status = 'delivered'
  }

  /** Executes a request for real. */
  execute(method: string, path: string, key: string | undefined, body: string): ScriptedReply {
    const url = new URL(path, 'http://service.test')
    const [resource, id, action] = url.pathname.replace(/^\/delivery\/v1\//, '').split('/')
    if (resource === 'capabilities')
      return reply(200, { accountType: 'marketplace', capabilities: { maxRequestsPerSecond: 20 } })
    if (resource !== 'deliveries') return refusal(404, 'VALIDATION_ERROR', 'unknown path')
    if (method === 'GET' && id === undefined) return this.#list(url)
    if (id === undefined) return this.#keyed(key, path, body, () => this.#create(body))
    const delivery = this.deliveries.get(id)
    if (delivery === undefined) return refusal(404, 'DELIVERY_NOT_FOUND', `unknown delivery ${id}`)
    if (method === 'GET') return reply(200, delivery)
    if (method === 'PATCH') return this.#update(delivery, body)
    if (action === 'simulate') return this.#simulate(delivery, body)
    return this.#keyed(key, path, body, () => this.#cancel(delivery))
  }

  #keyed(key: string | undefined, path: string, body: string, run: () => ScriptedReply): ScriptedReply {
    if (key === undefined) return refusal(400, 'VALIDATION_ERROR', 'Idempotency-Key is required')
    const fingerprint = createHash('sha256').update(path).update(body).digest('hex')
    const known = this.#answers.get(key)
    if (known?.fingerprint === fingerprint)
      return { ...known.reply, status: 200, headers: { ...known.reply.headers, 'idempotency-replayed': 'true' } }
    if (known !== undefined) return refusal(409, 'IDEMPOTENCY_KEY_REUSED', 'same key, different body')
    const answer = run()
    if (answer.status < 300) this.#answers.set(key, { fingerprint, reply: answer })
    return answer
  }

  #create(body: string): ScriptedReply {
    const order = JSON.parse(body) as { clientOrderReference: string; dropoff?: unknown; pickup?: unknown }
    const existing = this.#byReference.get(order.clientOrderReference)
    const isFree = existing === undefined || (this.freesReferences && existing.status === 'delivered')
    if (!isFree) return refusal(409, 'DUPLICATE_ORDER', 'the reference is taken')
    this.creations++
    const delivery: StoredDelivery = {
      deliveryId: `del_${this.creations}`,
      clientOrderReference: order.clientOrderReference,
      status: 'accepted',
      createdAt: new Date().toISOString(),
      statusHistory: [{ status: 'accepted', occurredAt: '2026-03-02T15:00:00Z' }],
      pickup: order.pickup,
      dropoff: order.dropoff,
    }
    this.deliveries.set(delivery.deliveryId, delivery)
    this.#byReference.set(delivery.clientOrderReference, delivery)
    return reply(201, delivery)
  }

  #list(url: URL): ScriptedReply {
    const reference = url.searchParams.get('clientOrderReference')
    const one = reference === null ? undefined : this.#byReference.get(reference)
    const found = reference === null ? [...this.deliveries.values()] : one === undefined ? [] : [one]
    return reply(200, { deliveries: found, nextCursor: null })
  }

  #update(delivery: StoredDelivery, body: string): ScriptedReply {
    this.updates++
    const patch = JSON.parse(body) as { dropoff?: Record<string, unknown> }
    if (patch.dropoff !== undefined)
      delivery.dropoff = { ...(delivery.dropoff as Record<string, unknown> | undefined), ...patch.dropoff }
    return reply(200, delivery)
  }

  #simulate(delivery: StoredDelivery, body: string): ScriptedReply {
    const { advanceTo } = JSON.parse(body) as { advanceTo: string }
    if (delivery.status === advanceTo) return refusal(422, 'INVALID_STATE_TRANSITION', 'already there')
    this.simulations++
    delivery.status = advanceTo
    delivery.statusHistory.push({ status: advanceTo, occurredAt: '2026-03-02T15:01:00Z' })
    return reply(200, {
      deliveryId: delivery.deliveryId,
      livemode: false,
      status: advanceTo,
      emittedEvents: [`delivery.${advanceTo}`],
    })
  }

  #cancel(delivery: StoredDelivery): ScriptedReply {
    if (delivery.status === 'cancelled') return refusal(409, 'INVALID_STATE_TRANSITION', 'already cancelled')
    this.cancellations++
    delivery.status = 'cancelled'
    return reply(200, delivery)
  }
}

/** A JSON answer. */
export function reply(status: number, document: unknown, headers: Record<string, string> = {}): ScriptedReply {
  const body = JSON.stringify(document)
  return { status, headers: { 'content-type': 'application/json', 'x-request-id': 'req_scripted', ...headers }, body }
}

/** An answer in the service's error shape. */
export function refusal(
  status: number,
  code: string,
  message = code,
  headers: Record<string, string> = {},
): ScriptedReply {
  return reply(status, { error: { code, message, requestId: 'req_scripted' } }, headers)
}
