import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, fetchTransport, newIdempotencyKey } from '../../client/index.js'
import { type Delivery, type DeliveryCreate, statusEventTypes, UsageError } from '../../contract/index.js'
import { startListener } from '../../listener/index.js'
import { createSandbox } from '../../sandbox/index.js'
import { embeddedControl } from '../sandbox/control.js'
import { embeddedBaseUrl } from '../session/embedded-sandbox.js'

/** A webhook that the tour received. */
export interface TourWebhook {
  eventId: string
  eventType: string
  verified: true
}

/** The steps of a tour, as they happen. */
interface TourSteps {
  opened(url: string): void
  created(delivery: Delivery): void
  received(webhook: TourWebhook): void
}

/** The order of the tour: an ordinary address near the first store of the sandbox. */
const order: DeliveryCreate = {
  clientOrderReference: 'TOUR-1',
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: { line1: '200 Hay Street', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
    contactName: 'Maya Reyes',
    contactPhone: '+19105550142',
    instructions: 'Ring twice.',
  },
  verification: { dropoff: { photo: { level: 'preferred' } } },
  tipAmountCents: 300,
}

/** The number of status events from creation to delivery. */
const milestones = 8
const limitMs = 20_000

/**
 * Advances one delivery from order to delivered in an in-memory sandbox, with a real listener that receives and
 * verifies its webhooks. Leaves nothing behind. Returns the delivery and the status webhooks in order of arrival.
 */
export async function runTour(steps: TourSteps): Promise<{ delivery: Delivery; webhooks: TourWebhook[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-tour-'))
  const sandbox = createSandbox()
  const webhooks: TourWebhook[] = []
  const listener = await startListener({
    secrets: [{ name: 'tour', secret: sandbox.webhookSecret }],
    journal: join(folder, 'journal.db'),
    onRecord(record) {
      if (record.type !== 'event' || record.duplicate || record.eventType === null) return
      if (!(statusEventTypes as readonly string[]).includes(record.eventType)) return
      const webhook = { eventId: record.eventId, eventType: record.eventType, verified: record.verified }
      webhooks.push(webhook)
      steps.received(webhook)
    },
  })
  try {
    const control = embeddedControl(sandbox)
    await control('POST', '/endpoints', { url: listener.url })
    sandbox.startOutbox()
    steps.opened(listener.url)
    const transport = fetchTransport((request) => sandbox.fetch(request))
    const client = createClient({ baseUrl: embeddedBaseUrl, apiKey: sandbox.apiKey, transport })
    const { deliveryId } = await client.createDelivery({ body: order, idempotencyKey: newIdempotencyKey() })
    steps.created(await client.getDelivery({ deliveryId }))
    await arrived(webhooks, 1)
    await client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } })
    await arrived(webhooks, milestones)
    const delivery = await client.getDelivery({ deliveryId })
    await client.close()
    return { delivery, webhooks }
  } finally {
    await sandbox.close()
    await listener.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function arrived(webhooks: readonly TourWebhook[], count: number): Promise<void> {
  const startedMs = performance.now()
  while (webhooks.length < count) {
    if (performance.now() - startedMs > limitMs)
      throw new UsageError(`Only ${webhooks.length} of ${count} webhooks arrived on this machine's loopback.`, {
        hint: 'Check for a firewall or proxy on 127.0.0.1.',
      })
    await pause(10)
  }
}
