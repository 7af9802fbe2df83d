import { h, type VNode } from 'preact'
import type { Shape } from '../../../drawings/shape.js'

/** A drawing as elements. Their names and attributes are the ones that markup has. */
export function Drawing({ shape }: { shape: Shape }): VNode {
  return h(
    shape.tag,
    shape.attributes as Record<string, unknown>,
    ...shape.children.map((child) => (typeof child === 'string' ? child : <Drawing shape={child} />)),
  )
}
