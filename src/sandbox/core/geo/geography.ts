import { inflateRawSync } from 'node:zlib'
import { distanceKm, type Position as Point } from '../../../shared/math.js'
import { packedZipCodes } from '../../data/index.js'

export { distanceKm, type Point }

interface ZipTable {
  byZip: Map<string, Point>
  /** The mean of the areas that share the first three digits. */
  byPrefix: Map<string, Point>
}

let table: ZipTable | undefined

function zipTable(): ZipTable {
  table ??= unpack(inflateRawSync(Buffer.from(packedZipCodes, 'base64')))
  return table
}

/** Three zigzag varints a ZIP, each the difference to the one before: code, latitude and longitude × 1000. */
function unpack(bytes: Uint8Array): ZipTable {
  const byZip = new Map<string, Point>()
  const sums = new Map<string, Point & { count: number }>()
  const row: [number, number, number] = [0, 0, 0]
  let column = 0
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte > 127) continue
    row[column as 0 | 1 | 2] += value % 2 === 1 ? -(value + 1) / 2 : value / 2
    value = 0
    scale = 1
    column = (column + 1) % 3
    if (column !== 0) continue
    const zip = String(row[0]).padStart(5, '0')
    const point = { latitude: row[1] / 1000, longitude: row[2] / 1000 }
    byZip.set(zip, point)
    const sum = sums.get(zip.slice(0, 3)) ?? { latitude: 0, longitude: 0, count: 0 }
    sum.latitude += point.latitude
    sum.longitude += point.longitude
    sum.count += 1
    sums.set(zip.slice(0, 3), sum)
  }
  const byPrefix = new Map<string, Point>()
  for (const [prefix, { latitude, longitude, count }] of sums) {
    byPrefix.set(prefix, { latitude: latitude / count, longitude: longitude / count })
  }
  return { byZip, byPrefix }
}

/**
 * The centre of a ZIP code's area. A code that the table lacks gets the mean of its first three digits and is marked
 * `approximate`: the table is the Census Bureau's, not the post's, and a missing code is no proof of a wrong one.
 */
export function locateZip(postalCode: string): (Point & { approximate: boolean }) | undefined {
  const { byZip, byPrefix } = zipTable()
  const zip = postalCode.slice(0, 5)
  const exact = byZip.get(zip)
  if (exact !== undefined) return { ...exact, approximate: false }
  const near = byPrefix.get(zip.slice(0, 3))
  return near === undefined ? undefined : { ...near, approximate: true }
}

/** The ZIP codes whose centres are within this distance of a point, in kilometres. */
export function zipsNear(point: Point, radiusKm: number): string[] {
  const near: string[] = []
  for (const [zip, centre] of zipTable().byZip) {
    // A degree of latitude is at least 110 km long.
    if (Math.abs(centre.latitude - point.latitude) > radiusKm / 110) continue
    if (distanceKm(point, centre) <= radiusKm) near.push(zip)
  }
  return near
}
