import { type Point, type Shape, shape, tenth } from './local-map.js'

/** How a projection of d3-geo was fitted into the drawing. */
export interface Fit extends Point {
  scale: number
}

/** The outline of the country, and what lies where on it. */
export interface CountryMap {
  width: number
  height: number
  /** Path data. */
  outline: string
  borders: string
  /** Boxes around islands that are drawn elsewhere than they lie. */
  insets: readonly (Point & { width: number; height: number })[]
  /** The middle of each state, by its two letters. */
  states: Readonly<Record<string, readonly [x: number, y: number]>>
  /** Installations by code. */
  installations: Readonly<Record<string, readonly [x: number, y: number]>>
  /** How the country (`main`) and each box were projected. */
  projections: { main: Fit } & Readonly<Record<string, Fit>>
}

/** The facts of an installation that the map shows. */
interface MappedInstallation {
  code: string
  name: string
  state: string
  /** `null` if the service does not say. */
  acceptingDeliveries: boolean | null
}

interface InstallationMark extends Point {
  installation: MappedInstallation
  /** The map knows only its state: it is drawn in the middle of that. */
  isApproximate: boolean
}

/** Half of what the mark of an installation takes up. */
const reach = 13

/** The position of each installation on the map, except those of places that it lacks. */
export function installationMarks(map: CountryMap, installations: readonly MappedInstallation[]): InstallationMark[] {
  const marks = installations.flatMap((installation): InstallationMark[] => {
    const exact = map.installations[installation.code]
    const found = exact ?? map.states[installation.state]
    if (found === undefined) return []
    const [x, y] = found
    return [{ installation, x, y, isApproximate: exact === undefined }]
  })
  return apart(marks, map, () => reach)
}

/** Moves marks that cover each other as little as it takes, in the same way each time. */
export function apart<Mark extends Point>(
  marks: readonly Mark[],
  { width, height }: CountryMap,
  reachOf: (mark: Mark) => number,
): Mark[] {
  const moved = marks.map((mark) => ({ ...mark }))
  for (let round = 0; round < 60; round++) {
    let isDone = true
    for (const [index, one] of moved.entries()) {
      for (const other of moved.slice(index + 1)) {
        const [dx, dy] = [other.x - one.x, other.y - one.y]
        const distance = Math.hypot(dx, dy)
        const least = reachOf(one) + reachOf(other)
        if (distance >= least) continue
        isDone = false
        const push = (least - distance) / 2 + 0.1
        // Two marks at one point part along a direction that depends on their places in the list.
        const [ux, uy] = distance < 0.01 ? [Math.cos(index), Math.sin(index)] : [dx / distance, dy / distance]
        one.x -= ux * push
        one.y -= uy * push
        other.x += ux * push
        other.y += uy * push
      }
    }
    if (isDone) break
  }
  return moved.map((mark) => ({
    ...mark,
    x: tenth(Math.min(width - reachOf(mark), Math.max(reachOf(mark), mark.x))),
    y: tenth(Math.min(height - reachOf(mark), Math.max(reachOf(mark), mark.y))),
  }))
}

interface CountryMapOptions {
  /** The code of the installation that is open. */
  selected?: string | undefined
}

/** The country with its installations, each with its name and its code (`data-code`). */
export function countryMapShape(
  map: CountryMap,
  marks: readonly InstallationMark[],
  options: CountryMapOptions = {},
): Shape {
  const isLast = ({ installation }: InstallationMark) => installation.code === options.selected
  const ordered = [...marks.filter((mark) => !isLast(mark)), ...marks.filter(isLast)]
  const number = `${marks.length} ${marks.length === 1 ? 'installation' : 'installations'}`
  return countryShape(
    map,
    number,
    ordered.map((mark) => markShape(mark, options)),
  )
}

/** The country with marks on it. */
export function countryShape(map: CountryMap, subject: string, marks: readonly Shape[]): Shape {
  const { width, height } = map
  return shape(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      class: 'country',
      role: 'group',
      'aria-label': `Map of the United States with ${subject}`,
    },
    shape('path', {
      d: map.outline,
      fill: 'var(--map-land)',
      stroke: 'var(--map-coast)',
      'stroke-width': 2,
      'stroke-linejoin': 'round',
    }),
    shape('path', { d: map.borders, fill: 'none', stroke: 'var(--map-border)', 'stroke-width': 1.5 }),
    ...map.insets.map((box) =>
      shape('rect', { ...box, rx: 10, fill: 'none', stroke: 'var(--map-coast)', 'stroke-width': 1.5 }),
    ),
    ...marks,
  )
}

/** Open ones are full, closed ones hollow: the difference is not only in the colour. One that says neither is full and grey. */
function markShape({ installation, x, y, isApproximate }: InstallationMark, options: CountryMapOptions): Shape {
  const { code, name, state, acceptingDeliveries } = installation
  const isSelected = code === options.selected
  const isClosed = acceptingDeliveries === false
  const title = [
    `${code}: ${name}, ${state}`,
    ...(isClosed ? ['not accepting deliveries'] : []),
    ...(isApproximate ? ['drawn in the middle of its state'] : []),
  ].join('; ')
  const colour = isClosed ? 'var(--map-closed)' : acceptingDeliveries ? 'var(--map-open)' : 'var(--map-coast)'
  const at = { cx: x, cy: y }
  return shape(
    'g',
    { class: 'mark', 'data-code': code, role: 'img', 'aria-label': title },
    shape('title', {}, title),
    ...(isSelected ? [shape('circle', { ...at, r: 30, fill: colour, 'fill-opacity': 0.25 })] : []),
    // What the pointer has to meet is larger than what is seen.
    shape('circle', { ...at, r: 20, fill: 'transparent' }),
    shape('circle', {
      ...at,
      r: isSelected ? 15 : 11,
      fill: isClosed ? 'var(--map-land)' : colour,
      stroke: isClosed ? colour : 'var(--map-ground)',
      'stroke-width': isClosed ? 5 : 3,
      'stroke-dasharray': isApproximate ? '5 4' : undefined,
    }),
  )
}
