import { canonicalJson, UsageError } from '../../../contract/index.js'
import { call } from './functions.js'
import { type Expression, parse } from './parse.js'

/**
 * Evaluates a `--jq` expression over a value: a subset of jq with paths, `.[]`, slices, pipes, commas, comparison,
 * arithmetic, `and or not //`, `if`, arrays and objects, and the functions of `functions.ts`. Throws `UsageError`.
 */
export function jq(source: string, value: unknown): unknown[] {
  return [...evaluate(parse(source), value)]
}

/** `false` and `null` are the two values that do not hold. */
export function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined
}

const rank = (value: unknown): number => {
  if (value === null || value === undefined) return 0
  if (typeof value === 'boolean') return 1
  if (typeof value === 'number') return 2
  if (typeof value === 'string') return 3
  return Array.isArray(value) ? 4 : 5
}

/** jq's order of values: null, booleans, numbers, strings, arrays, objects. */
export function compare(a: unknown, b: unknown): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (Array.isArray(a) && Array.isArray(b)) {
    for (const [index, one] of a.entries()) {
      const order = index < b.length ? compare(one, b[index]) : 1
      if (order !== 0) return order
    }
    return a.length - b.length
  }
  const [left, right] = typeof a === 'string' && typeof b === 'string' ? [a, b] : [canonicalJson(a), canonicalJson(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

export function* evaluate(expression: Expression, value: unknown): Generator<unknown> {
  switch (expression.kind) {
    case 'identity':
      yield value
      return
    case 'literal':
      yield expression.value
      return
    case 'field':
      for (const of of evaluate(expression.of, value)) yield member(of, expression.name)
      return
    case 'index':
      for (const of of evaluate(expression.of, value))
        for (const index of evaluate(expression.index, value)) yield member(of, index)
      return
    case 'slice':
      yield* slice(expression, value)
      return
    case 'each':
      for (const of of evaluate(expression.of, value)) yield* elements(of)
      return
    case 'quiet':
      yield* quietly(expression.of, value)
      return
    case 'pipe':
      for (const left of evaluate(expression.left, value)) yield* evaluate(expression.right, left)
      return
    case 'comma':
      yield* evaluate(expression.left, value)
      yield* evaluate(expression.right, value)
      return
    case 'binary':
      yield* binary(expression.operator, expression.left, expression.right, value)
      return
    case 'array':
      yield expression.of === undefined ? [] : [...evaluate(expression.of, value)]
      return
    case 'object':
      yield* objects(expression.entries, value, {})
      return
    case 'if':
      for (const condition of evaluate(expression.condition, value))
        yield* evaluate(isTrue(condition) ? expression.then : expression.otherwise, value)
      return
    case 'call':
      yield* call(expression.name, expression.arguments, value)
  }
}

function kindOf(value: unknown): string {
  return ['null', 'a boolean', 'a number', 'a string', 'an array', 'an object'][rank(value)] ?? 'a value'
}

function member(of: unknown, index: unknown): unknown {
  if (of === null || of === undefined) return null
  if (Array.isArray(of) && typeof index === 'number') return of.at(Math.floor(index)) ?? null
  if (typeof of === 'object' && !Array.isArray(of) && typeof index === 'string')
    return Object.hasOwn(of, index) ? (of as Record<string, unknown>)[index] : null
  throw new UsageError(`--jq: cannot take ${JSON.stringify(index)} of ${kindOf(of)}.`)
}

function elements(of: unknown): unknown[] {
  if (Array.isArray(of)) return of
  if (typeof of === 'object' && of !== null) return Object.values(of)
  throw new UsageError(`--jq: cannot take the elements of ${kindOf(of)}.`)
}

function* slice(expression: Extract<Expression, { kind: 'slice' }>, value: unknown): Generator<unknown> {
  const bound = (of: Expression | undefined): number | undefined => {
    if (of === undefined) return undefined
    const [index] = evaluate(of, value)
    return typeof index === 'number' ? index : undefined
  }
  for (const of of evaluate(expression.of, value)) {
    if (typeof of === 'string' || Array.isArray(of)) yield of.slice(bound(expression.from), bound(expression.to))
    else if (of === null) yield null
    else throw new UsageError(`--jq: cannot slice ${kindOf(of)}.`)
  }
}

function* quietly(of: Expression, value: unknown): Generator<unknown> {
  try {
    yield* evaluate(of, value)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
}

function* binary(operator: string, left: Expression, right: Expression, value: unknown): Generator<unknown> {
  if (operator === '//') {
    const held = [...quietly(left, value)].filter(isTrue)
    yield* held.length > 0 ? held : evaluate(right, value)
    return
  }
  for (const a of evaluate(left, value)) {
    if (operator === 'and' && !isTrue(a)) yield false
    else if (operator === 'or' && isTrue(a)) yield true
    else for (const b of evaluate(right, value)) yield apply(operator, a, b)
  }
}

function apply(operator: string, a: unknown, b: unknown): unknown {
  switch (operator) {
    case 'and':
    case 'or':
      return isTrue(b)
    case '==':
      return compare(a, b) === 0
    case '!=':
      return compare(a, b) !== 0
    case '<':
      return compare(a, b) < 0
    case '<=':
      return compare(a, b) <= 0
    case '>':
      return compare(a, b) > 0
    case '>=':
      return compare(a, b) >= 0
    default:
      return arithmetic(operator, a, b)
  }
}

function arithmetic(operator: string, a: unknown, b: unknown): unknown {
  if (operator === '+') {
    if (a === null || a === undefined) return b
    if (b === null || b === undefined) return a
    if (typeof a === 'string' && typeof b === 'string') return a + b
    if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
    if (rank(a) === 5 && rank(b) === 5) return { ...(a as object), ...(b as object) }
  }
  if (typeof a === 'number' && typeof b === 'number') {
    if (operator === '+') return a + b
    if (operator === '-') return a - b
    if (operator === '*') return a * b
    if (b === 0) throw new UsageError('--jq: cannot divide by zero.')
    return operator === '/' ? a / b : Math.trunc(a) % Math.trunc(b)
  }
  throw new UsageError(`--jq: ${operator} does not work on ${kindOf(a)} and ${kindOf(b)}.`)
}

function* objects(
  entries: { key: Expression; value: Expression }[],
  value: unknown,
  made: Record<string, unknown>,
): Generator<unknown> {
  const [entry, ...rest] = entries
  if (entry === undefined) {
    yield made
    return
  }
  for (const key of evaluate(entry.key, value)) {
    if (typeof key !== 'string')
      throw new UsageError(`--jq: the name of a property must be a string, not ${kindOf(key)}.`)
    for (const found of evaluate(entry.value, value))
      yield* objects(rest, value, Object.assign(Object.create(null), made, { [key]: found }))
  }
}
