import { isActive } from '../trade/statuses.js'
import { type LabelWish, placeLabels } from './labels.js'
import { localMap, type Point } from './local-map.js'
import type { Shape } from './shape.js'
import { type DeliveryWay, wayText } from './way.js'
import {
  drivenWay,
  driverMark,
  dropoffMark,
  framed,
  gateMark,
  label,
  plannedWay,
  storeMark,
  type WaySize,
} from './way-marks.js'

const defaultSize: WaySize = { width: 390, height: 260, fontSize: 13 }

const font = 'system-ui, -apple-system, "Segoe UI", sans-serif'

/** Whether there is anything to draw. */
export function hasPlaces({ store, dropoff, trail }: DeliveryWay): boolean {
  return store !== undefined || dropoff !== undefined || trail.length > 0
}

/** A delivery's way: store, gate, dropoff, and the driver's trail, with a scale bar. */
export function deliveryWay(way: DeliveryWay, size: WaySize = defaultSize): Shape {
  const { store, gate, dropoff, trail } = way
  const { width, height, fontSize } = size
  const margin = { side: Math.max(34, width * 0.09), top: fontSize * 2.4, foot: fontSize * 3.6 }
  const known = [store, dropoff, ...trail].filter((place) => place !== undefined)
  const map = localMap(known, {
    x: margin.side,
    y: margin.top,
    width: width - 2 * margin.side,
    height: height - margin.top - margin.foot,
  })
  const storeAt = store && map.at(store)
  const dropoffAt = dropoff && map.at(dropoff)
  const trailAt = trail.map((point) => map.at(point))
  const gateAt = gate && dropoffAt && gatePoint(dropoffAt, storeAt ?? trailAt[0], fontSize)
  const driverAt = trailAt.at(-1)
  const isShown = driverAt !== undefined && isActive(way.status)
  const labels = placeLabels(
    [
      ...labelFor(isShown ? 'Driver' : undefined, driverAt, fontSize),
      ...labelFor(store?.name, storeAt, fontSize),
      ...labelFor(dropoff && `${dropoff.postalCode} (approximate)`, dropoffAt, fontSize * 2),
      ...labelFor(gate?.name, gateAt, fontSize),
    ],
    {
      marks: [storeAt, dropoffAt, gateAt, isShown ? driverAt : undefined].flatMap((point) =>
        obstacle(point, fontSize * 0.7),
      ),
      way: trailAt.flatMap((point) => obstacle(point, 3)),
    },
    { width, height: height - fontSize * 2, fontSize },
  )
  return framed(map, size, { class: 'way', 'aria-label': wayText(way), 'font-family': font }, [
    ...plannedWay([storeAt, dropoffAt], way.status),
    ...drivenWay(trailAt),
    ...(dropoffAt === undefined ? [] : dropoffMark(dropoffAt, fontSize)),
    ...(gateAt === undefined ? [] : gateMark(gateAt, fontSize)),
    ...(storeAt === undefined ? [] : storeMark(storeAt, fontSize)),
    ...(isShown ? driverMark(driverAt, fontSize) : []),
    ...labels.map(({ text, x, y, anchor }) => label(text, { x, y }, anchor)),
  ])
}

/** Before the dropoff, on the side that the driver comes from. */
function gatePoint(dropoff: Point, from: Point | undefined, fontSize: number): Point {
  const apart = fontSize * 2.3
  const [dx, dy] = from === undefined ? [-1, 0] : [from.x - dropoff.x, from.y - dropoff.y]
  const length = Math.hypot(dx, dy)
  return length < 1
    ? { x: dropoff.x - apart, y: dropoff.y }
    : { x: dropoff.x + (dx / length) * apart, y: dropoff.y + (dy / length) * apart }
}

function labelFor(text: string | undefined, anchor: Point | undefined, fontSize: number): LabelWish[] {
  return text === undefined || anchor === undefined ? [] : [{ text, anchor, distance: fontSize * 0.75 }]
}

function obstacle(point: Point | undefined, radius: number) {
  if (point === undefined) return []
  return [{ left: point.x - radius, right: point.x + radius, top: point.y - radius, bottom: point.y + radius }]
}
