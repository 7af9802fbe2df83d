/**
 * What an answer must look like, as plain data: a schema without the library that runs it, so that a command which
 * reads one answer need not build every schema of the contract first.
 */
export type Shape =
  | 'any'
  | 'text'
  /** Text of one character or more. */
  | 'filled text'
  | 'number'
  | 'whole number'
  | 'true or false'
  | 'null'
  /** What only the schema itself can judge. */
  | 'unsure'
  | { readonly words: readonly string[] }
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly anyOf: readonly Shape[] }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly required: readonly string[] }

/**
 * Whether a value that came as JSON certainly fits. `false` may also mean that the shape cannot tell: ask the schema
 * then, which knows the reason as well.
 */
export function matchesShape(shape: Shape, value: unknown): boolean {
  switch (shape) {
    case 'any':
      return true
    case 'text':
      return typeof value === 'string'
    case 'filled text':
      return typeof value === 'string' && value !== ''
    case 'number':
      return Number.isFinite(value)
    case 'whole number':
      return Number.isSafeInteger(value)
    case 'true or false':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'unsure':
      return false
    default:
      return fitsStructure(shape, value)
  }
}

function fitsStructure(shape: Exclude<Shape, string>, value: unknown): boolean {
  if ('words' in shape) return shape.words.includes(value as string)
  if ('anyOf' in shape) return shape.anyOf.some((option) => matchesShape(option, value))
  if ('list' in shape) return Array.isArray(value) && value.every((element) => matchesShape(shape.list, element))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const members = value as Readonly<Record<string, unknown>>
  if ('map' in shape) return Object.keys(members).every((name) => matchesShape(shape.map, members[name]))
  for (const name of shape.required) if (!Object.hasOwn(members, name)) return false
  for (const name of Object.keys(members)) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    if (field !== undefined && !matchesShape(field, members[name])) return false
  }
  return true
}
