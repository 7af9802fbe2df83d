import { isActive } from '../trade/statuses.js'
import {
  kmPerMile,
  type LabelWish,
  type LocalMap,
  localMap,
  type Point,
  placeLabels,
  type Shape,
  scaleBar,
  shape,
  tenth,
} from './local-map.js'
import { type DeliveryWay, wayText } from './way.js'

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

export interface WaySize {
  width: number
  height: number
  fontSize: number
}

const colours = {
  ground: 'var(--way-ground)',
  grid: 'var(--way-grid)',
  text: 'var(--way-text)',
  quiet: 'var(--way-quiet)',
  planned: 'var(--way-planned)',
  trail: 'var(--way-trail)',
  store: 'var(--way-store)',
  gate: 'var(--way-gate)',
  dropoff: 'var(--way-dropoff)',
}

const p = ({ x, y }: Point) => `${tenth(x)} ${tenth(y)}`
const lineOf = (points: readonly Point[]) =>
  points.map((point, index) => `${index === 0 ? 'M' : 'L'}${p(point)}`).join('')

/** Squares as wide as a round distance, so that the eye can measure. */
function grid({ unitsPerKm }: LocalMap, { width, height }: WaySize): Shape[] {
  const step = scaleBar(unitsPerKm, width / 4).units
  if (step < 12) return []
  let path = ''
  for (let x = step; x < width; x += step) path += `M${tenth(x)} 0V${height}`
  for (let y = step; y < height; y += step) path += `M0 ${tenth(y)}H${width}`
  return [shape('path', { d: path, fill: 'none', stroke: colours.grid })]
}

/** The straight line that is planned; not a road. */
function plannedWay(stops: readonly (Point | undefined)[], status: string): Shape[] {
  const points = stops.filter((point) => point !== undefined)
  if (points.length < 2) return []
  return [
    shape('path', {
      d: lineOf(points),
      fill: 'none',
      stroke: colours.planned,
      'stroke-width': 2,
      'stroke-dasharray': '1 6',
      'stroke-linecap': 'round',
      opacity: status === 'cancelled' || status === 'expired' ? 0.5 : 1,
    }),
  ]
}

function drivenWay(points: readonly Point[]): Shape[] {
  if (points.length === 0) return []
  const dots = points.length > 60 ? [] : points.slice(0, -1)
  return [
    shape('path', {
      d: lineOf(points),
      fill: 'none',
      stroke: colours.trail,
      'stroke-width': 3,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      class: 'way-trail',
    }),
    ...dots.map((point) => circle(point, 2.6, { fill: colours.ground, stroke: colours.trail, 'stroke-width': 1.5 })),
  ]
}

function circle({ x, y }: Point, r: number, attributes: Record<string, string | number>): Shape {
  return shape('circle', { cx: tenth(x), cy: tenth(y), r: tenth(r), ...attributes })
}

/** A square for the store, a bar for the gate, a ring for the dropoff: places do not differ by colour only. */
export function storeMark({ x, y }: Point, fontSize: number): Shape[] {
  const side = fontSize * 1.05
  const corner = { x: tenth(x - side / 2), y: tenth(y - side / 2) }
  return [
    shape('rect', {
      ...corner,
      width: tenth(side),
      height: tenth(side),
      rx: 3,
      fill: colours.store,
      stroke: colours.ground,
      'stroke-width': 2,
    }),
  ]
}

export function gateMark({ x, y }: Point, fontSize: number): Shape[] {
  const [half, post] = [fontSize * 0.6, fontSize * 0.5]
  const d = `M${tenth(x - half)} ${tenth(y - post)}v${tenth(post * 2)}M${tenth(x + half)} ${tenth(y - post)}v${tenth(post * 2)}M${tenth(x - half)} ${tenth(y)}h${tenth(half * 2)}`
  const line = { d, fill: 'none', 'stroke-linecap': 'round' }
  return [
    shape('path', { ...line, stroke: colours.ground, 'stroke-width': 6 }),
    shape('path', { ...line, stroke: colours.gate, 'stroke-width': 3 }),
  ]
}

function dropoffMark(at: Point, fontSize: number): Shape[] {
  return [
    circle(at, fontSize * 1.5, {
      fill: colours.dropoff,
      'fill-opacity': 0.14,
      stroke: colours.dropoff,
      'stroke-dasharray': '3 3',
    }),
    circle(at, fontSize * 0.42, { fill: colours.ground, stroke: colours.dropoff, 'stroke-width': 4 }),
  ]
}

function driverMark(at: Point, fontSize: number): Shape[] {
  return [
    circle(at, fontSize * 1.1, { fill: colours.trail, 'fill-opacity': 0.22, class: 'way-pulse' }),
    circle(at, fontSize * 0.5, {
      fill: colours.trail,
      stroke: colours.ground,
      'stroke-width': 2.5,
      class: 'way-driver',
    }),
  ]
}

export function label(
  text: string,
  { x, y }: Point,
  anchor: string,
  attributes: Record<string, string | number> = {},
): Shape {
  return shape(
    'text',
    {
      x: tenth(x),
      y: tenth(y),
      'text-anchor': anchor,
      fill: colours.text,
      stroke: colours.ground,
      'stroke-width': 4,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
      ...attributes,
    },
    text,
  )
}

/** Two bars, for those who think in kilometres and for those who think in miles. */
function scale({ unitsPerKm }: LocalMap, { width, height, fontSize }: WaySize): Shape[] {
  const x = fontSize
  const y = height - fontSize * 1.4
  const km = scaleBar(unitsPerKm, width / 3)
  const miles = scaleBar(unitsPerKm, width / 3, kmPerMile)
  const bar = (length: number, tick: number) => `M${x} ${tenth(y + tick)}V${tenth(y)}h${tenth(length)}v${tick}`
  const textSize = tenth(fontSize * 0.85)
  return [
    shape('path', { d: bar(km.units, -4), fill: 'none', stroke: colours.quiet, 'stroke-width': 1.5 }),
    shape('path', { d: bar(miles.units, 4), fill: 'none', stroke: colours.quiet, 'stroke-width': 1.5 }),
    label(`${round(km.distance)} km`, { x, y: y - 7 }, 'start', { 'font-size': textSize, fill: colours.quiet }),
    label(`${round(miles.distance)} mi`, { x, y: y + fontSize * 1.15 }, 'start', {
      'font-size': textSize,
      fill: colours.quiet,
    }),
  ]
}

/** Without the traces of binary fractions: 0.2, not 0.2000000001. */
function round(distance: number): string {
  return String(Number(distance.toPrecision(3)))
}

interface FrameAttributes {
  class: string
  'aria-label': string
  'font-family'?: string
}

/** A drawing of a map: its marks on a ground with a grid, below a scale bar. */
export function framed(map: LocalMap, size: WaySize, attributes: FrameAttributes, marks: readonly Shape[]): Shape {
  const { width, height, fontSize } = size
  const viewBox = `0 0 ${width} ${height}`
  return shape(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox, width, height, role: 'img', ...attributes, 'font-size': fontSize },
    shape('rect', { width, height, rx: 10, fill: colours.ground }),
    ...grid(map, size),
    ...marks,
    ...scale(map, size),
  )
}
