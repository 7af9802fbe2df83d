import type { Position } from '../shared/math.js'
import { escapeHtml } from '../shared/texts.js'

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

/**
 * An element of a drawing. A drawing is plain data, so that one source serves a page that renders components and a
 * server that writes text. Colours are CSS variables, such as `var(--map-land)`, which each page sets for light and dark.
 */
export interface Shape {
  tag: string
  attributes: Readonly<Record<string, string | number>>
  children: readonly (Shape | string)[]
}

type Attributes = Readonly<Record<string, string | number | undefined>>

/** An element; attributes that are `undefined` are left out. */
export function shape(tag: string, attributes: Attributes, ...children: (Shape | string | undefined)[]): Shape {
  return {
    tag,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
    ),
    children: children.filter((child) => child !== undefined),
  }
}

/** A drawing as markup. Everything in it is escaped. */
export function markupOf({ tag, attributes, children }: Shape): string {
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
  const inside = children.map((child) => (typeof child === 'string' ? escapeHtml(child) : markupOf(child)))
  return `<${tag}${given.join('')}>${inside.join('')}</${tag}>`
}

/** A coordinate of a drawing: more decimals cost bytes and show nothing. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10
}

export interface LabelWish {
  text: string
  /** The point beside which the label is placed, and how far from its middle. */
  anchor: Point
  distance: number
}

interface PlacedLabel {
  text: string
  x: number
  y: number
  anchor: 'start' | 'middle' | 'end'
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/**
 * Places each label beside its anchor where it covers no other label, no mark and, if there is room, no part of the way;
 * the first labels have the choice. One that fits nowhere within the drawing is left out.
 */
export function placeLabels(
  wishes: readonly LabelWish[],
  { marks, way }: { marks: readonly Box[]; way: readonly Box[] },
  size: { width: number; height: number; fontSize: number },
): PlacedLabel[] {
  const labels: Box[] = []
  return wishes.flatMap((wish) => {
    const text = shortened(wish.text, Math.floor((size.width * 0.62) / (size.fontSize * widthOfLetter)))
    const candidates = candidatesFor({ ...wish, text }, size.fontSize).filter(({ box }) => isWithin(box, size))
    const clearOf = (boxes: readonly Box[]) => candidates.find(({ box }) => !boxes.some((other) => overlap(other, box)))
    const found = clearOf([...labels, ...marks, ...way]) ?? clearOf([...labels, ...marks]) ?? clearOf(labels)
    if (found === undefined) return []
    labels.push(found.box)
    return [found.label]
  })
}

const widthOfLetter = 0.56
/** The additional width of a capital, in the widest of the usual fonts. */
const moreForCapital = 0.14

function candidatesFor({ text, anchor, distance }: LabelWish, fontSize: number): { label: PlacedLabel; box: Box }[] {
  const capitals = text.replace(/[^A-Z]/g, '').length
  const width = ([...text].length * widthOfLetter + capitals * moreForCapital) * fontSize
  const middle = fontSize * 0.35
  const at = (x: number, y: number, side: PlacedLabel['anchor']) => {
    const left = side === 'start' ? x : side === 'end' ? x - width : x - width / 2
    return {
      label: { text, x, y, anchor: side },
      box: { left: left - 2, right: left + width + 2, top: y - fontSize, bottom: y + fontSize * 0.3 },
    }
  }
  const { x, y } = anchor
  const [above, below] = [y - distance - 3, y + distance + fontSize]
  return [
    at(x + distance + 3, y + middle, 'start'),
    at(x - distance - 3, y + middle, 'end'),
    at(x, above, 'middle'),
    at(x, below, 'middle'),
    at(x, above, 'start'),
    at(x, below, 'start'),
    at(x, above, 'end'),
    at(x, below, 'end'),
    at(x, above - fontSize * 1.3, 'middle'),
    at(x, below + fontSize * 1.3, 'middle'),
  ]
}

/** A text cut to a number of characters. */
function shortened(text: string, most: number): string {
  const characters = [...text.slice(0, most * 4).replaceAll(/\s+/g, ' ')]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, Math.max(1, most - 1)).join('')}…`
}

function isWithin({ left, top, right, bottom }: Box, { width, height }: { width: number; height: number }): boolean {
  return left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
