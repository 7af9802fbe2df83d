import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeliveryCreate, KnownDeliveryStatus } from '../../contract/index.js'
import { ordinaryStores } from '../core/geo/stores.js'
import { handlers } from '../core/handlers.js'
import { commitDecision } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Account } from '../model.js'

/** Deliveries written in one transaction. */
const BATCH = 100

/** The statuses that mock deliveries reach, in turn; `accepted` is where they begin. */
const ends: readonly KnownDeliveryStatus[] = [
  'delivered',
  'accepted',
  'driver_enroute_to_dropoff',
  'delivered',
  'driver_assigned',
  'cancelled',
  'pickup_complete',
  'failed',
]

/** Creates deliveries by the ordinary rules and brings them to various statuses; answers with how many of each. */
export async function seedDeliveries(
  engine: Engine,
  account: Account,
  count: number,
): Promise<{ created: number; byStatus: Record<string, number> }> {
  const byStatus: Record<string, number> = {}
  const run = engine.identifiers.next('mock', engine.clock.nowMs()).slice(-10)
  for (let done = 0; done < count; done += BATCH) {
    const batch = Math.min(BATCH, count - done)
    engine.store.write(() => {
      for (let index = done; index < done + batch; index++) {
        const status = createMock(engine, account, `MOCK-${run}-${index + 1}`, index)
        byStatus[status] = (byStatus[status] ?? 0) + 1
      }
    })
    await nextTurn()
  }
  return { created: count, byStatus }
}

function createMock(engine: Engine, account: Account, clientOrderReference: string, index: number): string {
  const nowMs = engine.clock.nowMs()
  const order = mockOrder(clientOrderReference, index)
  const created = handlers.createDelivery.decide(worldOf(engine, account, nowMs), { body: order, rawBody: order })
  commitDecision(engine, created, nowMs)
  const [delivery] = created.deliveries ?? []
  const advanceTo = ends[index % ends.length] ?? 'accepted'
  // Without drivers, an order begins as dispatch_failed and stays there.
  if (delivery?.status !== 'accepted' || account.livemode || advanceTo === 'accepted')
    return delivery?.status ?? advanceTo
  const { deliveryId } = delivery
  const moved = handlers.simulateDelivery.decide(worldOf(engine, account, nowMs), { deliveryId, body: { advanceTo } })
  commitDecision(engine, moved, nowMs)
  return advanceTo
}

const names = ['Avery Cole', 'Jordan Diaz', 'Sam Okafor', 'Riley Chen', 'Casey Novak', 'Devon Ali'] as const

function mockOrder(clientOrderReference: string, index: number): DeliveryCreate {
  const store = ordinaryStores[index % ordinaryStores.length]
  if (store === undefined) throw new Error('The sandbox has no store to order from.')
  return {
    clientOrderReference,
    pickup: { storeReference: store.storeReference },
    dropoff: {
      address: {
        line1: `${100 + (index % 900)} Sample Street`,
        city: store.city,
        state: store.state,
        postalCode: store.postalCode,
      },
      contactName: names[index % names.length] ?? names[0],
      contactPhone: '+12025550100',
    },
    package: { description: 'Mock order', itemsCount: 1 + (index % 5), weightGrams: 1_500 },
  }
}
