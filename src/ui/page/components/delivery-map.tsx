import type { DeliveryDetail } from '../../wire/deliveries.js'

/** The way of a delivery: store, driver and dropoff. */
export function DeliveryMap({ detail }: { detail: DeliveryDetail }) {
  return detail.route === null ? null : <div class="delivery-map" />
}
