import { canonicalJson, type Delivery } from '../contract/index.js'
import { valueAt } from '../render/view.js'

/** Fields of an order that a delivery echoes, and where. */
const echoed: readonly (readonly [order: string, delivery: string])[] = [
  ['pickup.storeReference', 'pickup.storeReference'],
  ['dropoff.address', 'dropoff.address'],
  ['dropoff.contactName', 'dropoff.contactName'],
  ['dropoff.contactPhone', 'dropoff.contactPhone'],
  ['dropoff.instructions', 'dropoff.instructions'],
  ['dropoff.installation.code', 'dropoff.installation.code'],
  ['tipAmountCents', 'pricing.tipAmountCents'],
]

/** Paths in which an order and the delivery of its reference differ, as far as the service shows them. */
export function differencesOf(order: unknown, delivery: Delivery): string[] {
  return echoed.flatMap(([ordered, shown]) => {
    const wanted = valueAt(order, ordered)
    const there = valueAt(delivery, shown)
    if (wanted === undefined || there === undefined || there === null) return []
    return canonicalJson(wanted) === canonicalJson(there) ? [] : [ordered]
  })
}
