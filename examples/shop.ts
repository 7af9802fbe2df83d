import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DeliveryEvent, expressReceiver, isDeliveryEvent } from 'dlv-cli/webhooks'

/** An order in the shop's database. */
export interface ShopOrder {
  reference: string
  deliveryId: string
  status: string
  reason: string | undefined
  /** When the newest event that was applied happened. */
  asOf: string
  /** The events that were applied, in order of arrival. */
  events: string[]
}

/** A sale: what the delivery service needs to know of it. */
export interface Sale {
  reference: string
  address: string
  name: string
  phone: string
  /** Sent to the service; the sandbox reads its own instructions from here. */
  metadata?: Record<string, unknown>
}

/**
 * A small shop as an integrator would write it: it orders deliveries over HTTP, retries if that is safe, and updates its
 * orders from webhooks. It does not know that it runs against a sandbox.
 */
export class Shop {
  readonly orders = new Map<string, ShopOrder>()
  /** Makes webhooks fail, as they would with the database down. */
  isDown = false
  private readonly service: { baseUrl: string; apiKey: string; webhookSecret: string }
  private server: Server | undefined

  constructor(service: { baseUrl: string; apiKey: string; webhookSecret: string }) {
    this.service = service
  }

  /** Orders a delivery. The idempotency key makes it safe to retry after a lost response. */
  async send(sale: Sale): Promise<ShopOrder> {
    const body = JSON.stringify({
      clientOrderReference: sale.reference,
      pickup: { storeReference: 'STORE-001' },
      dropoff: { address: sale.address, contactName: sale.name, contactPhone: sale.phone },
      ...(sale.metadata === undefined ? {} : { metadata: sale.metadata }),
    })
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${this.service.baseUrl}/deliveries`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${this.service.apiKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `shop-${sale.reference}`,
        },
        body,
      }).catch((error: unknown) => {
        if (attempt === 3) throw error
      })
      if (response?.ok) {
        const { deliveryId, status, createdAt } = (await response.json()) as Record<string, string>
        const order = { reference: sale.reference, deliveryId, status, reason: undefined, asOf: createdAt, events: [] }
        const known = this.orders.get(sale.reference) ?? (order as ShopOrder)
        this.orders.set(sale.reference, known)
        return known
      }
      const isRetryable = response === undefined || response.status === 429 || response.status === 503
      if (!isRetryable || attempt === 3) throw new Error(`The delivery was refused: ${await response?.text()}`)
    }
  }

  /** Listens for webhooks and returns the URL to register. */
  async listen(): Promise<string> {
    const receive = expressReceiver({
      secrets: this.service.webhookSecret,
      onEvent: (event) => {
        if (this.isDown) throw new Error('The database is down.')
        if (isDeliveryEvent(event)) this.apply(event)
      },
      onError: () => {},
    })
    this.server = createServer((request, response) => void receive(request, response))
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`
  }

  /** Events arrive in any order: the snapshot of the newest one wins. */
  private apply({ eventType, occurredAt, delivery }: DeliveryEvent): void {
    const { deliveryId, clientOrderReference: reference } = delivery
    if (reference == null) return
    const order = this.orders.get(reference) ?? {
      reference,
      deliveryId,
      status: '',
      reason: undefined,
      asOf: '',
      events: [],
    }
    this.orders.set(reference, order)
    order.events.push(eventType)
    if (occurredAt < order.asOf) return
    order.asOf = occurredAt
    order.status = delivery.status
    order.reason = delivery.statusReasonCode ?? undefined
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections()
    await new Promise((resolve) => (this.server === undefined ? resolve(undefined) : this.server.close(resolve)))
  }
}
