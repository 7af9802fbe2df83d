import type { Position } from '../shared/math.js'
import type { CountryMap, Fit } from './country-map.js'
import type { Point } from './local-map.js'

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
