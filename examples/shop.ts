import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expressReceiver } from 'dlv-cli/webhooks'

/** What a shop keeps of an order. */
export interface ShopOrder {
  reference: string
  deliveryId: string
  status: string
  reason: string | undefined
  /** When the newest event that was taken over happened. */
  asOf: string
  /** Events that were taken over, in the order in which they came. */
  events: string[]
}

/** What a shop sells: enough for the delivery service to come and fetch it. */
export interface Sale {
  reference: string
  address: string
  name: string
  phone: string
  /** Passed on to the service; the sandbox looks for its own instructions here. */
  metadata?: Record<string, unknown>
}

/**
 * A small shop as an integrator would write one: it orders deliveries over HTTP, tries again where that is safe, and
 * keeps its orders up to date by webhooks. It knows nothing of a sandbox.
 */
export class Shop {
  readonly orders = new Map<string, ShopOrder>()
  /** Set to stop answering webhooks with success, as a shop would whose database is down. */
  isDown = false
  private readonly service: { baseUrl: string; apiKey: string; webhookSecret: string }
  private server: Server | undefined

  constructor(service: { baseUrl: string; apiKey: string; webhookSecret: string }) {
    this.service = service
  }

  /** Orders a delivery. The key makes it safe to ask again after an answer that was lost. */
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
      const isWorthwhile = response === undefined || response.status === 429 || response.status === 503
      if (!isWorthwhile || attempt === 3) throw new Error(`The delivery was refused: ${await response?.text()}`)
    }
  }

  /** Listens for webhooks and answers with the address to register. */
  async listen(): Promise<string> {
    const receive = expressReceiver({
      secrets: this.service.webhookSecret,
      onEvent: (event) => {
        if (this.isDown) throw new Error('The database is down.')
        if ('delivery' in event) this.takeOver(event.eventType, event.occurredAt, event.delivery as Snapshot)
      },
      onError: () => {},
    })
    this.server = createServer((request, response) => void receive(request, response))
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`
  }

  /** Events come in any order: the snapshot of the newest one wins. */
  private takeOver(eventType: string, occurredAt: string, delivery: Snapshot): void {
    const reference = delivery.clientOrderReference
    const { deliveryId } = delivery
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
    order.reason = delivery.statusReasonCode
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections()
    await new Promise((resolve) => (this.server === undefined ? resolve(undefined) : this.server.close(resolve)))
  }
}

interface Snapshot {
  deliveryId: string
  clientOrderReference: string
  status: string
  statusReasonCode?: string
}
