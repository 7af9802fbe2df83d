import { inflateRawSync } from 'node:zlib'
import { distanceKm, type Position as Point } from '../../../shared/position.js'
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

/** First three digits, from and to, and the state they belong to; several rows for a prefix that straddles a border. */
const prefixStates: readonly (readonly [number, number, string])[] = [
  [5, 5, 'NY'],
  [6, 7, 'PR'],
  [8, 8, 'VI'],
  [9, 9, 'PR'],
  [10, 27, 'MA'],
  [28, 29, 'RI'],
  [30, 38, 'NH'],
  [39, 49, 'ME'],
  [50, 54, 'VT'],
  [55, 55, 'MA'],
  [56, 59, 'VT'],
  [60, 69, 'CT'],
  [63, 63, 'NY'],
  [70, 89, 'NJ'],
  [100, 149, 'NY'],
  [150, 196, 'PA'],
  [197, 199, 'DE'],
  [200, 200, 'DC'],
  [201, 201, 'VA'],
  [202, 205, 'DC'],
  [205, 205, 'MD'],
  [205, 205, 'VA'],
  [206, 219, 'MD'],
  [220, 246, 'VA'],
  [247, 268, 'WV'],
  [270, 289, 'NC'],
  [290, 299, 'SC'],
  [300, 319, 'GA'],
  [320, 349, 'FL'],
  [350, 369, 'AL'],
  [370, 385, 'TN'],
  [386, 397, 'MS'],
  [398, 399, 'GA'],
  [400, 427, 'KY'],
  [430, 459, 'OH'],
  [460, 479, 'IN'],
  [480, 499, 'MI'],
  [500, 528, 'IA'],
  [530, 549, 'WI'],
  [550, 567, 'MN'],
  [569, 569, 'DC'],
  [570, 577, 'SD'],
  [580, 588, 'ND'],
  [590, 599, 'MT'],
  [600, 629, 'IL'],
  [630, 658, 'MO'],
  [660, 679, 'KS'],
  [680, 693, 'NE'],
  [700, 714, 'LA'],
  [716, 729, 'AR'],
  [726, 726, 'MO'],
  [730, 732, 'OK'],
  [733, 733, 'TX'],
  [734, 749, 'OK'],
  [739, 739, 'TX'],
  [750, 799, 'TX'],
  [800, 816, 'CO'],
  [820, 831, 'WY'],
  [832, 838, 'ID'],
  [834, 834, 'WY'],
  [840, 847, 'UT'],
  [850, 865, 'AZ'],
  [870, 884, 'NM'],
  [885, 885, 'TX'],
  [889, 898, 'NV'],
  [900, 961, 'CA'],
  [967, 968, 'HI'],
  [969, 969, 'GU'],
  [970, 979, 'OR'],
  [980, 994, 'WA'],
  [995, 999, 'AK'],
]

/** Islands that share a prefix with somebody else. */
const zipStates: readonly (readonly [number, number, string])[] = [
  [96799, 96799, 'AS'],
  [96939, 96940, 'PW'],
  [96941, 96944, 'FM'],
  [96950, 96952, 'MP'],
  [96960, 96960, 'MH'],
  [96970, 96970, 'MH'],
]

/** The states or territories that a ZIP code may lie in; several where its prefix straddles a border, none if unknown. */
export function statesOfZip(postalCode: string): string[] {
  const zip = Number(postalCode.slice(0, 5))
  const island = zipStates.find(([from, to]) => zip >= from && zip <= to)
  if (island !== undefined) return [island[2]]
  const prefix = Math.floor(zip / 100)
  return prefixStates.filter(([from, to]) => prefix >= from && prefix <= to).map(([, , state]) => state)
}
