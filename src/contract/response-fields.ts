import { operationDescriptors } from './operations.generated.js'
import type { OperationName } from './operations.js'
import type { Shape } from './shape.js'

const allOperations = Object.keys(operationDescriptors) as OperationName[]

/** Deep enough for every field of the contract; an installation holds the deepest. */
const deepest = 6

/**
 * The paths of all fields in the responses of these operations, such as `dropoff.contactName`: those of a response itself
 * and those of the elements of its lists, whose paths start at the element.
 */
export function responseFieldPaths(operations: readonly OperationName[] = allOperations): Set<string> {
  const paths = new Set<string>()
  for (const name of operations)
    for (const shape of Object.values(operationDescriptors[name].responses))
      if (shape !== undefined) collectResponse(shape, paths)
  return paths
}

/** Whether a path leads to a field that a response of these operations may hold, or into one whose content is open. */
export function isResponseField(path: string, operations?: readonly OperationName[]): boolean {
  const bare = path
    .split('.')
    .filter((name) => !/^\d+$/.test(name))
    .join('.')
  const paths = responseFieldPaths(operations)
  return paths.has(bare) || [...paths].some((known) => known.endsWith('.*') && bare.startsWith(known.slice(0, -1)))
}

function collectResponse(shape: Shape, paths: Set<string>): void {
  collect(shape, '', deepest, paths)
  for (const member of fieldsOf(shape)) for (const element of elementsOf(member)) collect(element, '', deepest, paths)
}

function collect(shape: Shape, path: string, depth: number, paths: Set<string>): void {
  if (depth === 0 || typeof shape === 'string') {
    if (path !== '' && (shape === 'any' || shape === 'undecided')) paths.add(`${path}.*`)
  } else if ('anyOf' in shape) for (const option of shape.anyOf) collect(option, path, depth, paths)
  else if ('list' in shape) collect(shape.list, path, depth, paths)
  else if ('map' in shape) paths.add(`${path}.*`)
  else if ('fields' in shape)
    for (const [name, member] of Object.entries(shape.fields)) {
      const at = path === '' ? name : `${path}.${name}`
      paths.add(at)
      collect(member, at, depth - 1, paths)
    }
}

function fieldsOf(shape: Shape): Shape[] {
  if (typeof shape === 'string') return []
  if ('anyOf' in shape) return shape.anyOf.flatMap(fieldsOf)
  if ('list' in shape) return [shape]
  return 'fields' in shape ? Object.values(shape.fields) : []
}

function elementsOf(shape: Shape): Shape[] {
  if (typeof shape === 'string') return []
  if ('anyOf' in shape) return shape.anyOf.flatMap(elementsOf)
  return 'list' in shape ? [shape.list] : []
}
