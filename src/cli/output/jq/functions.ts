import { UsageError } from '../../../contract/index.js'
import { compare, evaluate, isTrue } from './evaluate.js'
import type { Expression } from './parse.js'

const plain: Readonly<Record<string, (value: unknown) => unknown>> = {
  length: (value) => {
    if (value === null) return 0
    if (typeof value === 'number') return Math.abs(value)
    if (typeof value === 'string') return [...value].length
    return collection(value, 'length').length
  },
  keys: (value) => (Array.isArray(value) ? [...value.keys()] : Object.keys(record(value, 'keys')).sort()),
  values: (value) => value,
  not: (value) => !isTrue(value),
  first: (value) => list(value, 'first')[0] ?? null,
  last: (value) => list(value, 'last').at(-1) ?? null,
  reverse: (value) => [...list(value, 'reverse')].reverse(),
  sort: (value) => [...list(value, 'sort')].sort(compare),
  unique: (value) =>
    [...list(value, 'unique')]
      .sort(compare)
      .filter((one, index, all) => index === 0 || compare(one, all[index - 1]) !== 0),
  add: (value) => list(value, 'add').reduce(sum, null),
  min: (value) => [...list(value, 'min')].sort(compare)[0] ?? null,
  max: (value) => [...list(value, 'max')].sort(compare).at(-1) ?? null,
  type: (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value),
  tostring: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  tonumber: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && !Number.isNaN(number)) return number
    throw new UsageError(`--jq: ${JSON.stringify(value)} is not a number.`)
  },
  floor: (value) => Math.floor(Number(value)),
  ascii_downcase: (value) => text(value, 'ascii_downcase').toLowerCase(),
  ascii_upcase: (value) => text(value, 'ascii_upcase').toUpperCase(),
  to_entries: (value) => Object.entries(record(value, 'to_entries')).map(([key, entry]) => ({ key, value: entry })),
  from_entries: (value) => Object.fromEntries(list(value, 'from_entries').map((entry) => pairOf(entry))),
  empty: (value) => value,
}

const withArgument: Readonly<Record<string, (argument: Expression, value: unknown) => Iterable<unknown>>> = {
  *select(condition, value) {
    for (const holds of evaluate(condition, value)) if (isTrue(holds)) yield value
  },
  *map(step, value) {
    yield collection(value, 'map').flatMap((one) => [...evaluate(step, one)])
  },
  *has(key, value) {
    for (const name of evaluate(key, value))
      yield Array.isArray(value) ? Number(name) in value : Object.hasOwn(record(value, 'has'), String(name))
  },
  *sort_by(key, value) {
    yield [...list(value, 'sort_by')].sort((a, b) => compare([...evaluate(key, a)], [...evaluate(key, b)]))
  },
  *group_by(key, value) {
    const groups: { key: unknown; members: unknown[] }[] = []
    for (const one of list(value, 'group_by')) {
      const [found] = evaluate(key, one)
      const group = groups.find((candidate) => compare(candidate.key, found) === 0)
      if (group === undefined) groups.push({ key: found, members: [one] })
      else group.members.push(one)
    }
    yield groups.sort((a, b) => compare(a.key, b.key)).map((group) => group.members)
  },
  *any(condition, value) {
    yield list(value, 'any').some((one) => [...evaluate(condition, one)].some(isTrue))
  },
  *all(condition, value) {
    yield list(value, 'all').every((one) => [...evaluate(condition, one)].every(isTrue))
  },
  *join(separator, value) {
    for (const between of evaluate(separator, value))
      yield list(value, 'join')
        .map((one) => (one === null ? '' : String(one)))
        .join(String(between))
  },
  *split(separator, value) {
    for (const between of evaluate(separator, value)) yield text(value, 'split').split(String(between))
  },
  *startswith(start, value) {
    for (const beginning of evaluate(start, value)) yield text(value, 'startswith').startsWith(String(beginning))
  },
  *endswith(end, value) {
    for (const ending of evaluate(end, value)) yield text(value, 'endswith').endsWith(String(ending))
  },
  *test(pattern, value) {
    for (const source of evaluate(pattern, value)) yield expressionOf(source).test(text(value, 'test'))
  },
  *contains(part, value) {
    for (const wanted of evaluate(part, value))
      yield typeof value === 'string'
        ? value.includes(String(wanted))
        : list(value, 'contains').some((one) => compare(one, wanted) === 0)
  },
}

/** Names of every function, for the message that lists them. */
export const functionNames: readonly string[] = [...Object.keys(plain), ...Object.keys(withArgument)].sort()

/** Calls a function of the subset on a value. Throws `UsageError` for a name it does not have. */
export function* call(name: string, given: readonly Expression[], value: unknown): Generator<unknown> {
  const [argument] = given
  if (argument === undefined && Object.hasOwn(plain, name)) {
    if (name === 'empty' || (name === 'values' && value === null)) return
    yield plain[name]?.(value)
    return
  }
  if (argument !== undefined && Object.hasOwn(withArgument, name)) {
    yield* withArgument[name]?.(argument, value) ?? []
    return
  }
  throw new UsageError(`--jq: there is no ${name}${argument === undefined ? '' : '(…)'} here.`, {
    hint: `It knows ${functionNames.join(', ')}. For all of jq: dlv … --json | jq '…'`,
  })
}

function refuse(value: unknown, name: string, wanted: string): never {
  throw new UsageError(`--jq: ${name} needs ${wanted}, not ${JSON.stringify(value)?.slice(0, 40)}.`)
}
function list(value: unknown, name: string): unknown[] {
  return Array.isArray(value) ? value : refuse(value, name, 'an array')
}
function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  return refuse(value, name, 'an object')
}
function collection(value: unknown, name: string): unknown[] {
  return Array.isArray(value) ? value : Object.values(record(value, name))
}
function text(value: unknown, name: string): string {
  return typeof value === 'string' ? value : refuse(value, name, 'a string')
}
function pairOf(entry: unknown): [string, unknown] {
  const { key, name, value } = record(entry, 'from_entries')
  return [String(key ?? name), value]
}
function expressionOf(source: unknown): RegExp {
  try {
    return new RegExp(String(source))
  } catch (cause) {
    throw new UsageError(`--jq: ${JSON.stringify(source)} is not a regular expression.`, { cause })
  }
}
function sum(total: unknown, one: unknown): unknown {
  if (total === null) return one
  if (one === null) return total
  if (typeof total === 'number' && typeof one === 'number') return total + one
  if (typeof total === 'string' && typeof one === 'string') return total + one
  if (Array.isArray(total) && Array.isArray(one)) return [...total, ...one]
  return { ...record(total, 'add'), ...record(one, 'add') }
}
