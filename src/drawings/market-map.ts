import type { Position } from '../shared/math.js'
import { apart, type CountryMap, countryShape, type Fit } from './country-map.js'
import { framed, gateMark, label, storeMark, type WaySize } from './delivery-way.js'
import { localMap, type Point, placeLabels, type Shape, shape, tenth } from './local-map.js'

/** A store and what is under way from it. */
export interface Market {
  store: string
  at: Position
  /** Deliveries under way, and those of them that are late or stuck. */
  underWay: number
  troubled: number
}

/** A market of this many deliveries, and more, has the largest circle. */
const fullMarket = 100

/** The size of a number on the country as it is shown, and of one that is wide enough, in the units of the map. */
const numberPixels = 13
const numberUnits = 28

/**
 * The country with a circle for each market: its size is what is under way, its red sector what is late or stuck.
 *
 * @param pixels the width of the drawing; on a narrow one, circles and numbers are larger than the country's
 */
export function marketsShape(map: CountryMap, markets: readonly Market[], pixels: number): Shape {
  const zoom = Math.max(1, (numberPixels * map.width) / (numberUnits * pixels))
  const marks = markets.flatMap((market) => {
    const point = countryPoint(map, market.at)
    return point === undefined ? [] : [{ market, ...point }]
  })
  // Small ones lie on large ones, so that each can be met.
  marks.sort((one, other) => other.market.underWay - one.market.underWay)
  return countryShape(
    map,
    `${marks.length} ${marks.length === 1 ? 'market' : 'markets'}`,
    apart(marks, map, ({ market }) => radiusOf(market, zoom)).map(({ market, ...point }) =>
      marketMark(market, point, zoom),
    ),
  )
}

function radiusOf({ underWay }: Market, zoom: number): number {
  return 20 * zoom + 44 * Math.sqrt(zoom * Math.min(1, underWay / fullMarket))
}

/** A market in words. */
function marketText({ store, underWay, troubled }: Omit<Market, 'at'>): string {
  return `${store}: ${underWay} under way${troubled === 0 ? '' : `, ${troubled} late or stuck`}`
}

function marketMark(market: Market, { x, y }: Point, zoom: number): Shape {
  const { store, underWay, troubled } = market
  const radius = radiusOf(market, zoom)
  const at = { cx: tenth(x), cy: tenth(y) }
  const round = Math.PI * radius
  const share = underWay === 0 ? 0 : troubled / underWay
  return shape(
    'g',
    { class: 'mark', 'data-code': store, role: 'img', 'aria-label': marketText(market) },
    shape('title', {}, marketText(market)),
    shape('circle', {
      ...at,
      r: tenth(radius + 3 * zoom),
      fill: 'var(--map-ground)',
    }),
    shape('circle', { ...at, r: tenth(radius), fill: 'var(--map-open)' }),
    // A sector: half as large a circle, whose stroke is as wide as the whole one.
    share === 0
      ? undefined
      : shape('circle', {
          ...at,
          r: tenth(radius / 2),
          fill: 'none',
          stroke: 'var(--map-closed)',
          'stroke-width': tenth(radius),
          'stroke-dasharray': `${tenth(round * share)} ${tenth(round)}`,
          transform: `rotate(-90 ${tenth(x)} ${tenth(y)})`,
        }),
    shape(
      'text',
      {
        x: tenth(x),
        y: tenth(y + 10 * zoom),
        'text-anchor': 'middle',
        'font-size': tenth(numberUnits * zoom),
        'font-weight': 650,
        fill: 'var(--map-number)',
      },
      String(underWay),
    ),
  )
}

/** A delivery of a market that is under way. */
export interface MarketDelivery {
  id: string
  name: string
  to?: Position | undefined
  gate?: string | undefined
  /** The driver's positions, oldest first; none before there is a driver. */
  trail: readonly Position[]
  /** Minutes, rounded down; 0 if it is not late. */
  lateMinutes: number
  /** It is late or stuck. */
  isTroubled: boolean
}

/** A market's own drawing: its store, and each delivery with its driver's trail, its gate and its dropoff. */
export function marketShape(
  store: { name: string; at: Position | undefined },
  deliveries: readonly MarketDelivery[],
  size: WaySize,
  lit?: string,
): Shape {
  const { width, height, fontSize } = size
  const known = [store.at, ...deliveries.flatMap(({ to, trail }) => [to, ...trail])].filter(
    (place) => place !== undefined,
  )
  const map = localMap(known, {
    x: fontSize * 3,
    y: fontSize * 2,
    width: width - fontSize * 6,
    height: height - fontSize * 5.5,
  })
  const ordered = deliveries.toSorted((one, other) => rank(one, lit) - rank(other, lit))
  const storeAt = store.at && map.at(store.at)
  const late = deliveries.filter(({ lateMinutes, id }) => lateMinutes > 0 || id === lit)
  const labels = placeLabels(
    [
      ...(storeAt === undefined ? [] : [{ text: store.name, anchor: storeAt, distance: fontSize * 0.75 }]),
      ...late
        .toSorted((one, other) => rank(other, lit) - rank(one, lit))
        .flatMap((delivery) => {
          const place = delivery.trail.at(-1) ?? delivery.to
          if (place === undefined) return []
          const minutes = delivery.lateMinutes > 0 ? `${delivery.lateMinutes} min` : ''
          const text = delivery.id === lit ? [delivery.name, minutes].filter((part) => part !== '').join(', ') : minutes
          return [{ text, anchor: map.at(place), distance: fontSize * 0.6 }]
        }),
    ],
    { marks: [], way: [] },
    { width, height: height - fontSize * 2, fontSize },
  )
  const name = `Drawing of ${store.name} with ${deliveries.length} under way`
  return framed(map, size, { class: 'way market', 'aria-label': name }, [
    ...ordered.flatMap((delivery) => deliveryShape(delivery, storeAt, map.at, fontSize, delivery.id === lit)),
    ...(storeAt === undefined ? [] : storeMark(storeAt, fontSize)),
    ...labels.map(({ text, x, y, anchor }, index) =>
      label(
        text,
        { x, y },
        anchor,
        index === 0 && storeAt !== undefined ? {} : { fill: 'var(--bad)', 'font-weight': 650 },
      ),
    ),
  ])
}

/** What matters more is drawn later, and labelled first. */
function rank({ id, isTroubled, lateMinutes }: MarketDelivery, lit: string | undefined): number {
  return id === lit ? Number.POSITIVE_INFINITY : lateMinutes * 2 + Number(isTroubled)
}

function deliveryShape(
  { id, name, to, gate, trail, isTroubled }: MarketDelivery,
  storeAt: Point | undefined,
  at: (position: Position) => Point,
  fontSize: number,
  isLit: boolean,
): Shape {
  const colour = isTroubled ? 'var(--bad)' : 'var(--way-trail)'
  const points = trail.map(at)
  const driver = points.at(-1)
  const toAt = to && at(to)
  const text = (point: Point) => `${tenth(point.x)} ${tenth(point.y)}`
  const line = (from: readonly Point[], attributes: Record<string, string | number>) =>
    from.length < 2
      ? undefined
      : shape('path', {
          d: from.map((point, index) => `${index === 0 ? 'M' : 'L'}${text(point)}`).join(''),
          fill: 'none',
          'stroke-linecap': 'round',
          ...attributes,
        })
  const circle = ({ x, y }: Point, r: number, attributes: Record<string, string | number>) =>
    shape('circle', { cx: tenth(x), cy: tenth(y), r: tenth(r), ...attributes })
  const gateAt = gate === undefined || toAt === undefined || storeAt === undefined ? undefined : between(toAt, storeAt)
  return shape(
    'g',
    { 'data-id': id, class: isLit ? 'trip lit' : 'trip' },
    shape('title', {}, name),
    ...(isLit && toAt !== undefined
      ? [line([driver ?? storeAt ?? toAt, toAt], { stroke: colour, 'stroke-width': 2, 'stroke-dasharray': '1 6' })]
      : []),
    line(points, { stroke: colour, 'stroke-width': isLit ? 4 : 2, opacity: isLit ? 1 : 0.45 }),
    ...(gateAt === undefined ? [] : gateMark(gateAt, fontSize * 0.7)),
    ...(toAt === undefined
      ? []
      : [
          circle(toAt, fontSize * (isLit ? 0.55 : 0.36), {
            fill: 'var(--way-ground)',
            stroke: isTroubled ? colour : 'var(--way-dropoff)',
            'stroke-width': isLit ? 4 : 2.5,
          }),
        ]),
    ...(driver === undefined
      ? []
      : [
          circle(driver, fontSize * (isLit ? 0.75 : 0.42), {
            fill: colour,
            stroke: 'var(--way-ground)',
            'stroke-width': 2,
            class: 'market-driver',
          }),
        ]),
  )
}

/** A little before the dropoff: no source says where a gate is. */
function between(to: Point, from: Point): Point {
  const length = Math.hypot(from.x - to.x, from.y - to.y)
  const step = length < 1 ? 0 : Math.min(1, 26 / length)
  return { x: to.x + (from.x - to.x) * step, y: to.y + (from.y - to.y) * step }
}

const radians = Math.PI / 180

/** Albers' equal-area conic projection between two parallels, of a globe turned to a meridian and moved to a centre. */
function albers(parallels: readonly [number, number], meridian: number, centre: readonly [number, number]) {
  const [south, north] = parallels.map((parallel) => Math.sin(parallel * radians)) as [number, number]
  const n = (south + north) / 2
  const c = 1 + south * (2 * n - south)
  const raw = (longitude: number, latitude: number): Point => {
    const radius = Math.sqrt(c - 2 * n * Math.sin(latitude * radians)) / n
    return { x: radius * Math.sin(n * longitude * radians), y: -radius * Math.cos(n * longitude * radians) }
  }
  const origin = raw(centre[0], centre[1])
  return ({ latitude, longitude }: Position): Point => {
    const { x, y } = raw(turned(longitude - meridian), latitude)
    return { x: x - origin.x, y: origin.y - y }
  }
}

function turned(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180
}

const mercator =
  (meridian: number) =>
  ({ latitude, longitude }: Position): Point => ({
    x: turned(longitude - meridian) * radians,
    y: -Math.log(Math.tan(Math.PI / 4 + (latitude * radians) / 2)),
  })

interface Region {
  has(position: Position): boolean
  fit(map: CountryMap): Fit | undefined
  project(position: Position): Point
}

const within =
  (south: number, north: number, west: number, east: number) =>
  ({ latitude, longitude }: Position) =>
    latitude >= south && latitude <= north && turned(longitude) >= west && turned(longitude) <= east

/** Alaska and Hawaii are moved, and Alaska made smaller, as in Albers USA; the islands have boxes of their own. */
const moved = (map: CountryMap, size: number, x: number, y: number): Fit => {
  const { main } = map.projections
  return { scale: main.scale * size, x: main.x + x * main.scale, y: main.y + y * main.scale }
}

const regions: readonly Region[] = [
  {
    has: within(24, 50, -126, -66),
    fit: ({ projections }) => projections.main,
    project: albers([29.5, 45.5], -96, [-0.6, 38.7]),
  },
  {
    has: within(51, 72, -180, -129),
    fit: (map) => moved(map, 0.35, -0.307, 0.201),
    project: albers([55, 65], -154, [-2, 58.5]),
  },
  {
    has: within(18, 23, -161, -154),
    fit: (map) => moved(map, 1, -0.205, 0.212),
    project: albers([8, 18], -157, [-3, 19.9]),
  },
  { has: within(17, 19, -68, -65), fit: ({ projections }) => projections.PR, project: mercator(-66) },
  { has: within(13, 14, 144, 146), fit: ({ projections }) => projections.GU, project: mercator(145) },
  { has: within(-15, -10, -172, -168), fit: ({ projections }) => projections.AS, project: mercator(-170) },
]

/** The point of a place on the map; `undefined` outside of the country. */
export function countryPoint(map: CountryMap, position: Position): Point | undefined {
  const region = regions.find(({ has }) => has(position))
  const fit = region?.fit(map)
  if (region === undefined || fit === undefined) return undefined
  const { x, y } = region.project(position)
  return { x: fit.x + fit.scale * x, y: fit.y + fit.scale * y }
}
