import type { Point } from './local-map.js'

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
export function shortened(text: string, most: number): string {
  const characters = [...text.slice(0, most * 4).replaceAll(/\s+/g, ' ')]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, Math.max(1, most - 1)).join('')}…`
}

function isWithin({ left, top, right, bottom }: Box, { width, height }: { width: number; height: number }): boolean {
  return left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
