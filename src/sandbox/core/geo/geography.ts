import { inflateRawSync } from 'node:zlib'
import { distanceKm, type Position as Point } from '../../../shared/math.js'
import { packedZipCodes } from '../../data/index.js'

export { distanceKm, type Point }

interface ZipTable {
  byZip: Map<string, Point>
  /** The mean of the areas that share the first three digits. */
  byPrefix: Map<string, Point>
  /** The codes in bands of latitude, so that a search does not measure the distance to the whole country. */
  byBand: Map<number, string[]>
}

/** A sixteenth of a degree, about 7 km. */
const bandOf = (latitude: number) => Math.floor(latitude * 16)

let table: ZipTable | undefined

function zipTable(): ZipTable {
  table ??= unpack(inflateRawSync(Buffer.from(packedZipCodes, 'base64')))
  return table
}

/** Three zigzag varints a ZIP, each the difference to the one before: code, latitude and longitude × 1000. */
function unpack(bytes: Uint8Array): ZipTable {
  const byZip = new Map<string, Point>()
  const byBand = new Map<number, string[]>()
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
    const band = byBand.get(bandOf(point.latitude))
    if (band === undefined) byBand.set(bandOf(point.latitude), [zip])
    else band.push(zip)
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
  return { byZip, byPrefix, byBand }
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

/** The ZIP codes whose centres are within this distance of a point, in kilometres; in ascending order. */
export function zipsNear(point: Point, radiusKm: number): string[] {
  const { byZip, byBand } = zipTable()
  const near: string[] = []
  // A degree of latitude is at least 110 km long.
  const last = bandOf(point.latitude + radiusKm / 110)
  for (let band = bandOf(point.latitude - radiusKm / 110); band <= last; band++)
    for (const zip of byBand.get(band) ?? []) {
      const centre = byZip.get(zip)
      if (centre !== undefined && distanceKm(point, centre) <= radiusKm) near.push(zip)
    }
  return near.sort()
}
