import { escapeHtml } from '../shared/texts.js'

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
