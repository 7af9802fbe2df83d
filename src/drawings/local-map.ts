import type { Position } from '../shared/math.js'

/** A point of a drawing; y grows downwards. */
export interface Point {
  x: number
  y: number
}

/** Positions of a few kilometres drawn on a plane, the same scale in every direction. */
export interface LocalMap {
  at(position: Position): Point
  unitsPerKm: number
}

export const kmPerMile = 1.609344
const kmPerDegree = 111.195
/** A map of only one place would have no scale. */
const leastSpanKm = 0.6

/** Fits all positions into a box. A date line between them does not tear them apart. */
export function localMap(positions: readonly Position[], box: Point & { width: number; height: number }): LocalMap {
  const [first] = positions
  const reference = first ?? { latitude: 0, longitude: 0 }
  const kmPerDegreeEast = kmPerDegree * Math.max(0.01, Math.cos((reference.latitude * Math.PI) / 180))
  const kilometres = ({ latitude, longitude }: Position) => ({
    x: wrapped(longitude - reference.longitude) * kmPerDegreeEast,
    y: (reference.latitude - latitude) * kmPerDegree,
  })
  const points = positions.length === 0 ? [{ x: 0, y: 0 }] : positions.map(kilometres)
  const spanOf = (values: readonly number[]) => {
    const [least, most] = [Math.min(...values), Math.max(...values)]
    return { span: Math.max(most - least, leastSpanKm), middle: (least + most) / 2 }
  }
  const [across, down] = [spanOf(points.map(({ x }) => x)), spanOf(points.map(({ y }) => y))]
  const unitsPerKm = Math.min(box.width / across.span, box.height / down.span)
  return {
    unitsPerKm,
    at(position) {
      const { x, y } = kilometres(position)
      return {
        x: box.x + box.width / 2 + (x - across.middle) * unitsPerKm,
        y: box.y + box.height / 2 + (y - down.middle) * unitsPerKm,
      }
    },
  }
}

function wrapped(degrees: number): number {
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
}

/** The longest round distance that a bar of `longest` units can show, and its length. */
export function scaleBar(unitsPerKm: number, longestUnits: number, kmPerUnit = 1): { distance: number; units: number } {
  const most = longestUnits / unitsPerKm / kmPerUnit
  const power = 10 ** Math.floor(Math.log10(most))
  const distance = ([5, 2, 1].find((step) => step * power <= most) ?? 1) * power
  return { distance, units: distance * kmPerUnit * unitsPerKm }
}
