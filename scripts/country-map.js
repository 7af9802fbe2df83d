/**
 * `npm run map` writes `src/drawings/country-map.generated.ts`: the outline of the United States, the borders of its
 * states, and where the sandbox's installations lie on it, all projected already, so that the page needs no library.
 *
 * Source: the package `us-atlas` (ISC), after the US Census Bureau's Cartographic Boundary Files (public domain),
 * projected by `d3-geo` (ISC) and read by `topojson-client` (ISC). Alaska and Hawaii are moved and scaled as Albers USA
 * does; Puerto Rico, Guam and American Samoa have boxes of their own.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { geoAlbersUsa, geoMercator, geoPath } from 'd3-geo'
import { feature, merge, mesh } from 'topojson-client'

const file = 'src/drawings/country-map.generated.ts'
const size = { width: 1920, height: 1240 }
/** A corner that spans less than this area, in square units of the drawing, is left out. */
const smallestCorner = 1.5
/** Islands of less than this area are left out, except in a box of its own. */
const smallestIsland = 14

const insets = [
  { state: 'GU', box: { x: 1130, y: 1080, width: 90, height: 110 } },
  { state: 'AS', box: { x: 1240, y: 1080, width: 150, height: 110 } },
  { state: 'PR', box: { x: 1660, y: 1080, width: 220, height: 110 } },
]

/** The states by their number in the Census Bureau's files. */
const stateCodes = Object.fromEntries(
  (
    '01 AL 02 AK 04 AZ 05 AR 06 CA 08 CO 09 CT 10 DE 11 DC 12 FL 13 GA 15 HI 16 ID 17 IL 18 IN 19 IA 20 KS 21 KY 22 LA ' +
    '23 ME 24 MD 25 MA 26 MI 27 MN 28 MS 29 MO 30 MT 31 NE 32 NV 33 NH 34 NJ 35 NM 36 NY 37 NC 38 ND 39 OH 40 OK 41 OR ' +
    '42 PA 44 RI 45 SC 46 SD 47 TN 48 TX 49 UT 50 VT 51 VA 53 WA 54 WV 55 WI 56 WY 60 AS 66 GU 72 PR'
  )
    .match(/\d\d [A-Z]{2}/g)
    .map((pair) => pair.split(' ')),
)

/** Collects the lines that d3 draws, so that they can be simplified before they become text. */
class Lines {
  lines = []
  moveTo(x, y) {
    this.lines.push({ points: [[x, y]], isClosed: false })
  }
  lineTo(x, y) {
    this.lines.at(-1).points.push([x, y])
  }
  closePath() {
    this.lines.at(-1).isClosed = true
  }
}

const triangle = ([ax, ay], [bx, by], [cx, cy]) => Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
const areaOf = (points) =>
  Math.abs(points.reduce((sum, [x, y], at) => sum + x * points.at(at - 1)[1] - points.at(at - 1)[0] * y, 0)) / 2

/** Visvalingam's way: the corner that spans the least area goes first. */
function simplified({ points, isClosed }) {
  const kept = [...points]
  for (;;) {
    let [least, at] = [smallestCorner, -1]
    for (let index = 1; index < kept.length - 1; index++) {
      const area = triangle(kept[index - 1], kept[index], kept[index + 1])
      if (area < least) [least, at] = [area, index]
    }
    if (at < 0 || kept.length <= (isClosed ? 4 : 2)) return { points: kept, isClosed }
    kept.splice(at, 1)
  }
}

/** Whole numbers, each point relative to the one before. */
function pathText(lines) {
  let text = ''
  let before = [0, 0]
  for (const { points, isClosed } of lines) {
    let count = 0
    for (const [index, [x, y]] of points.entries()) {
      const at = [Math.round(x), Math.round(y)]
      if (index > 0 && at[0] === before[0] && at[1] === before[1]) continue
      const [dx, dy] = [at[0] - before[0], at[1] - before[1]]
      text += `${count === 0 ? 'm' : count === 1 ? 'l' : dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`
      before = at
      count += 1
    }
    if (isClosed) {
      text += 'z'
      before = [Math.round(points[0][0]), Math.round(points[0][1])]
    }
  }
  return text
}

const hundredth = (value) => Math.round(value * 100) / 100

function drawn(projection, object, leastArea) {
  const lines = new Lines()
  geoPath(projection, lines)(object)
  return lines.lines.filter(({ points, isClosed }) => !isClosed || areaOf(points) >= leastArea).map(simplified)
}

/** The module's text. */
export function countryMap() {
  const atlas = createRequire(import.meta.url)('us-atlas/states-10m.json')
  const { states } = atlas.objects
  const codeOf = (state) => stateCodes[state.id]
  const isInset = (state) => insets.some((inset) => inset.state === codeOf(state))
  const mainland = states.geometries.filter((state) => codeOf(state) !== undefined && !isInset(state))
  const main = geoAlbersUsa().fitExtent(
    [
      [10, 10],
      [size.width - 10, size.height - 60],
    ],
    merge(atlas, mainland),
  )
  const insetProjections = Object.fromEntries(
    insets.map(({ state, box }) => {
      const shape = feature(
        atlas,
        states.geometries.find((candidate) => codeOf(candidate) === state),
      )
      const fitted = geoMercator().rotate([state === 'AS' ? 170 : state === 'GU' ? -145 : 66, 0])
      fitted.fitExtent(
        [
          [box.x + 14, box.y + 14],
          [box.x + box.width - 14, box.y + box.height - 14],
        ],
        shape,
      )
      return [state, { projection: fitted, shape }]
    }),
  )
  const projectionOf = (state) => insetProjections[state]?.projection ?? main
  const whole = (point) => point?.map((value) => Math.round(value))
  const outline = [
    ...drawn(main, merge(atlas, mainland), smallestIsland),
    ...Object.values(insetProjections).flatMap(({ projection, shape }) => drawn(projection, shape, 2)),
  ]
  const borders = drawn(
    main,
    mesh(atlas, { type: 'GeometryCollection', geometries: mainland }, (a, b) => a !== b),
    0,
  )
  const bases = JSON.parse(readFileSync('scripts/data/bases.json', 'utf8'))
  const installations = bases.filter(({ sandbox }) => sandbox !== 'no')
  const places = installations.map(({ code, state, latitude, longitude }) => {
    const point = whole(projectionOf(state)([longitude, latitude]))
    if (point === undefined) throw new Error(`${code} is not on the map`)
    return [code, point]
  })
  const centres = [...mainland, ...states.geometries.filter(isInset)].map((state) => {
    const code = codeOf(state)
    return [code, whole(geoPath(projectionOf(code)).centroid(feature(atlas, state)))]
  })
  const numbers = (projection) => {
    const [x, y] = projection.translate()
    return `{ scale: ${hundredth(projection.scale())}, x: ${hundredth(x)}, y: ${hundredth(y)} }`
  }
  const rows = (entries) =>
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, [x, y]]) => `  ${key}: [${x}, ${y}],`)
  return [
    '/**',
    ' * Generated by scripts/country-map.js; do not edit. The United States, projected by Albers USA.',
    ' * Source: us-atlas (ISC), after the US Census Bureau, Cartographic Boundary Files (public domain).',
    ' */',
    "import type { CountryMap } from './country-map.js'",
    '',
    'export const countryMap: CountryMap = {',
    `  width: ${size.width},`,
    `  height: ${size.height},`,
    `  outline: '${pathText(outline)}',`,
    `  borders: '${pathText(borders)}',`,
    '  insets: [',
    ...insets.map(({ box }) => `    { x: ${box.x}, y: ${box.y}, width: ${box.width}, height: ${box.height} },`),
    '  ],',
    '  states: {',
    ...rows(centres).map((row) => `  ${row}`),
    '  },',
    '  installations: {',
    ...rows(places).map((row) => `  ${row}`),
    '  },',
    '  projections: {',
    `    main: ${numbers(main)},`,
    ...insets.map(({ state }) => `    ${state}: ${numbers(insetProjections[state].projection)},`),
    '  },',
    '}',
    '',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(file, countryMap())
