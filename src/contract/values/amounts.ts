import { isRecord } from '../../shared/json.js'
import { trimmed } from '../../shared/texts.js'
import { UsageError } from '../service-errors.js'
import { numberOf, wholeNumberOf } from './texts.js'

/** The units in which a sheet can give a field, by the kind of the field; the first is that of the contract. */
export const units = {
  money: ['cents', 'dollars'],
  weight: ['grams', 'kg', 'pounds', 'ounces'],
} as const

/** A unit of a column, beside that of the contract. */
export type Unit = (typeof units)[keyof typeof units][number]

/** The units of fields, by their paths: how texts in them are measured. */
export type FieldUnits = ReadonlyMap<string, Unit>

const gramsIn = { grams: 1, kg: 1_000, pounds: 453.592_37, ounces: 28.349_523_125 } as const

/** The names of units that a weight may carry itself: `12 lb`, `1 lb 4 oz`. */
const weightWords: readonly [words: string, unit: keyof typeof gramsIn][] = [
  ['kg|kgs|kilos?|kilograms?', 'kg'],
  ['lbs?\\.?|pounds?|#', 'pounds'],
  ['oz\\.?|ounces?', 'ounces'],
  ['g|gr|grams?', 'grams'],
]
const weightPart = new RegExp(
  `^(\\d[\\d,]{0,12}(?:\\.\\d{0,20})?)\\s*(?:${weightWords.map(([words]) => `(${words})`).join('|')})(?![a-z])[\\s,]*`,
  'i',
)

/** The unit that a word means, such as `lbs` in a column of units. */
export function weightUnitOf(word: string): keyof typeof gramsIn | undefined {
  return weightWords.find(([words]) => new RegExp(`^(?:${words})\\.?$`, 'i').test(word))?.[1]
}

/** The units that a field can be given in; none if it has no unit. */
export function unitsOf(path: string): readonly Unit[] {
  if (path.startsWith('metadata.')) return []
  if (/Cents$/.test(path)) return units.money
  return /Grams$/.test(path) ? units.weight : []
}

/**
 * The request with the texts of these fields in the units of the contract; numbers are in them already.
 *
 * @throws UsageError for a text that is no such amount
 */
export function withUnits<Request>(request: Request, fields: FieldUnits): Request {
  let made: unknown = request
  for (const [path, unit] of fields) made = measured(made, path.split('.'), { path, unit })
  return made as Request
}

function measured(value: unknown, [name, ...rest]: readonly string[], field: { path: string; unit: Unit }): unknown {
  if (name === undefined) return typeof value === 'string' ? amountOf(value, field) : value
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: measured(value[name], rest, field) }
}

function amountOf(given: string, { path, unit }: { path: string; unit: Unit }): unknown {
  const text = trimmed(given)
  if (text === '') return text
  const amount = unit === 'dollars' ? centsOfCell(text) : unit === 'cents' ? wholeNumberOf(text) : gramsOf(text, unit)
  if (amount !== undefined && amount >= 0) return amount
  const example = unit === 'dollars' ? 'an amount in dollars, such as 3.50 or $5.00' : `a number of ${unit}`
  const isNegative = /^[$\s]*(?:\(.*\)|-\s*\$?\s*[\d.])/.test(text)
  throw new UsageError(`${path}: "${given.slice(0, 80)}" is ${isNegative ? 'negative' : `not ${example}`}`, {
    hint: isNegative ? 'Sheets write negative amounts in brackets; an order has none.' : twoReadings(text, unit),
  })
}

/** `1.230` dollars and `1,250` kg: a thousand and more to one half of the world, about one to the other. */
function twoReadings(text: string, unit: Unit): string | undefined {
  const [, whole = '', mark, part = ''] = /^\D*([1-9]\d{0,2})([.,])(\d{3})\D*$/.exec(text) ?? []
  if (whole === '' || (unit === 'dollars' && mark === ',')) return undefined
  return `Write ${whole}.${unit === 'dollars' ? part.slice(0, 2) : part} or ${whole}${part}, whichever is meant.`
}

/** A number with a decimal comma, with its point: `45,50`, `1.234,50`, `0,250`; thousands always have three digits. */
function pointed(text: string): string {
  const [, whole, part = '', small] = /^(?:(\d{1,9}|\d{1,3}(?:[.\s']\d{3})+),(\d{1,2})|0,(\d{1,6}))$/.exec(text) ?? []
  if (whole === undefined) return small === undefined ? text : `0.${small}`
  return `${whole.replace(/\D/g, '')}.${part}`
}

/** Weights of a thousand kilograms and more are no parcels: `1,250` has a decimal comma, or none. */
const areThousands = (text: string, unit: keyof typeof gramsIn) =>
  (unit === 'kg' || unit === 'pounds') && /^[1-9]\d{0,2},\d{3}$/.test(trimmed(text))

/** An amount in dollars, as cents: `45.50`, `$45`, ` $     5.00 `, `1,234.50`, `45 USD`; `undefined` for other texts. */
export function centsOfDollars(text: string): number | undefined {
  const bare = bareAmount(trimmed(text))
  const [, whole, part = ''] = /^(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})?(?:\.(\d{0,2})0*)?$/.exec(bare) ?? []
  if (whole === undefined && part === '') return undefined
  return Number((whole ?? '0').replaceAll(',', '')) * 100 + Number(part.padEnd(2, '0'))
}

const bareAmount = (text: string) => text.replace(/^(?:US)?\$\s*|^USD\s*|\s*(?:\$|USD)$/i, '')

/** As sheets write amounts: `$ -`, `-0.00` and `free` are nothing, and what was calculated has more digits than cents. */
function centsOfCell(text: string): number | undefined {
  const bare = bareAmount(text).replace(/^-(?=[0.]*0$)/, '')
  if (/^[-\u2010-\u2015\u2212](?:\?\?)?$|^free$/i.test(bare)) return 0
  // Three digits may be thousands.
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(bare)) return undefined
  return centsOfDollars(pointed(bare)) ?? calculatedCents(bare)
}

/** `56.619999999999999999`, as programs write what a sheet has calculated with the 15 digits that it counts with. */
function calculatedCents(text: string): number | undefined {
  if (!/^\d{1,9}\.\d{10,30}$/.test(text)) return undefined
  const cents = Number(Number(text).toPrecision(15)) * 100
  return Math.abs(cents - Math.round(cents)) < 1e-6 ? Math.round(cents) : undefined
}

/** A bare number is in the column's unit; a unit that stands in the cell goes before it. */
function gramsOf(text: string, unit: keyof typeof gramsIn): number | undefined {
  const bare = areThousands(text, unit) ? undefined : numberOf(pointed(text))
  if (bare !== undefined) return Math.round(bare * gramsIn[unit])
  let grams = 0
  for (let rest = text; rest !== ''; ) {
    const part = weightPart.exec(rest)
    const at = part === null ? -1 : weightWords.findIndex((_, index) => part[index + 2] !== undefined)
    const amount = numberOf(pointed(part?.[1] ?? ''))
    const named = weightWords[at]?.[1]
    if (part === null || amount === undefined || named === undefined || areThousands(part[1] ?? '', named))
      return undefined
    grams += amount * gramsIn[named]
    rest = rest.slice(part[0].length)
  }
  return grams === 0 && !/\d/.test(text) ? undefined : Math.round(grams)
}

/** What a column's name says about the unit of a field: `Weight (lb)`, `Order total`; nothing where it says the contract's. */
export function namedUnit(column: string, path: string): Unit | undefined {
  const name = column.toLowerCase()
  if (unitsOf(path) === units.money) {
    if (/cents?\b|¢/.test(name)) return undefined
    return /total|price|amount|value|cost|worth|charge|usd|\$|dollar|sum\b|paid|tip|gratuity/.test(name)
      ? 'dollars'
      : undefined
  }
  if (unitsOf(path) !== units.weight || /\bgrams?\b|\(g\)/.test(name)) return undefined
  if (/\b(?:lbs?|pounds?)\b/.test(name)) return 'pounds'
  if (/\b(?:oz|ounces?)\b/.test(name)) return 'ounces'
  return /\b(?:kg|kgs|kilos?|kilograms?)\b/.test(name) ? 'kg' : undefined
}
