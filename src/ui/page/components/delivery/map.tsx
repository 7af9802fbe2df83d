import { deliveryWay, hasPlaces } from '../../../../drawings/delivery-way.js'
import { type DeliveryWay, wayCaption } from '../../../../drawings/way.js'
import type { DeliveryDetail } from '../../../wire/deliveries.js'
import { useWidth } from '../hooks.js'
import { Drawing } from '../pieces.js'

const proportion = 0.56
const highest = 460
const smallest = 240

/** The way of a delivery, drawn as wide as there is room. */
export function DeliveryMap({ detail }: { detail: DeliveryDetail }) {
  const [frame, width] = useWidth<HTMLElement>()
  const way = wayOf(detail)
  if (!hasPlaces(way)) return null
  const shown = Math.max(smallest, width)
  const size = { width: shown, height: Math.round(Math.min(highest, shown * proportion)), fontSize: 12.5 }
  const caption = wayCaption(way)
  return (
    <figure class="delivery-map" ref={frame}>
      {width > 0 && <Drawing shape={deliveryWay(way, size)} />}
      {caption !== undefined && <figcaption class="dim">{caption}</figcaption>}
    </figure>
  )
}

/** The places and the trail of a delivery; where its driver is now ends the trail. */
function wayOf({ delivery, route, trail }: DeliveryDetail): DeliveryWay {
  const { pickup, dropoff, driver, status } = delivery
  const location = driver?.location
  const last = trail.at(-1)
  const isNewer =
    location?.latitude != null &&
    location.longitude != null &&
    (last === undefined || (location.updatedAt ?? '') > last.at)
  const here = isNewer
    ? [{ latitude: Number(location.latitude), longitude: Number(location.longitude), at: location.updatedAt ?? '' }]
    : []
  const installation = dropoff?.installation
  return {
    store:
      route === null ? undefined : { ...route.store, name: pickup?.businessName ?? pickup?.storeReference ?? 'Store' },
    gate: installation == null ? undefined : { name: installation.gate ?? `Gate of ${installation.code}` },
    dropoff: route === null ? undefined : { ...route.stop, postalCode: postalCodeOf(dropoff?.address) },
    trail: [...trail, ...here],
    status,
  }
}

function postalCodeOf(address: unknown): string {
  const text =
    typeof address === 'string' ? address : String((address as { postalCode?: unknown } | undefined)?.postalCode ?? '')
  return /(\d{5})(?:-?\d{4})?\D*$/.exec(text)?.[1] ?? 'ZIP code'
}
